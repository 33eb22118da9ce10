/// How much memory the connections of a default store may take so that they are faster. An addition to Apple's interface.
///
/// All of it is bounded, taken only as far as it is used, and costs no durability: a commit is on the disk whatever these
/// say. The page cache is SQLite's `cache_size`, the mapping its `mmap_size` (https://sqlite.org/pragma.html).
///
/// ```swift
/// var configuration = ModelConfiguration()
/// configuration.memory.readingCache = 64 << 20
/// ```
public struct StoreMemory: Hashable, Sendable {
  /// The bytes of pages that a connection which writes keeps: 20 MiB if nothing else is said. There is one for saves, and one
  /// for each batch while it lasts. A transaction that changes more pages writes some of them twice. Less than 64 KiB counts as
  /// that.
  public var writingCache = 20 << 20
  /// The bytes of pages that a connection which reads keeps: 8 MiB if nothing else is said. There is one for each fetch that
  /// runs at the same time, and at most eight between fetches. Less than 64 KiB counts as that.
  public var readingCache = 8 << 20
  /// The bytes of the file, from its beginning, that connections which read have mapped instead of copying pages: 256 MiB if
  /// nothing else is said, none with 0.
  ///
  /// Mapped pages are the system's cache of the file. They count as memory of the process in some statistics, and go when memory
  /// is short.
  ///
  /// Reading a mapped page raises the signal SIGBUS when another program has cut the file off, or the disk fails
  /// (https://sqlite.org/mmap.html). The first store that is opened with a mapping puts a handler of that signal in place, which
  /// turns it into a ``StoreError`` with the code `inputOutput` and hands on all others to the handler that was there before. A
  /// program that puts a handler of its own in place later has to hand on those that aren't its own; nothing is mapped by
  /// connections that are opened after it.
  public var mapping = 256 << 20

  /// What stores have if nothing else is said.
  public static let standard = StoreMemory()

  public init() {}

  static let leastCache = 64 << 10

  /// What `PRAGMA cache_size` takes, in KiB.
  var writingKibibytes: Int { Self.kibibytes(writingCache) }
  var readingKibibytes: Int { Self.kibibytes(readingCache) }

  private static func kibibytes(_ bytes: Int) -> Int {
    min(max(bytes, leastCache) / 1_024, Int(Int32.max))
  }
}
