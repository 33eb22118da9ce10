import ContentFiles
import Foundation
import SwiftDataCore
import Synchronization

/// Attachments that are being transferred: complete ones and partial ones, as files in a separate folder.
///
/// A file's name is the SHA-256 of its bytes, so two processes that write the same file write the same bytes. A file in
/// the folder isn't trusted before its bytes have been hashed.
package final class AttachmentFolder: Sendable {
  private let folder: URL
  private let isTemporary: Bool
  /// Whether this object has ensured that the folder's own name is on the disk.
  private let isDurable = Atomic<Bool>(false)
  private static let partEnding = ".part"

  package init(_ folder: URL, isTemporary: Bool = false) {
    self.folder = folder
    self.isTemporary = isTemporary
  }

  /// Creates the folder beside a store; for a store in memory, a folder that is removed together with this object.
  ///
  /// - Parameter name: The name of the folder, which states its purpose.
  convenience init(besides store: any KeyedRowStore, name: String) {
    guard let folder = store.supportFolder else {
      self.init(
        FileManager.default.temporaryDirectory.appending(
          path: "OpenSwiftData-\(UUID().uuidString)"),
        isTemporary: true)
      return
    }
    self.init(folder.appending(path: name, directoryHint: .isDirectory))
  }

  /// Returns a subfolder.
  func inner(_ name: String) -> AttachmentFolder {
    AttachmentFolder(folder.appending(path: name, directoryHint: .isDirectory))
  }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
  }

  private func file(_ attachment: SyncAttachment) -> URL {
    folder.appending(path: attachment.sha256)
  }

  private func part(_ attachment: SyncAttachment) -> URL {
    folder.appending(path: attachment.sha256 + Self.partEnding)
  }

  /// Returns the size of a file in bytes; nil when it doesn't exist.
  ///
  /// - Throws: ``SyncError/Code/attachmentFolder`` when it can't be examined: then it may exist.
  static func size(_ file: URL) throws -> Int? {
    try attempt(in: file.deletingLastPathComponent()) { try FileSize.byteCount(file.path) }
  }

  /// - Throws: ``SyncError/Code/attachmentFolder``.
  private func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.attempt(in: folder, body)
  }

  private static func attempt<Result>(
    in folder: URL, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as SyncError { throw error } catch {
      throw SyncError(
        .attachmentFolder,
        "Attachments can't be kept in \(folder.path): \(error.localizedDescription). Make room, or make the"
          + " folder readable and writable, and try again.")
    }
  }

  /// The number of folders from the store's folder to this one, inclusive: the process that created them may have been
  /// killed before they were synced.
  private static let levels = 3

  /// Creates the folder and its missing parents, accessible only to the owner.
  private func makeFolder() throws {
    var missing: [URL] = []
    var unsynced: [URL] = []
    var next = folder.standardizedFileURL
    let levels = isDurable.load(ordering: .relaxed) ? 0 : Self.levels
    while next.path != "/" {
      let isMissing = !FileManager.default.fileExists(atPath: next.path)
      guard isMissing || unsynced.count < levels else { break }
      if isMissing { missing.append(next) }
      next = next.deletingLastPathComponent()
      unsynced.append(next)
    }
    for folder in missing.reversed() {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    for folder in unsynced.reversed() { try DurableFolder.sync(folder.path) }
    isDurable.store(true, ordering: .relaxed)
  }

  /// Syncs the names in the folder to the disk: after a power failure, the bytes can't be found without them.
  private func syncNames() throws { try DurableFolder.sync(folder.path) }

  /// Creates an empty file that only the owner can read, or truncates an existing one.
  private static func makeEmpty(_ file: URL) throws {
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data(), attributes: [.posixPermissions: 0o600])
    else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
  }

  // MARK: Complete attachments

  /// Whether a file of the right size exists; its bytes are verified when they are read.
  ///
  /// - Throws: ``SyncError/Code/attachmentFolder``.
  package func has(_ attachment: SyncAttachment) throws -> Bool {
    try Self.size(file(attachment)) == attachment.byteCount
  }

  /// - Returns: nil when the attachment isn't stored. A modified file is removed and counts as missing.
  package func bytes(of attachment: SyncAttachment) throws -> [UInt8]? {
    guard try has(attachment) else { return nil }
    let bytes = try attempt { [UInt8](try Data(contentsOf: file(attachment))) }
    guard SyncAttachment(of: bytes) == attachment else {
      try remove(attachment)
      return nil
    }
    return bytes
  }

  /// Removes an attachment whose bytes were modified.
  ///
  /// - Returns: Whether they were.
  func discardModified(_ attachment: SyncAttachment) throws -> Bool {
    guard try has(attachment),
      try attempt({ try Self.name(of: file(attachment)) }) != attachment.sha256
    else { return false }
    try remove(attachment)
    return true
  }

  /// Stores bytes durably under the name of the attachment.
  package func keep(_ bytes: [UInt8], as attachment: SyncAttachment) throws {
    try attempt {
      try makeFolder()
      // The process that created the file may have been killed before its name was synced.
      guard try !has(attachment) else { return try syncNames() }
      // The partial file may hold the start of the same bytes: a restarted write overwrites it.
      let new = part(attachment)
      do {
        try Self.makeEmpty(new)
        let handle = try FileHandle(forUpdating: new)
        defer { try? handle.close() }
        try handle.write(contentsOf: Data(bytes))
        try handle.synchronize()
        try Self.move(new, to: file(attachment))
      } catch {
        // Another process has stored the same attachment in the meantime.
        guard try !has(attachment) else { return try syncNames() }
        throw error
      }
      try syncNames()
    }
  }

  /// Stores a file that never changes, under the name of the attachment.
  package func keep(_ source: URL, as attachment: SyncAttachment) throws {
    guard try has(attachment) || Self.size(source) == attachment.byteCount else { return }
    try attempt {
      try makeFolder()
      guard try !has(attachment) else { return try syncNames() }
      do { try FileManager.default.linkItem(at: source, to: file(attachment)) } catch {
        // The model released the file in the meantime, or another process linked it.
        guard try Self.size(source) != nil else { return }
        guard try has(attachment) else { throw error }
      }
      try syncNames()
    }
  }

  /// Copies an attachment from another folder, which keeps it.
  func take(_ attachment: SyncAttachment, from other: AttachmentFolder) throws {
    if try other.has(attachment) { try keep(other.file(attachment), as: attachment) }
  }

  /// Returns a portion of a complete attachment; nil when it isn't stored.
  ///
  /// - Throws: ``SyncError/Code/attachmentFolder``.
  package func portion(
    of attachment: SyncAttachment, from offset: Int, length: Int
  ) throws -> [UInt8]? {
    try has(attachment)
      ? Self.portion(of: file(attachment), from: offset, length: length) : nil
  }

  /// Returns a portion of a file; nil when it doesn't exist.
  ///
  /// - Throws: ``SyncError/Code/attachmentFolder`` when it can't be read.
  static func portion(of file: URL, from offset: Int, length: Int) throws -> [UInt8]? {
    try attempt(in: file.deletingLastPathComponent()) {
      let handle: FileHandle
      do { handle = try FileHandle(forReadingFrom: file) } catch {
        guard try size(file) != nil else { return nil }
        throw error
      }
      defer { try? handle.close() }
      try handle.seek(toOffset: UInt64(offset))
      return [UInt8](try handle.read(upToCount: length) ?? Data())
    }
  }

  /// Dates a complete attachment, so that other processes that sweep the folder see that it is needed.
  ///
  /// - Returns: The date as the folder has it; nil when the attachment isn't stored.
  func renew(_ attachment: SyncAttachment, at date: Date = .now) throws -> Date? {
    let file = file(attachment)
    return try attempt {
      do {
        try FileManager.default.setAttributes(
          [.modificationDate: date], ofItemAtPath: file.path)
      } catch {
        guard try Self.size(file) != nil else { return nil }
        throw error
      }
      return renewal(of: attachment)
    }
  }

  /// Returns the date of the last renewal of a complete attachment; nil when it isn't stored.
  func renewal(of attachment: SyncAttachment) -> Date? { Self.changeDate(of: file(attachment)) }

  /// Removes attachments that nobody has renewed since the given dates.
  func remove(renewedAt dates: [SyncAttachment: Date]) throws {
    for (attachment, date) in dates where renewal(of: attachment) == date {
      try attempt { try Self.remove(file(attachment)) }
    }
  }

  func remove(_ attachment: SyncAttachment) throws {
    for file in [file(attachment), part(attachment)] {
      try attempt { if try Self.size(file) != nil { try Self.remove(file) } }
    }
  }

  /// Removes a file, unless another process has removed it in the meantime.
  private static func remove(_ file: URL) throws {
    do { try FileManager.default.removeItem(at: file) } catch {
      guard try size(file) != nil else { return }
      throw error
    }
  }

  // MARK: Partial attachments

  /// Returns the number of stored bytes: all of them for a complete attachment. A partial file with all bytes, left by
  /// a process that was killed at that moment, is completed, or discarded if its bytes don't match the hash.
  package func offset(of attachment: SyncAttachment) throws -> Int {
    if try has(attachment) {
      try attempt { try syncNames() }
      return attachment.byteCount
    }
    let present = try Self.size(part(attachment)) ?? 0
    return present < attachment.byteCount ? present : try finished(attachment)
  }

  /// Turns a partial file that has all bytes into a complete attachment.
  ///
  /// - Returns: The number of stored bytes afterwards: 0 when the bytes didn't match the hash.
  private func finished(_ attachment: SyncAttachment) throws -> Int {
    let part = part(attachment)
    return try attempt {
      do {
        try Self.synchronize(part)
        guard try Self.name(of: part) == attachment.sha256 else {
          try remove(attachment)
          return 0
        }
        try Self.move(part, to: file(attachment))
      } catch {
        // Another process has completed the same attachment in the meantime.
        guard try has(attachment) else { throw error }
      }
      try syncNames()
      return attachment.byteCount
    }
  }

  /// Appends a portion.
  ///
  /// - Returns: The number of stored bytes; nothing is appended when the portion starts at another offset. 0 when the
  ///   portion exceeds the attachment's size, or when all bytes are present and don't match the hash: in both cases,
  ///   they are discarded.
  package func append(_ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int) throws -> Int
  {
    let present = try self.offset(of: attachment)
    guard present == offset, !bytes.isEmpty, present < attachment.byteCount else { return present }
    guard bytes.count <= attachment.byteCount - present else {
      try remove(attachment)
      return 0
    }
    let part = part(attachment)
    return try attempt {
      try makeFolder()
      if present == 0 { try Self.makeEmpty(part) }
      let handle = try FileHandle(forUpdating: part)
      defer { try? handle.close() }
      try handle.seek(toOffset: UInt64(present))
      try handle.write(contentsOf: Data(bytes))
      let count = present + bytes.count
      return count == attachment.byteCount ? try finished(attachment) : count
    }
  }

  private static func name(of file: URL) throws -> String {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    var name = ContentName()
    while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
      bytes.withUnsafeBytes { name.update($0) }
    }
    return name.text
  }

  private static func synchronize(_ file: URL) throws {
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    try handle.synchronize()
  }

  /// Moves a file, replacing an existing one.
  private static func move(_ file: URL, to other: URL) throws {
    guard rename(file.path, other.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: other.path])
    }
  }

  // MARK: Folder contents

  private func files() throws -> [URL] {
    try attempt {
      guard try FileSize.byteCount(folder.path) != nil else { return [] }
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
    }
  }

  var isEmpty: Bool { get throws { try files().isEmpty } }

  /// The size of all files in bytes. A partial file counts at least as much as the smallest attachment, so that a limit
  /// on the bytes also limits the number of files.
  var byteCount: Int {
    get throws {
      try files().reduce(0) { $0 + max(try Self.size($1) ?? 0, SyncAttachment.threshold) }
    }
  }

  /// Returns the size of an attachment's files as in ``byteCount``.
  func countedSize(of attachment: SyncAttachment) throws -> Int {
    try [file(attachment), part(attachment)].reduce(0) { sum, file in
      try sum + (Self.size(file).map { max($0, SyncAttachment.threshold) } ?? 0)
    }
  }

  /// Removes files that are no longer needed.
  ///
  /// - Parameters:
  ///   - wanted: The names of complete attachments to keep.
  ///   - date: Partial files that have grown since this date are kept too.
  ///   - renewal: Complete attachments that were renewed since this date are kept too.
  func sweep(
    keeping wanted: Set<String>, partsSince date: Date, completeSince renewal: Date = .distantFuture
  ) throws {
    for file in try files() where !wanted.contains(file.lastPathComponent) {
      let isPart = file.lastPathComponent.hasSuffix(Self.partEnding)
      if isPart || renewal < .distantFuture, !Self.isOlder(file, than: isPart ? date : renewal) {
        continue
      }
      try attempt { try Self.remove(file) }
    }
  }

  /// Removes files that haven't changed since a date, complete attachments included.
  func sweep(olderThan date: Date) throws {
    for file in try files() where Self.isOlder(file, than: date) {
      try attempt { try Self.remove(file) }
    }
  }

  private static func isOlder(_ file: URL, than date: Date) -> Bool {
    changeDate(of: file).map { $0 < date } ?? false
  }

  private static func changeDate(of file: URL) -> Date? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return attributes?[.modificationDate] as? Date
  }
}
