import ContentFiles
import Foundation
import SwiftDataCore

/// The folder of large values beside a store: `.<file name>_SUPPORT/external`.
///
/// A file's name is the SHA-256 of its bytes, so a file never changes, equal values share one file, and damage is
/// detected. It is written and synced before the row that refers to it is committed, inside the transaction: while one
/// connection writes or refers to a file, no other connection removes it.
final class ExternalFiles: Sendable {
  /// The size in bytes above which values are stored in files.
  static let threshold = 100_000

  let folder: URL
  let storePath: String
  private let lock: FileLock?
  /// The lock of the readers of the database. A reader may see rows that a later commit has removed, so files are
  /// removed only while there are no readers.
  private let readers: ReaderLock

  /// The folder of the large values of a store.
  static func folder(besides file: URL) -> URL {
    StoreLocation.supportFolder(of: file)
      .appending(path: "external", directoryHint: .isDirectory)
  }

  /// - Parameter file: The store.
  init(besides file: URL, isReadOnly: Bool) throws {
    folder = Self.folder(besides: file)
    storePath = file.path
    readers = ReaderLock(
      folder.deletingLastPathComponent().appending(path: "readers").path, storePath: storePath,
      isReadOnly: isReadOnly)
    guard !isReadOnly else {
      lock = nil
      return
    }
    do {
      // Two levels: the folder's name and its parent's name.
      try DurableFolder.make(folder, syncingAtLeast: 2)
    } catch {
      throw StoreError(
        .cannotOpen, path: storePath,
        explanation: "its folder \(folder.path) can't be made: \(error.localizedDescription)")
    }
    lock = try FileLock(
      folder.deletingLastPathComponent().appending(path: "lock").path, storePath: storePath)
    readers.make()
    try claim()
  }

  /// Runs `body` if no other process or container has the store open for writing, and keeps others out meanwhile.
  func withExclusiveAccess(_ body: () throws -> Void) throws { try lock?.withExclusiveAccess(body) }

  /// Runs `body`, which reads the database; no file that it may need is removed meanwhile, whatever is committed.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try readers.enter()
    defer { readers.leave() }
    return try body()
  }

  /// Whether no container and no process reads at this moment. Call it in a write transaction: a reader that begins
  /// later finds the rows as they are now.
  var isUnread: Bool { readers.isFree }

  private func path(of name: String) -> String { folder.appending(path: name).path }

  private func failure(_ what: String, _ name: String) -> StoreError {
    .file(
      errno, otherwise: .inputOutput, path: storePath,
      "the file \(name) in \(folder.path) can't be \(what)")
  }

  // MARK: Writing

  /// Ensures, durably, that there is a file with the bytes.
  ///
  /// - Parameter connection: The connection with the write transaction; a rollback removes the file again.
  /// - Returns: The file's name.
  func write(_ bytes: ArraySlice<UInt8>, on connection: Connection) throws -> String {
    let name = ContentName.text(of: bytes)
    var status = stat()
    if lstat(path(of: name), &status) == 0, Int(status.st_size) == bytes.count {
      // The process that created the file may have ended before its name was on the disk.
      try syncFolder()
      return name
    }
    let temporary = "\(UUID().uuidString).new"
    do {
      try writeAndSync(bytes, temporary)
      guard rename(path(of: temporary), path(of: name)) == 0 else {
        throw failure("renamed", temporary)
      }
    } catch {
      unlink(path(of: temporary))
      throw error
    }
    connection.openTransaction.createdFiles.append(path(of: name))
    try syncFolder()
    return name
  }

  private func writeAndSync(_ bytes: ArraySlice<UInt8>, _ name: String) throws {
    let descriptor = open(path(of: name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("made", name) }
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("written", name) }
        rest = rest.dropFirst(count)
      }
    }
    guard FileSync.sync(descriptor) else { throw failure("synced", name) }
  }

  private func syncFolder() throws {
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("synced", ".") }
    defer { close(descriptor) }
    guard FileSync.sync(descriptor) else { throw failure("synced", ".") }
  }

  // MARK: Reading

  /// The bytes of the file that a row refers to.
  ///
  /// - Parameters:
  ///   - name: The content of the cell. Anything but a name of this framework's form is refused, so that a row can't
  ///     refer to a file elsewhere.
  ///   - property: The property, for the error message.
  func read(_ name: String, _ property: String) throws -> [UInt8] {
    guard ContentName.isName(name) else {
      throw StoreError(
        .damaged, path: storePath,
        explanation: "a value of \(property) refers to something that isn't a file of this store;"
          + " restore the row from a copy")
    }
    let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw failure("opened", name) }
      throw StoreError(
        .missingFile, path: storePath,
        explanation:
          "a value of \(property) lies in the file \(name), which isn't in \(folder.path);"
          + " restore the folder from a copy")
    }
    defer { close(descriptor) }
    guard let bytes = try readAll(descriptor, name), ContentName.text(of: bytes) == name else {
      throw StoreError(
        .damaged, path: storePath,
        explanation:
          "the file \(name) in \(folder.path), a value of \(property), was changed or cut off;"
          + " restore it from a copy")
    }
    return bytes
  }

  /// - Returns: nil for what is no file of a value. Another program may have put a pipe in its place, for which a read
  ///   would wait, or a sparse file that claims more bytes than there is memory for.
  private func readAll(_ descriptor: Int32, _ name: String) throws -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read", name) }
    let size = Int(status.st_size)
    guard status.st_mode & S_IFMT == S_IFREG,
      UInt64(clamping: size) <= ProcessInfo.processInfo.physicalMemory
    else { return nil }
    return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let part = Foundation.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        if part < 0, errno == EINTR { continue }
        guard part >= 0 else { throw failure("read", name) }
        if part == 0 { break }
        count += part
      }
    }
  }

  // MARK: Content of the folder

  /// The names of all files in the folder, whatever they are, except the file that names the owner.
  func all() throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0 != Self.ownerName }
    } catch {
      throw StoreError(
        .inputOutput, path: storePath,
        explanation: "the folder \(folder.path) can't be read: \(error.localizedDescription)")
    }
  }

  /// Removes a file; a missing file counts as removed.
  func remove(_ name: String) throws {
    guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw failure("removed", name) }
  }
}
