import Foundation

/// The identity of a model: stable across contexts and launches once it has been saved.
///
/// A model that was never saved has a temporary identifier, unique in this process. The first save
/// replaces it (SwiftData documentation, `ModelContext.insert(_:)`), so identifiers kept across a save
/// should be read again afterwards.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Sendable {
  package enum Key: Hashable, Sendable {
    case temporary(UInt64)
    case row(Int64)
    /// A key that a custom store chose, as its description.
    case custom(String)
  }

  /// The parts that the identifiers of an entity's models have in common. The identifiers share one instance, which
  /// makes an identifier two words long instead of seven; code that makes many identifiers requests it once.
  package final class Origin: Sendable {
    fileprivate enum Kind: Hashable, Sendable {
      case temporary
      case row
      case custom(String)
    }

    package let storeIdentifier: String?
    package let entityName: String
    fileprivate let kind: Kind

    /// The origin of rows.
    package convenience init(storeIdentifier: String?, entityName: String) {
      self.init(storeIdentifier, entityName, .row)
    }

    fileprivate init(_ storeIdentifier: String?, _ entityName: String, _ kind: Kind) {
      self.storeIdentifier = storeIdentifier
      self.entityName = entityName
      self.kind = kind
    }
  }

  /// The identifier as an opaque value.
  public struct ID: Hashable, Sendable {
    let identifier: PersistentIdentifier
  }

  private let origin: Origin
  /// The row id or the temporary number; 0 with a custom key.
  private let number: Int64

  /// The store that holds the model; nil while the identifier is temporary.
  public var storeIdentifier: String? { origin.storeIdentifier }
  /// The name of the model's entity.
  public var entityName: String { origin.entityName }

  package var key: Key {
    switch origin.kind {
    case .row: .row(number)
    case .temporary: .temporary(UInt64(bitPattern: number))
    case .custom(let key): .custom(key)
    }
  }

  package init(storeIdentifier: String?, entityName: String, key: Key) {
    switch key {
    case .row(let rowID):
      origin = Origin(storeIdentifier, entityName, .row)
      number = rowID
    case .temporary(let temporary):
      origin = Origin(storeIdentifier, entityName, .temporary)
      number = Int64(bitPattern: temporary)
    case .custom(let key):
      origin = Origin(storeIdentifier, entityName, .custom(key))
      number = 0
    }
  }

  /// The identifier of a row.
  package init(_ origin: Origin, rowID: Int64) {
    self.origin = origin
    number = rowID
  }

  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    guard left.number == right.number else { return false }
    if left.origin === right.origin { return true }
    return left.origin.kind == right.origin.kind
      && left.origin.entityName == right.origin.entityName
      && left.origin.storeIdentifier == right.origin.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(origin.entityName)
    if case .custom(let key) = origin.kind { hasher.combine(key) }
  }

  public var id: ID { ID(identifier: self) }

  /// Whether the model has never been saved.
  public var isTemporary: Bool { origin.kind == .temporary }

  /// The row id in the default store, nil for temporary and custom identifiers.
  package var rowID: Int64? { origin.kind == .row ? number : nil }

  /// Makes the identifier of a model in a custom store.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the entity.
  ///   - primaryKey: The key by which the store finds the model.
  public static func identifier<Key>(
    for storeIdentifier: String, entityName: String, primaryKey: Key
  ) throws -> PersistentIdentifier
  where Key: Comparable, Key: CustomStringConvertible, Key: Codable, Key: Hashable {
    PersistentIdentifier(
      storeIdentifier: storeIdentifier, entityName: entityName,
      key: (primaryKey as? Int64).map { .row($0) } ?? .custom(primaryKey.description))
  }

  /// Orders by entity, then by store, then rows by row id; temporary identifiers come last.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    if lhs.entityName != rhs.entityName { return lhs.entityName < rhs.entityName }
    return precedes(lhs, rhs)
  }

  /// Orders by store, then as `<` does, then by entity: the order of the rows of a class together with its subclasses.
  static func compareRows(
    _ lhs: PersistentIdentifier, _ rhs: PersistentIdentifier
  ) -> ComparisonResult {
    if precedes(lhs, rhs) { return .orderedAscending }
    if precedes(rhs, lhs) { return .orderedDescending }
    if lhs.entityName == rhs.entityName { return .orderedSame }
    return lhs.entityName < rhs.entityName ? .orderedAscending : .orderedDescending
  }

  /// The order by store and by the key in it.
  private static func precedes(_ lhs: PersistentIdentifier, _ rhs: PersistentIdentifier) -> Bool {
    if lhs.storeIdentifier != rhs.storeIdentifier {
      return (lhs.storeIdentifier ?? "\u{10FFFF}") < (rhs.storeIdentifier ?? "\u{10FFFF}")
    }
    switch (lhs.key, rhs.key) {
    case (.row(let left), .row(let right)): return left < right
    case (.custom(let left), .custom(let right)): return left < right
    case (.temporary(let left), .temporary(let right)): return left < right
    case (.row, _), (.custom, .temporary): return true
    default: return false
    }
  }
}
