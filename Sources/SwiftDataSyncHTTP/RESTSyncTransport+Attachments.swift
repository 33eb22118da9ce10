import SwiftDataSync

/// Transfers attachments through the contract's three endpoints, if the server has them. There, an object's entity is
/// the path of its resource: names of classes are of no concern to the server.
extension RESTSyncTransport: SyncAttachmentTransport {
  public var transfersAttachments: Bool { attachments != nil }

  public func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    // A resource that is only read rejects the change itself.
    let references = references.compactMap(onServer)
    guard !references.isEmpty else { return [:] }
    return try await endpoints().missing(references, client: client)
  }

  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await endpoints().upload(bytes, of: attachment, at: offset)
  }

  public func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    guard let reference = onServer(reference) else { return nil }
    return try await endpoints().download(reference, from: offset, length: length)
  }

  private func endpoints() throws -> AttachmentEndpoints {
    guard let attachments else {
      throw SyncFailure(.refused, "\(exchange.address) takes no attachments")
    }
    return AttachmentEndpoints(exchange: exchange, path: "/" + attachments, reason: reason)
  }

  private func onServer(_ reference: SyncAttachmentReference) -> SyncAttachmentReference? {
    guard
      let resource = resources.first(where: { $0.entity == reference.object.entity })
    else { return nil }
    var reference = reference
    reference.object.entity = resource.path
    return reference
  }
}
