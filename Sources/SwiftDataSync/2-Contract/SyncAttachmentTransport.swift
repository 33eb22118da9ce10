/// A transport that transfers attachments separately from the values.
///
/// With any other transport, large values are sent among the other values, in Base64. Every call may be repeated. An
/// engine fetches up to four attachments at the same time.
public protocol SyncAttachmentTransport: SyncTransport {
  /// Whether this transport's server takes attachments; true by default. Otherwise, large values are sent among the
  /// other values, and no other requirement of this protocol is called.
  var transfersAttachments: Bool { get }

  /// Returns the attachments that must be sent before their changes are pushed.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes that are about to be pushed.
  ///   - client: The identifier of the local store.
  /// - Returns: The attachments that the server lacks, with the number of bytes that it already has.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int]

  /// Sends a portion of an attachment.
  ///
  /// - Parameters:
  ///   - bytes: The portion.
  ///   - attachment: The attachment that the portion belongs to.
  ///   - offset: The offset of the portion.
  ///   - client: The identifier of the local store.
  /// - Returns: The number of bytes that the server has afterwards. When the portion doesn't start there, the server
  ///   ignores it and returns the number of bytes that it has.
  /// - Throws: ``SyncFailure``, of the kind ``SyncFailure/Kind/tooLarge`` or ``SyncFailure/Kind/refused`` when the
  ///   server rejects the attachment.
  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int

  /// Fetches a portion of an attachment.
  ///
  /// - Parameters:
  ///   - reference: The attachment, and the object that has it on the server.
  ///   - offset: The offset of the portion.
  ///   - length: The requested number of bytes; the server may send fewer, but at least one.
  ///   - client: The identifier of the local store.
  /// - Returns: nil when the object now has another value or doesn't exist.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]?
}

extension SyncAttachmentTransport {
  /// True.
  public var transfersAttachments: Bool { true }
}
