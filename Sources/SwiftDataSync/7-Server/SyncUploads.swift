import Foundation
import SwiftDataCore

/// Answers clients' requests about attachments: a ``SyncServer``, or a server with storage of its own, such as one with
/// REST resources.
public protocol SyncAttachmentServer: Sendable {
  /// Returns the attachments that a user has to send before their objects, with the number of bytes already sent.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes.
  ///   - user: The authenticated user of the request.
  /// - Throws: ``SyncFailure`` for a request that can't be processed.
  func missing(
    _ references: [SyncAttachmentReference], user: String
  ) async throws -> [SyncAttachment: Int]

  /// Receives a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: The attachment that the portion belongs to.
  ///   - offset: The offset of the portion, in bytes.
  ///   - user: The authenticated user of the request.
  /// - Returns: The number of bytes that the user has sent so far.
  /// - Throws: ``SyncFailure`` for an attachment that the server rejects.
  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) async throws -> Int

  /// Returns a portion of an attachment.
  ///
  /// - Parameters:
  ///   - reference: The attachment and its object.
  ///   - offset: The offset of the portion, in bytes.
  ///   - length: The maximum number of bytes.
  ///   - user: The authenticated user of the request.
  /// - Returns: nil when the user may not read the object, when it doesn't exist, and when it has another value.
  func attachment(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, user: String
  ) async throws -> [UInt8]?
}

extension SyncServer: SyncAttachmentServer {}

/// The attachments that users have sent to a server and that no object has yet.
///
/// A user who knows the SHA-256 of another user's bytes gets nothing by it: each user's uploads are separate.
public struct SyncUploads: Sendable {
  private let storage: any UploadStorage
  private let limits: SyncAttachmentLimits

  /// Creates the uploads of a server, as files in a folder for each user.
  ///
  /// - Parameters:
  ///   - folder: The folder, which is created when the first portion arrives; nil creates a temporary one.
  ///   - limits: The limits on the sizes and ages of uploads.
  public init(_ folder: URL?, limits: SyncAttachmentLimits = SyncAttachmentLimits()) {
    let place =
      folder
      ?? FileManager.default.temporaryDirectory.appending(
        path: "OpenSwiftData-\(UUID().uuidString)", directoryHint: .isDirectory)
    storage = FolderUploads(folder: AttachmentFolder(place, isTemporary: folder == nil))
    self.limits = limits
  }

  /// Creates the uploads of a server of a store: beside its file, or in the store if it has none.
  init(of store: any KeyedRowStore, _ limits: SyncAttachmentLimits) throws {
    storage =
      store.supportFolder == nil
      ? try TableUploads(store)
      : FolderUploads(folder: AttachmentFolder(besides: store, name: "sync-incoming"))
    self.limits = limits
  }

  /// The oldest date of a last portion with which uploads are kept.
  var oldest: Date { limits.oldest }

  /// Returns the attachments that a user has to send before their objects, with the number of bytes already sent.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes.
  ///   - user: The authenticated user of the request.
  ///   - stored: Returns those of the given references whose objects have the attachment, and that the user may read.
  /// - Throws: ``SyncFailure`` for too many references, ``SyncError`` when they can't be read or written.
  public func missing(
    _ references: [SyncAttachmentReference], user: String,
    stored: ([SyncAttachmentReference]) throws -> Set<SyncAttachmentReference>
  ) throws -> [SyncAttachment: Int] {
    guard references.count <= SyncServer.maximumPush else {
      throw SyncFailure(.tooLarge, "More than \(SyncServer.maximumPush) attachments at once")
    }
    let offsets = try storage.offsets(of: references.map(\.attachment), user: user)
    let unsent = references.compactMap { reference in
      let offset = offsets[reference.attachment] ?? 0
      return offset == reference.attachment.byteCount ? nil : (reference: reference, offset: offset)
    }
    let stored = try stored(unsent.map(\.reference))
    var missing: [SyncAttachment: Int] = [:]
    for (reference, offset) in unsent where !stored.contains(reference) {
      missing[reference.attachment] = offset
    }
    return missing
  }

  /// Receives a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: The attachment that the portion belongs to.
  ///   - offset: The offset of the portion, in bytes.
  ///   - user: The authenticated user of the request.
  /// - Returns: The number of bytes that the user has sent so far. The portion is ignored when it starts at another
  ///   offset. 0 when it exceeds the attachment's size, or when all bytes were present and didn't match the hash.
  /// - Throws: ``SyncFailure`` for an attachment that is too large, and when the user has sent too many bytes that no
  ///   object has; ``SyncError`` when the bytes can't be stored.
  public func receive(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) throws -> Int {
    guard attachment.byteCount <= limits.maximumByteCount else {
      throw SyncFailure(
        .tooLarge, "The server takes no attachment of more than \(limits.maximumByteCount) bytes")
    }
    let count = try storage.append(
      bytes, to: attachment, at: offset, user: user, limits: limits)
    guard let count else {
      throw SyncFailure(
        .throttled(after: .seconds(60)),
        "The user has sent too many attachments without their objects")
    }
    return count
  }

  /// Returns the bytes of a complete upload; nil when not all of them have arrived.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - user: The user who sent it.
  /// - Throws: ``SyncError`` when they can't be read or written.
  public func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]? {
    try storage.bytes(of: attachment, user: user)
  }

  /// Removes an upload that an object has, or that the server rejects.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - user: The user who sent it.
  /// - Throws: ``SyncError`` when they can't be read or written.
  public func remove(_ attachment: SyncAttachment, user: String) throws {
    try remove([attachment], user: user)
  }

  func remove(_ attachments: [SyncAttachment], user: String) throws {
    try storage.remove(attachments, user: user)
  }

  /// Returns those attachments that are complete.
  func complete(_ attachments: [SyncAttachment], user: String) throws -> Set<SyncAttachment> {
    let offsets = try storage.offsets(of: attachments, user: user)
    return Set(offsets.lazy.filter { $0.value == $0.key.byteCount }.map(\.key))
  }

  /// Copies complete uploads to a folder of attachments.
  ///
  /// - Returns: False when one of them isn't there any more, or its bytes were modified.
  func copy(
    _ attachments: Set<SyncAttachment>, user: String, to folder: AttachmentFolder
  ) throws -> Bool {
    try attachments.allSatisfy { try storage.copy($0, user: user, to: folder) }
  }
}
