/// What keeps a write from being stored as it is.
package enum SyncObstacle: Hashable, Sendable {
  /// An object that refers to it, or to which it refers, forbids the deletion by its delete rule.
  case denied(by: SyncObjectID)
  /// An object that it can't be without isn't there; only a server says so, a client waits.
  case missing(SyncObjectID)
  /// Another object has the same values for properties that are unique.
  case duplicate(of: SyncObjectID, properties: [String])
  /// Bytes of these properties aren't here yet.
  case attachments(properties: [String])

  /// As a client keeps it.
  var reason: SyncParking.Reason {
    switch self {
    case .denied(let other): .denied(by: other)
    case .missing(let other): .waits(for: other)
    case .duplicate(let other, let properties): .duplicate(of: other, properties: properties)
    case .attachments(let properties): .attachments(properties: properties)
    }
  }

  /// As a server answers it: without the key of the other object, which may be another user's.
  func rejection(of object: SyncObjectID) -> SyncRejection {
    switch self {
    case .denied(let other):
      SyncRejection(
        code: "denied", message: "The \(object.entity) is still needed by a \(other.entity)")
    case .missing(let other):
      SyncRejection(
        code: "unknownReference",
        message: "The \(object.entity) needs a \(other.entity) that the server doesn't have")
    case .duplicate(let other, let properties):
      SyncRejection(
        code: "duplicate",
        message: "There is another \(other.entity) with the same"
          + " \(properties.joined(separator: ", "))")
    case .attachments(let properties):
      SyncRejection(
        code: "attachment",
        message: "The server doesn't have the bytes of \(properties.joined(separator: ", "))")
    }
  }
}
