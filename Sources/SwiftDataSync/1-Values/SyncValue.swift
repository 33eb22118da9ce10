/// The value of one property as transferred between a store and a server: any JSON value.
///
/// Attributes have the form in which the store keeps them: dates are seconds since 2001-01-01T00:00:00Z, UUIDs and
/// decimal numbers are text, bytes are Base64, structures are objects of their members. A to-one relationship is the
/// sync key of its destination, a to-many relationship with pairs the list of their keys.
public enum SyncValue: Hashable, Sendable {
  /// nil.
  case null
  /// A truth value.
  case boolean(Bool)
  /// An integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A text; also UUIDs, URLs and decimal numbers.
  case text(String)
  /// A list of values.
  case list([SyncValue])
  /// An object with named members.
  case object([String: SyncValue])

  /// The text, if the value is a text.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The number, if the value is an integer or a real.
  public var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}

/// The values of an object by property. A missing property carries no information; ``SyncValue/null`` means that the
/// property has no value.
public typealias SyncValues = [String: SyncValue]

/// The name of an object on both sides: its entity and its sync key.
public struct SyncObjectID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name of the entity.
  public var entity: String
  /// The sync key as text: the canonical form of a UUID, the decimal digits of a number.
  public var key: String

  /// Creates the identifier of an object.
  public init(_ entity: String, _ key: String) {
    self.entity = entity
    self.key = key
  }

  public var description: String { "\(entity) \(key)" }

  public static func < (lhs: SyncObjectID, rhs: SyncObjectID) -> Bool {
    (lhs.entity, lhs.key) < (rhs.entity, rhs.key)
  }
}
