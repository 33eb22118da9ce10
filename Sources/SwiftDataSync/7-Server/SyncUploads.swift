import ContentFiles
import Foundation

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

/// The attachments that users have sent to a server and that no object has yet, as files in a folder for each user.
///
/// A user who knows the SHA-256 of another user's bytes gets nothing by it: each user's uploads are separate.
public struct SyncUploads: Sendable {
  private let folder: AttachmentFolder
  private let limits: SyncAttachmentLimits

  /// Creates the uploads of a server.
  ///
  /// - Parameters:
  ///   - folder: The folder, which is created when the first portion arrives; nil creates a temporary one.
  ///   - limits: The limits on the sizes and ages of uploads.
  public init(_ folder: URL?, limits: SyncAttachmentLimits = SyncAttachmentLimits()) {
    let place =
      folder
      ?? FileManager.default.temporaryDirectory.appending(
        path: "OpenSwiftData-\(UUID().uuidString)", directoryHint: .isDirectory)
    self.init(AttachmentFolder(place, isTemporary: folder == nil), limits)
  }

  init(_ folder: AttachmentFolder, _ limits: SyncAttachmentLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// Returns the folder of a user's uploads. The user's name is hashed: it may be any text, including one that isn't a
  /// valid folder name.
  func folder(of user: String) -> AttachmentFolder {
    folder.inner(ContentName.text(of: Array(user.utf8)))
  }

  /// The oldest modification date of uploads that are kept.
  var oldest: Date { Date.now.addingTimeInterval(-limits.pendingAge) }

  /// Returns the attachments that a user has to send before their objects, with the number of bytes already sent.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes.
  ///   - user: The authenticated user of the request.
  ///   - stored: Returns those of the given references whose objects have the attachment, and that the user may read.
  /// - Throws: ``SyncFailure`` for too many references, ``SyncError`` when the folder can't be used.
  public func missing(
    _ references: [SyncAttachmentReference], user: String,
    stored: ([SyncAttachmentReference]) throws -> Set<SyncAttachmentReference>
  ) throws -> [SyncAttachment: Int] {
    guard references.count <= SyncServer.maximumPush else {
      throw SyncFailure(.tooLarge, "More than \(SyncServer.maximumPush) attachments at once")
    }
    let sent = folder(of: user)
    let unsent = try references.compactMap { reference in
      let offset = try sent.offset(of: reference.attachment)
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
    let sent = folder(of: user)
    try sent.sweep(olderThan: oldest)
    guard sent.byteCount + bytes.count <= limits.maximumPendingByteCount else {
      throw SyncFailure(
        .throttled(after: .seconds(60)),
        "The user has sent too many attachments without their objects")
    }
    return try sent.append(bytes, to: attachment, at: offset)
  }

  /// Returns the bytes of a complete upload; nil when not all of them have arrived.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - user: The user who sent it.
  /// - Throws: ``SyncError`` when the folder can't be used.
  public func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]? {
    try folder(of: user).bytes(of: attachment)
  }

  /// Removes an upload that an object has, or that the server rejects.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - user: The user who sent it.
  /// - Throws: ``SyncError`` when the folder can't be used.
  public func remove(_ attachment: SyncAttachment, user: String) throws {
    try folder(of: user).remove(attachment)
  }
}
