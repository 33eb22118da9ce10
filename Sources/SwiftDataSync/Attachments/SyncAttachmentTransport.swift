/// A transport that carries attachments apart from the values.
///
/// With a transport that doesn't, large values go among the others, in Base64. Every call may be repeated. An engine fetches
/// up to four attachments at the same time.
public protocol SyncAttachmentTransport: SyncTransport {
  /// Asks which attachments have to be sent before their changes are pushed.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes that are about to be pushed.
  ///   - client: Names the local store.
  /// - Returns: Those that the server doesn't have, with how many bytes of them it has already.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int]

  /// Sends a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: What it is a part of.
  ///   - offset: Where it begins.
  /// - Returns: How many bytes the server has now. When it has others than the portion builds upon, it takes nothing
  ///   and says so here.
  /// - Throws: ``SyncFailure``, of the kind ``SyncFailure/Kind/tooLarge`` or ``SyncFailure/Kind/refused`` when the server
  ///   won't have the attachment.
  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int

  /// Fetches a portion of an attachment.
  ///
  /// - Parameters:
  ///   - reference: The attachment, and the object that has it on the server.
  ///   - offset: Where the portion begins.
  ///   - length: How many bytes are wanted; the server may send fewer, but some.
  /// - Returns: nil when the object has another value by now, or isn't there.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]?
}
