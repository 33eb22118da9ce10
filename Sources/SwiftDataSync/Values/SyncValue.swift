/// The value of one property on its way between a store and a server: what JSON can say.
///
/// Attributes have the form in which the store keeps them: dates are seconds since 2001-01-01T00:00:00Z, UUIDs and
/// decimal numbers are text, bytes are Base64, structures are objects of their members. A relationship to one is the
/// sync key of its destination, one to many with pairs the list of theirs.
public enum SyncValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([SyncValue])
  case object([String: SyncValue])

  /// The text, of a text.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The number, of an integer or a real.
  public var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}

/// The values of an object by property. A property that is absent says nothing; ``SyncValue/null`` says that there is
/// no value.
public typealias SyncValues = [String: SyncValue]

/// What an object is called on both sides: its entity and its sync key.
public struct SyncObjectID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name of the entity.
  public var entity: String
  /// The sync key as text: of a UUID its canonical form, of a number its decimal digits.
  public var key: String

  public init(_ entity: String, _ key: String) {
    self.entity = entity
    self.key = key
  }

  public var description: String { "\(entity) \(key)" }

  public static func < (lhs: SyncObjectID, rhs: SyncObjectID) -> Bool {
    (lhs.entity, lhs.key) < (rhs.entity, rhs.key)
  }
}
