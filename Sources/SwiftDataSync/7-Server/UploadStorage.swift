import ContentFiles
import Foundation

/// The storage of attachments that users have sent and that no object has yet. Each user's are separate.
protocol UploadStorage: Sendable {
  /// Returns the number of bytes of each attachment that have arrived: all of them once they are known to match the
  /// hash.
  func offsets(of attachments: [SyncAttachment], user: String) throws -> [SyncAttachment: Int]

  /// Appends a portion, after uploads that are too old have been removed.
  ///
  /// - Returns: The number of stored bytes; nothing is appended when the portion starts at another offset. 0 when the
  ///   portion exceeds the attachment's size, or when all bytes are present and don't match the hash: in both cases,
  ///   they are discarded. nil when the user's uploads would have more bytes than the limits allow.
  func append(
    _ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int, user: String,
    limits: SyncAttachmentLimits
  ) throws -> Int?

  /// Returns the bytes of a complete upload; nil when not all of them have arrived.
  func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]?

  /// Copies a complete upload to a folder of attachments.
  ///
  /// - Returns: False when it isn't there any more, or its bytes were modified.
  func copy(_ attachment: SyncAttachment, user: String, to folder: AttachmentFolder) throws -> Bool

  func remove(_ attachments: [SyncAttachment], user: String) throws
}

extension SyncAttachmentLimits {
  /// The oldest date of a last portion with which uploads are kept.
  var oldest: Date { Date.now.addingTimeInterval(-pendingAge) }
}

/// Uploads as files, in a folder for each user.
struct FolderUploads: UploadStorage {
  let folder: AttachmentFolder

  /// Returns the folder of a user's uploads. The user's name is hashed: it may be any text, including one that isn't a
  /// valid folder name.
  private func folder(of user: String) -> AttachmentFolder {
    folder.inner(ContentName.text(of: Array(user.utf8)))
  }

  func offsets(of attachments: [SyncAttachment], user: String) throws -> [SyncAttachment: Int] {
    let sent = folder(of: user)
    return try attachments.reduce(into: [:]) { $0[$1] = try sent.offset(of: $1) }
  }

  func append(
    _ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int, user: String,
    limits: SyncAttachmentLimits
  ) throws -> Int? {
    let sent = folder(of: user)
    try sent.sweep(olderThan: limits.oldest)
    guard try sent.byteCount + bytes.count <= limits.maximumPendingByteCount else { return nil }
    return try sent.append(bytes, to: attachment, at: offset)
  }

  func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]? {
    try folder(of: user).bytes(of: attachment)
  }

  func copy(_ attachment: SyncAttachment, user: String, to folder: AttachmentFolder) throws -> Bool
  {
    try folder.take(attachment, from: self.folder(of: user))
    return try folder.has(attachment)
  }

  func remove(_ attachments: [SyncAttachment], user: String) throws {
    let sent = folder(of: user)
    for attachment in attachments { try sent.remove(attachment) }
  }
}
