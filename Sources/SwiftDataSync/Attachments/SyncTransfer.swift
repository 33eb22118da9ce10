/// How far an attachment is on its way.
public struct SyncTransfer: Hashable, Sendable {
  public var object: SyncObjectID
  /// The name of the property.
  public var property: String
  /// Whether it goes to the server; else it comes from there.
  public var isUpload: Bool
  /// How many bytes it has.
  public var byteCount: Int
  /// How many of them have arrived.
  public var completed: Int

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
