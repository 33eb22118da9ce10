import Foundation

/// Identifies the file at a path.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// nil when there is no file.
  init?(_ file: URL) {
    guard let status = FileStatus(file.path) else { return nil }
    self = status.identity
  }
}

/// The system's information about the file at a path.
///
/// The file isn't opened for this: closing it would release the locks that SQLite has on it (fcntl(2)).
struct FileStatus {
  let identity: FileIdentity
  /// The size in bytes.
  let size: Int64
  /// The number of names (hard links) of the file.
  let links: Int
  let version: Version

  /// The properties that change when the file is written.
  struct Version: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// nil when the path leads to no accessible file.
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
