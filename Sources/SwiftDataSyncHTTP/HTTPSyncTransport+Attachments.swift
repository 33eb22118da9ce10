import SwiftDataSync

/// Transfers attachments through the contract's three endpoints below `…/attachments`.
extension HTTPSyncTransport: SyncAttachmentTransport {
  private var endpoints: AttachmentEndpoints {
    AttachmentEndpoints(
      exchange: exchange, path: "/attachments", fields: [("sync-contract", SyncContract.version)])
  }

  public func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await endpoints.missing(references, client: client)
  }

  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await endpoints.upload(bytes, of: attachment, at: offset)
  }

  public func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try await endpoints.download(reference, from: offset, length: length)
  }
}
