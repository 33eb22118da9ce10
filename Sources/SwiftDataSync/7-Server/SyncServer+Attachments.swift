import Foundation
import SwiftDataCore

/// Stores a user's uploaded attachments separately until the user pushes an object that has them. A user who knows the
/// SHA-256 of another user's bytes receives neither the bytes nor a response that reveals whether the server has them.
extension SyncServer {
  /// Returns the attachments that a user has to send before pushing their objects.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes.
  ///   - user: The authenticated user of the request.
  /// - Returns: The attachments that the user hasn't sent and that the user's objects here don't have, with the number
  ///   of bytes already sent.
  /// - Throws: ``SyncFailure`` for a request that can't be processed, or the store's error.
  public func missing(
    _ references: [SyncAttachmentReference], user: String
  ) throws -> [SyncAttachment: Int] {
    try uploads.missing(references, user: user) { try stored($0, for: user) }
  }

  /// Receives a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: The attachment that the portion belongs to.
  ///   - offset: The offset of the portion.
  ///   - user: The authenticated user of the request.
  /// - Returns: The number of bytes that the user has sent so far. The portion is ignored when it starts at another
  ///   offset. 0 when it exceeds the attachment's size, or when all bytes were present and didn't match the hash.
  /// - Throws: ``SyncFailure`` for an attachment that is too large, and when the user has sent too many bytes that no
  ///   object has; ``SyncError`` when the bytes can't be stored.
  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) throws -> Int {
    try uploads.receive(bytes, of: attachment, at: offset, user: user)
  }

  /// Returns a portion of an attachment.
  ///
  /// - Parameters:
  ///   - reference: The attachment and its object.
  ///   - offset: The offset of the portion.
  ///   - length: The maximum number of bytes.
  ///   - user: The authenticated user of the request.
  /// - Returns: nil when the user may not read the object, when it doesn't exist, and when it has another value.
  /// - Throws: The store's error.
  public func attachment(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, user: String
  ) throws -> [UInt8]? {
    let reference = canonical(reference)
    guard try !ledger.readable([reference.object], user: user).isEmpty else { return nil }
    return try storage.access.portion(of: reference, from: offset, length: length)
  }

  private func canonical(_ reference: SyncAttachmentReference) -> SyncAttachmentReference {
    var reference = reference
    reference.object = storage.canonical(reference.object)
    return reference
  }

  /// Returns the references whose objects already have the attachment and that the user may read.
  private func stored(
    _ references: [SyncAttachmentReference], for user: String
  ) throws -> Set<SyncAttachmentReference> {
    guard !references.isEmpty else { return [] }
    let canonical = references.map { (given: $0, reference: self.canonical($0)) }
    let readable = try ledger.readable(Set(canonical.map(\.reference.object)), user: user)
    let present = try storage.access.present(
      canonical.map(\.reference).filter { readable.contains($0.object) })
    return Set(canonical.lazy.filter { present.contains($0.reference) }.map(\.given))
  }

  // MARK: Pushing

  /// Prepares the attachments of changes.
  ///
  /// - Returns: False when an attachment is missing: the push has to wait for it.
  func receive(_ changes: [SyncChange], client: String, user: String) throws -> Bool {
    let references = changes.flatMap { change in
      storage.access.references(in: change.values, of: storage.canonical(change.object))
        .map { (change: change.id, reference: $0) }
    }
    guard !references.isEmpty, let attachments = storage.access.attachments else { return true }
    let answered = try ledger.remembered(Set(references.map(\.change)), client: client, user: user)
    let new = references.filter { !answered.contains($0.change) }.map(\.reference)
    let sent = try uploads.complete(new.map(\.attachment), user: user)
    let unsent = new.filter { !sent.contains($0.attachment) }
    guard try stored(unsent, for: user).isSuperset(of: unsent) else { return false }
    // Those that are there already may be another server's.
    let own = sent.filter { attachment in
      attachments.renewal(of: attachment).map { $0 == taken[attachment] } ?? true
    }
    guard try uploads.copy(sent, user: user, to: attachments) else { return false }
    for attachment in sent {
      guard let date = try attachments.renew(attachment) else { return false }
      taken[attachment] = own.contains(attachment) ? date : nil
    }
    return true
  }

  /// The time in seconds after which attachments are removed that several servers or a killed process took from the
  /// uploads: longer than a push takes.
  private static let maximumPushAge: Double = 3_600

  /// Removes uploads that an accepted object now has.
  func release(
    _ changes: [SyncChange], _ outcomes: [String: SyncOutcome], user: String
  ) throws {
    guard let attachments = storage.access.attachments else { return }
    var accepted: [SyncAttachment] = []
    for change in changes {
      guard case .accepted = outcomes[change.id] else { continue }
      accepted += storage.access.references(in: change.values, of: change.object)
        .map(\.attachment)
    }
    try uploads.remove(accepted, user: user)
    try attachments.remove(renewedAt: taken)
    taken = [:]
    guard try !attachments.isEmpty else { return }
    try attachments.sweep(
      keeping: [], partsSince: uploads.oldest,
      completeSince: Date.now.addingTimeInterval(-Self.maximumPushAge))
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
