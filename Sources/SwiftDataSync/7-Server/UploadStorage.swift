import ContentFiles
import Foundation
import Synchronization

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
  private let sizes = UploadSizes()

  init(folder: AttachmentFolder) { self.folder = folder }

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
    // Examining all of a user's files takes long when they are many; a refused client waits as long as a size is used.
    var size = sizes.size(of: user, limits)
    if size == nil {
      try sent.sweep(olderThan: limits.oldest)
      size = try sent.byteCount
      sizes.note(size ?? 0, of: user)
    }
    guard let size, size <= limits.maximumPendingByteCount - bytes.count else { return nil }
    let before = try sent.countedSize(of: attachment)
    let count = try sent.append(bytes, to: attachment, at: offset)
    sizes.add(try sent.countedSize(of: attachment) - before, of: user)
    return count
  }

  func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]? {
    try folder(of: user).bytes(of: attachment)
  }

  func copy(_ attachment: SyncAttachment, user: String, to folder: AttachmentFolder) throws -> Bool
  {
    let sent = self.folder(of: user)
    guard try !sent.discardModified(attachment) else { return false }
    try folder.take(attachment, from: sent)
    return try folder.has(attachment)
  }

  func remove(_ attachments: [SyncAttachment], user: String) throws {
    let sent = folder(of: user)
    defer { sizes.forget(user) }
    for attachment in attachments { try sent.remove(attachment) }
  }
}

/// The sizes of users' uploads, as they were when a user's folder was last examined, and with what was appended since.
private final class UploadSizes: Sendable {
  private struct Size {
    var byteCount: Int
    let date: ContinuousClock.Instant
  }

  /// The longest time in seconds during which a size is used: servers of other processes append, too.
  private static let maximumAge: Double = 60
  /// The maximum number of users whose sizes are kept.
  private static let maximumCount = 10_000
  private let sizes = Mutex<[String: Size]>([:])

  /// Returns the size of a user's uploads; nil when the folder is to be examined.
  func size(of user: String, _ limits: SyncAttachmentLimits) -> Int? {
    let age = min(Self.maximumAge, limits.pendingAge)
    return sizes.withLock { sizes in
      guard let size = sizes[user], size.date.duration(to: .now) < .seconds(age) else { return nil }
      return size.byteCount
    }
  }

  func note(_ byteCount: Int, of user: String) {
    sizes.withLock { sizes in
      if sizes.count >= Self.maximumCount { sizes = [:] }
      sizes[user] = Size(byteCount: byteCount, date: .now)
    }
  }

  func add(_ byteCount: Int, of user: String) {
    sizes.withLock { sizes in
      guard var size = sizes[user] else { return }
      size.byteCount += byteCount
      sizes[user] = size
    }
  }

  func forget(_ user: String) { sizes.withLock { $0[user] = nil } }
}
