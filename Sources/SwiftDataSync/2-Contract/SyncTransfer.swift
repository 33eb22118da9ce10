/// The progress of an attachment's transfer.
public struct SyncTransfer: Hashable, Sendable {
  /// The object that has the attachment.
  public var object: SyncObjectID
  /// The name of the property.
  public var property: String
  /// Whether the attachment is sent to the server; otherwise, it is fetched from there.
  public var isUpload: Bool
  /// The number of bytes of the attachment.
  public var byteCount: Int
  /// The number of transferred bytes.
  public var completed: Int

  /// Creates a transfer's progress.
  public init(
    object: SyncObjectID, property: String, isUpload: Bool, byteCount: Int, completed: Int
  ) {
    self.object = object
    self.property = property
    self.isUpload = isUpload
    self.byteCount = byteCount
    self.completed = completed
  }
}
