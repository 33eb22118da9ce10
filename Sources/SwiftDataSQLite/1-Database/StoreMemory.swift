/// The memory that the connections of a default store may use to be faster. An addition to Apple's interface.
///
/// All of it is bounded, allocated only as far as it is used, and costs no durability: a commit is on the disk whatever
/// these values are. The page cache is SQLite's `cache_size`, the mapping its `mmap_size`
/// (https://sqlite.org/pragma.html).
///
/// ```swift
/// var configuration = ModelConfiguration()
/// configuration.memory.readingCache = 64 << 20
/// ```
public struct StoreMemory: Hashable, Sendable {
  /// The page cache of a writing connection in bytes: 20 MiB by default. There is one such connection for saves, and
  /// one for each batch while it lasts. A transaction that changes more pages writes some of them twice. A value below
  /// 64 KiB counts as 64 KiB.
  public var writingCache = 20 << 20
  /// The page cache of a reading connection in bytes: 8 MiB by default. There is one such connection for each fetch
  /// that runs at the same time, and at most four between fetches. A value below 64 KiB counts as 64 KiB.
  public var readingCache = 8 << 20
  /// The bytes of the file, from its beginning, that reading connections map instead of copying pages: 256 MiB by
  /// default, none with 0.
  ///
  /// Mapped pages are the system's cache of the file. They count as memory of the process in some statistics, and are
  /// released when memory is short.
  ///
  /// Reading a mapped page raises the signal SIGBUS when another program has truncated the file, or the disk fails
  /// (https://sqlite.org/mmap.html). The first store that is opened with a mapping installs a handler of that signal,
  /// which turns it into a ``StoreError`` with the code `inputOutput` and forwards all other signals to the previous
  /// handler. A program that installs its own handler later has to forward signals that aren't its own; connections
  /// that are opened after that map nothing.
  public var mapping = 256 << 20

  /// The default values.
  public static let standard = StoreMemory()

  /// Creates the default bounds.
  public init() {}

  static let minimumCacheSize = 64 << 10

  /// The values for `PRAGMA cache_size`, in KiB.
  var writingKibibytes: Int { Self.kibibytes(writingCache) }
  var readingKibibytes: Int { Self.kibibytes(readingCache) }

  private static func kibibytes(_ bytes: Int) -> Int {
    min(max(bytes, minimumCacheSize) / 1_024, Int(Int32.max))
  }
}
