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

  /// The identifier as an opaque value.
  public struct ID: Hashable, Sendable {
    fileprivate let storeIdentifier: String?
    fileprivate let entityName: String
    fileprivate let key: Key
  }

  /// The store that holds the model; nil while the identifier is temporary.
  public let storeIdentifier: String?
  /// The name of the model's entity.
  public let entityName: String
  package let key: Key

  package init(storeIdentifier: String?, entityName: String, key: Key) {
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.key = key
  }

  public var id: ID { ID(storeIdentifier: storeIdentifier, entityName: entityName, key: key) }

  /// Whether the model has never been saved.
  public var isTemporary: Bool { if case .temporary = key { true } else { false } }

  /// The row id in the default store, nil for temporary and custom identifiers.
  package var rowID: Int64? { if case .row(let rowID) = key { rowID } else { nil } }

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

  /// Orders by entity, then rows by age; temporary identifiers come last.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    if lhs.entityName != rhs.entityName { return lhs.entityName < rhs.entityName }
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
