import Foundation
import LandmarksKit
import LocalApp

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that keeps ``ServerUsers``. It is replaced as a whole, so readers never see a part of it.
struct UsersFile: Sendable {
  /// The maximum size of the file, in bytes.
  static let maximumSize = 4 << 20

  /// What changes with every replacement of a file.
  struct Stamp: Hashable, Sendable {
    var device: UInt64 = 0
    var number: UInt64 = 0
    var size: Int64 = 0
    var seconds: Int = 0
    var nanoseconds: Int = 0

    init(_ facts: stat) {
      device = UInt64(truncatingIfNeeded: facts.st_dev)
      number = UInt64(facts.st_ino)
      size = Int64(facts.st_size)
      #if canImport(Darwin)
        (seconds, nanoseconds) = (facts.st_mtimespec.tv_sec, facts.st_mtimespec.tv_nsec)
      #else
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
      #endif
    }
  }

  /// The file; where it is a symbolic link, what that leads to.
  let file: URL

  init(_ file: URL) { self.file = file.resolvingSymlinksInPath() }

  /// Returns the present stamp of the file; nil when there is no file.
  /// - Throws: ``LandmarksError/Code/inputOutput``.
  func stamp() throws -> Stamp? {
    var facts = stat()
    guard stat(file.path, &facts) == 0 else {
      if [ENOENT, ENOTDIR].contains(errno) { return nil }
      throw failure("cannot be read", errno)
    }
    return Stamp(facts)
  }

  /// Reads the file; no file has no users.
  /// - Throws: ``LandmarksError``, which never contains what the file has about a password.
  func read() throws -> (users: ServerUsers, stamp: Stamp?) {
    let found: (content: Data, facts: stat)?
    do { found = try PrivateFiles.read(file, upTo: Self.maximumSize) } catch {
      throw failure(error.reason)
    }
    guard let (bytes, facts) = found else { return (ServerUsers(), nil) }
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw failure("the file isn't text in UTF-8")
    }
    return (try ServerUsers(text, path: file.path), Stamp(facts))
  }

  /// Changes the users, one program after the other, and replaces the file by one that only its owner may read.
  /// - Throws: ``LandmarksError``, and what `body` throws; the file is then unchanged.
  func change(_ body: (inout ServerUsers) throws -> Void) throws {
    let folder = file.deletingLastPathComponent()
    do { try PrivateFiles.makeFolder(file.deletingLastPathComponent()) } catch {
      throw failure("cannot be written: \(FileFailure.reason(error))")
    }
    // The folder is locked, not the file, which is another one after each change.
    let lock = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { throw failure("cannot be written", errno) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("cannot be written", errno) }
    }
    var users = try read().users
    try body(&users)
    do { try PrivateFiles.replace(file, by: Data(users.text.utf8)) } catch {
      throw failure("cannot be written: \(FileFailure.reason(error))")
    }
  }

  private func failure(_ reason: String, _ code: Int32? = nil) -> LandmarksError {
    LandmarksError(
      .inputOutput, file.path,
      reason: code.map { "\(reason): \(String(cString: strerror($0)))" } ?? reason)
  }
}
