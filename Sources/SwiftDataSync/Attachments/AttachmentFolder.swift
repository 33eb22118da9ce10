import Foundation
import SwiftData
import SwiftDataSQLite
import Synchronization

/// Attachments on their way: whole ones and the beginnings of others, as files in a folder of their own.
///
/// A file's name is the SHA-256 of its bytes, so who writes one twice writes the same. Nothing that is in a folder counts
/// before its bytes have been hashed.
package final class AttachmentFolder: Sendable {
  private let folder: URL
  private let isTemporary: Bool
  /// Whether this object has made sure that the folder's own name is on the disk.
  private let isDurable = Atomic<Bool>(false)
  private static let partEnding = ".part"

  package init(_ folder: URL, isTemporary: Bool = false) {
    self.folder = folder
    self.isTemporary = isTemporary
  }

  /// The folder beside a store; for a store in memory one that goes with this object.
  ///
  /// - Parameter name: What it is for.
  convenience init(besides configuration: ModelConfiguration, name: String) {
    guard !configuration.isStoredInMemoryOnly else {
      self.init(
        FileManager.default.temporaryDirectory.appending(
          path: "OpenSwiftData-\(UUID().uuidString)"),
        isTemporary: true)
      return
    }
    let store = configuration.resolvedURL
    self.init(
      store.deletingLastPathComponent()
        .appending(path: ".\(store.lastPathComponent)_SUPPORT", directoryHint: .isDirectory)
        .appending(path: name, directoryHint: .isDirectory))
  }

  /// A folder in this one.
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

  static func size(_ file: URL) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  /// - Throws: ``SyncError/Code/attachmentFolder``.
  private func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SyncError { throw error } catch {
      throw SyncError(
        .attachmentFolder,
        "Attachments can't be kept in \(folder.path): \(error.localizedDescription). Make room, or make the"
          + " folder writable, and try again.")
    }
  }

  /// The folders between the one of the store and this one, itself included: who made them may have been killed before
  /// they were synced.
  private static let levels = 3

  /// Makes the folder, and those above it that aren't there, for nobody but the owner.
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

  /// Brings the names in the folder to the disk: the bytes alone don't find themselves after a loss of power.
  private func syncNames() throws { try DurableFolder.sync(folder.path) }

  /// Makes an empty file that nobody but the owner may read, or empties the one that is there.
  private static func makeEmpty(_ file: URL) throws {
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data(), attributes: [.posixPermissions: 0o600])
    else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
  }

  // MARK: Whole attachments

  /// Whether there is a file with as many bytes; what is in it is seen when it is read.
  package func has(_ attachment: SyncAttachment) -> Bool {
    Self.size(file(attachment)) == attachment.byteCount
  }

  /// - Returns: nil when it isn't there. One that was changed is removed and isn't there.
  package func bytes(of attachment: SyncAttachment) throws -> [UInt8]? {
    guard has(attachment) else { return nil }
    let bytes = try attempt { [UInt8](try Data(contentsOf: file(attachment))) }
    guard SyncAttachment(of: bytes) == attachment else {
      try remove(attachment)
      return nil
    }
    return bytes
  }

  /// Keeps bytes under their name, durably.
  package func keep(_ bytes: [UInt8], as attachment: SyncAttachment) throws {
    try attempt {
      try makeFolder()
      // Whoever has made it may have been killed before its name was synced.
      guard !has(attachment) else { return try syncNames() }
      // Where a beginning of the same bytes may be: who begins again writes over it.
      let new = part(attachment)
      do {
        try Self.makeEmpty(new)
        let handle = try FileHandle(forUpdating: new)
        defer { try? handle.close() }
        try handle.write(contentsOf: Data(bytes))
        try handle.synchronize()
        try Self.move(new, to: file(attachment))
      } catch {
        // Somebody else has just done the same.
        guard !has(attachment) else { return try syncNames() }
        throw error
      }
      try syncNames()
    }
  }

  /// Keeps a file that never changes, under the name of its bytes.
  package func keep(_ source: URL, as attachment: SyncAttachment) throws {
    guard has(attachment) || Self.size(source) == attachment.byteCount else { return }
    try attempt {
      try makeFolder()
      guard !has(attachment) else { return try syncNames() }
      do { try FileManager.default.linkItem(at: source, to: file(attachment)) } catch {
        // Given up by its model in between, or linked by somebody else.
        guard Self.size(source) != nil else { return }
        guard has(attachment) else { throw error }
      }
      try syncNames()
    }
  }

  /// Takes an attachment over that another folder has; it has it afterwards too.
  func take(_ attachment: SyncAttachment, from other: AttachmentFolder) throws {
    if other.has(attachment) { try keep(other.file(attachment), as: attachment) }
  }

  /// A portion of a whole attachment; nil when it isn't there.
  package func portion(of attachment: SyncAttachment, from offset: Int, length: Int) -> [UInt8]? {
    has(attachment) ? Self.portion(of: file(attachment), from: offset, length: length) : nil
  }

  /// A portion of a file; nil when it can't be read.
  static func portion(of file: URL, from offset: Int, length: Int) -> [UInt8]? {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
    defer { try? handle.close() }
    guard (try? handle.seek(toOffset: UInt64(offset))) != nil,
      let data = try? handle.read(upToCount: length)
    else { return nil }
    return [UInt8](data)
  }

  func remove(_ attachment: SyncAttachment) throws {
    for file in [file(attachment), part(attachment)] {
      try attempt {
        if Self.size(file) != nil { try FileManager.default.removeItem(at: file) }
      }
    }
  }

  // MARK: Beginnings

  /// How many bytes of it are there: all of them for a whole one. A beginning that has all of them, left by who was
  /// killed at that moment, is made a whole one, or thrown away when they aren't what the name says.
  package func offset(of attachment: SyncAttachment) throws -> Int {
    if has(attachment) {
      try attempt { try syncNames() }
      return attachment.byteCount
    }
    let present = Self.size(part(attachment)) ?? 0
    return present < attachment.byteCount ? present : try finished(attachment)
  }

  /// Makes a beginning that has all bytes a whole attachment.
  ///
  /// - Returns: How many bytes are there then: 0 when they weren't what the name says.
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
        // Somebody else has just done the same.
        guard has(attachment) else { throw error }
      }
      try syncNames()
      return attachment.byteCount
    }
  }

  /// Adds a portion.
  ///
  /// - Returns: How many bytes are there now; nothing is added when the portion begins elsewhere. 0 when they are all
  ///   there and aren't what the name says: they are thrown away.
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
    var hash = AttachmentHash()
    while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
      bytes.withUnsafeBytes { hash.update($0) }
    }
    return hash.name
  }

  private static func synchronize(_ file: URL) throws {
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    try handle.synchronize()
  }

  /// Moves a file, over one that is there.
  private static func move(_ file: URL, to other: URL) throws {
    guard rename(file.path, other.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: other.path])
    }
  }

  // MARK: The whole folder

  private func files() -> [URL] {
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
  }

  var isEmpty: Bool { files().isEmpty }

  /// How many bytes all files have. A beginning counts as the smallest attachment at least, so that a bound on the bytes
  /// bounds the number of files too.
  var byteCount: Int {
    files().reduce(0) { $0 + max(Self.size($1) ?? 0, SyncAttachment.threshold) }
  }

  /// Removes what nobody wants any more.
  ///
  /// - Parameters:
  ///   - wanted: The names of whole attachments that stay.
  ///   - date: Beginnings that have grown since stay too.
  func sweep(keeping wanted: Set<String>, partsSince date: Date) throws {
    for file in files() where !wanted.contains(file.lastPathComponent) {
      if file.lastPathComponent.hasSuffix(Self.partEnding), !Self.isOlder(file, than: date) {
        continue
      }
      try attempt { try FileManager.default.removeItem(at: file) }
    }
  }

  /// Removes what hasn't been touched since, whole attachments too.
  func sweep(olderThan date: Date) throws {
    for file in files() where Self.isOlder(file, than: date) {
      try attempt { try FileManager.default.removeItem(at: file) }
    }
  }

  private static func isOlder(_ file: URL, than date: Date) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard let changed = attributes?[.modificationDate] as? Date else { return false }
    return changed < date
  }
}
