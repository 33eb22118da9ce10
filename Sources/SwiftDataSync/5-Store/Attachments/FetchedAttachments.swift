import Foundation
import Synchronization

/// The folder of an engine's attachments with those that the engine has fetched for a page which isn't stored yet.
///
/// No table names these, so an engine of another process would remove them. They are dated ahead, and every engine
/// leaves such files alone until their date. Those of a killed process are removed after it.
final class FetchedAttachments: Sendable {
  private let folder: AttachmentFolder
  /// The fetched attachments, with the dates that their files were given.
  private let dates = Mutex<[SyncAttachment: Date]>([:])
  /// The time in seconds from the end of a fetch to the date of its file: longer than a page waits for its other
  /// attachments.
  private static let lead: Double = 3_600

  init(_ folder: AttachmentFolder) { self.folder = folder }

  /// See ``AttachmentFolder/offset(of:)``.
  func offset(of attachment: SyncAttachment) throws -> Int {
    try noting(attachment, folder.offset(of: attachment))
  }

  /// See ``AttachmentFolder/portion(of:from:length:)``.
  func portion(
    of attachment: SyncAttachment, from offset: Int, length: Int
  ) throws -> [UInt8]? { try folder.portion(of: attachment, from: offset, length: length) }

  /// See ``AttachmentFolder/append(_:to:at:)``.
  func append(_ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int) throws -> Int {
    try noting(attachment, folder.append(bytes, to: attachment, at: offset))
  }

  private func noting(_ attachment: SyncAttachment, _ count: Int) throws -> Int {
    guard count == attachment.byteCount else { return count }
    let date = try folder.renew(attachment, at: Date.now.addingTimeInterval(Self.lead))
    dates.withLock { $0[attachment] = date }
    return count
  }

  /// Removes the fetched attachments, unless another engine has fetched them since, and dates those to keep as others.
  ///
  /// - Parameter wanted: The names of the attachments to keep.
  func release(keeping wanted: Set<String>) throws {
    let fetched = dates.withLock { dates in
      defer { dates = [:] }
      return dates
    }
    try folder.remove(renewedAt: fetched.filter { !wanted.contains($0.key.sha256) })
    for (attachment, date) in fetched where wanted.contains(attachment.sha256) {
      guard folder.renewal(of: attachment) == date else { continue }
      _ = try folder.renew(attachment)
    }
  }
}
