/// A condition that prevents a write from being stored as it is.
package enum SyncObstacle: Hashable, Sendable {
  /// The delete rule of a relationship with this object forbids the deletion, or would delete it although it is to
  /// leave the deleted object for another one that hasn't arrived.
  case denied(by: SyncObjectID)
  /// A required object doesn't exist; only a server reports this, a client waits.
  case missing(SyncObjectID)
  /// Another object has the same values for properties that are unique.
  case duplicate(of: SyncObjectID, properties: [String])
  /// The bytes of these properties aren't available yet.
  case attachments(properties: [String])

  /// The object that a change has to be made to before; nil when another object prevents nothing.
  var other: SyncObjectID? {
    switch self {
    case .denied(let other), .missing(let other), .duplicate(let other, _): other
    case .attachments: nil
    }
  }

  /// The reason that a client records.
  var reason: SyncQuarantine.Reason {
    switch self {
    case .denied(let other): .denied(by: other)
    case .missing(let other): .waits(for: other)
    case .duplicate(let other, let properties): .duplicate(of: other, properties: properties)
    case .attachments(let properties): .attachments(properties: properties)
    }
  }

  /// The rejection that a server returns: without the key of the other object, which may belong to
  /// another user.
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
