import Foundation

/// Which file a path leads to.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// nil when there is none.
  init?(_ file: URL) {
    guard let look = FileLook(file.path) else { return nil }
    self = look.identity
  }
}

/// What the system says of the file that a path leads to.
///
/// The file isn't opened for it: closing it again would release the locks that SQLite has on it (fcntl(2)).
struct FileLook {
  let identity: FileIdentity
  /// In bytes.
  let size: Int64
  /// How many names the file has.
  let links: Int
  let version: Version

  /// What changes when somebody writes the file.
  struct Version: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// nil when the path leads to no file, or to none that can be reached.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(status)
    size = Int64(status.st_size)
    links = Int(status.st_nlink)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    version = Version(size: size, seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
  }
}
