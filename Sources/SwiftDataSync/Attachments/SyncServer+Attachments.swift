import Foundation
import SwiftData

/// Attachments: what a user has sent stays apart until he pushes an object that has it. Who knows the SHA-256 of
/// somebody else's bytes gets neither the bytes nor an answer that tells whether the server has them.
extension SyncServer {
  /// Which attachments a user has to send before he pushes their objects.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes.
  ///   - user: Whom the request was found to come from.
  /// - Returns: Those that he hasn't sent and his objects here don't have, with how many bytes he has sent already.
  /// - Throws: ``SyncFailure`` for a request that can't be answered, the store's error.
  public func missing(
    _ references: [SyncAttachmentReference], user: String
  ) throws -> [SyncAttachment: Int] {
    guard references.count <= Self.maximumPush else {
      throw SyncFailure(.tooLarge, "More than \(Self.maximumPush) attachments at once")
    }
    let sent = incoming.inner(of: user)
    var missing: [SyncAttachment: Int] = [:]
    for reference in references {
      let offset = try sent.offset(of: reference.attachment)
      if offset == reference.attachment.byteCount { continue }
      if try isStored(reference, for: user) { continue }
      missing[reference.attachment] = offset
    }
    return missing
  }

  /// Takes a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: What it is a part of.
  ///   - offset: Where it begins.
  ///   - user: Whom the request was found to come from.
  /// - Returns: How many bytes he has sent now. The portion isn't taken when it begins elsewhere. 0 when all bytes were
  ///   there and aren't what the name says.
  /// - Throws: ``SyncFailure`` for an attachment that is too large, and when the user has sent too much that no object
  ///   has; ``SyncError`` when it can't be kept.
  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) throws -> Int {
    guard attachment.byteCount <= attachmentLimits.maximumByteCount else {
      throw SyncFailure(
        .tooLarge,
        "The server takes no attachment of more than \(attachmentLimits.maximumByteCount) bytes")
    }
    let sent = incoming.inner(of: user)
    try sent.sweep(olderThan: oldest)
    guard sent.byteCount + bytes.count <= attachmentLimits.maximumPendingByteCount else {
      throw SyncFailure(
        .throttled(after: .seconds(60)),
        "The user has sent too many attachments without their objects")
    }
    return try sent.append(bytes, to: attachment, at: offset)
  }

  /// A portion of an attachment.
  ///
  /// - Parameters:
  ///   - reference: The attachment and its object.
  ///   - offset: Where the portion begins.
  ///   - length: How many bytes at most.
  ///   - user: Whom the request was found to come from.
  /// - Returns: nil when the user may not see the object, when it isn't there, and when it has another value.
  /// - Throws: the store's error.
  public func attachment(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, user: String
  ) throws -> [UInt8]? {
    let reference = canonical(reference)
    guard try mayRead(reference.object, user) else { return nil }
    return try storage.access.portion(of: reference, from: offset, length: length)
  }

  private func canonical(_ reference: SyncAttachmentReference) -> SyncAttachmentReference {
    var reference = reference
    reference.object = storage.canonical(reference.object)
    return reference
  }

  /// Whether the object has it already, and the user may see that.
  private func isStored(_ reference: SyncAttachmentReference, for user: String) throws -> Bool {
    try attachment(reference, from: 0, length: 1, user: user) != nil
  }

  // MARK: With a push

  /// Makes ready what changes have.
  ///
  /// - Returns: False when some of it isn't there: then the push has to wait for it.
  func receive(_ changes: [SyncChange], client: String, user: String) throws -> Bool {
    let references = changes.flatMap { change in
      storage.access.references(in: change.values, of: storage.canonical(change.object))
        .map { (change: change.id, reference: $0) }
    }
    guard !references.isEmpty, let attachments = storage.access.attachments else { return true }
    let sent = incoming.inner(of: user)
    let answered = try ledger.remembered(Set(references.map(\.change)), client: client, user: user)
    for (change, reference) in references where !answered.contains(change) {
      if sent.has(reference.attachment) {
        try attachments.take(reference.attachment, from: sent)
      } else if try !isStored(reference, for: user) {
        return false
      }
    }
    return true
  }

  /// When what waits still must have been touched last.
  private var oldest: Date { Date.now.addingTimeInterval(-attachmentLimits.pendingAge) }

  /// Forgets what was sent and has its object now.
  func release(
    _ changes: [SyncChange], _ outcomes: [String: SyncOutcome], user: String
  ) throws {
    guard let attachments = storage.access.attachments else { return }
    let sent = incoming.inner(of: user)
    for change in changes {
      guard case .accepted = outcomes[change.id] else { continue }
      for reference in storage.access.references(in: change.values, of: change.object) {
        try sent.remove(reference.attachment)
      }
    }
    if !attachments.isEmpty { try attachments.sweep(keeping: [], partsSince: oldest) }
  }
}

extension AttachmentFolder {
  /// What a user has sent. His name is hashed: it may be anything, and no folder's name.
  fileprivate func inner(of user: String) -> AttachmentFolder {
    inner(AttachmentHash.name(of: Array(user.utf8)))
  }
}

extension LocalSyncTransport: SyncAttachmentTransport {
  public func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await server.missing(references, user: user)
  }

  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await server.upload(bytes, of: attachment, at: offset, user: user)
  }

  public func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try await server.attachment(reference, from: offset, length: length, user: user)
  }
}
