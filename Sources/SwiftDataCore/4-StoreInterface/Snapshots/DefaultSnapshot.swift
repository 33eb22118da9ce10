/// A model's values in the form of a stored row, with identifiers in place of relationships.
///
/// Its encoded form has the keys of ``DataStoreSnapshotCodingKey``. An attribute is encoded as its type encodes itself,
/// so that the strategies of an encoder (for dates, say) apply; a property that the encoded form lacks gets its
/// declared default value, or nil.
public struct DefaultSnapshot: DataStoreSnapshot {
  public let persistentIdentifier: PersistentIdentifier
  package let plan: EntityPlan
  /// The columns of attributes; those of relationships are NULL.
  package let row: RowCopy
  /// The relationships by the property's position.
  package let references: [Int: SnapshotReference]
  /// The reason why the values couldn't be taken; thrown when the snapshot is encoded or saved, because making it can't
  /// fail.
  package let failure: (any Error)?

  package init(
    _ persistentIdentifier: PersistentIdentifier, plan: EntityPlan, row: RowCopy,
    references: [Int: SnapshotReference], failure: (any Error)? = nil
  ) {
    self.persistentIdentifier = persistentIdentifier
    self.plan = plan
    self.row = row
    self.references = references
    self.failure = failure
  }

  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    let remapped = remappedIdentifiers ?? [:]
    return DefaultSnapshot(
      persistentIdentifier, plan: plan, row: row,
      references: remapped.isEmpty
        ? references : references.mapValues { $0.remapped(by: remapped) },
      failure: failure)
  }
}

/// The value of a relationship in a snapshot.
package enum SnapshotReference: Hashable, Sendable {
  case toOne(PersistentIdentifier?)
  case toMany([PersistentIdentifier])

  func remapped(by identifiers: [PersistentIdentifier: PersistentIdentifier]) -> SnapshotReference {
    switch self {
    case .toOne(let identifier): .toOne(identifier.map { identifiers[$0] ?? $0 })
    case .toMany(let many): .toMany(many.map { identifiers[$0] ?? $0 })
    }
  }

  package var identifiers: [PersistentIdentifier] {
    switch self {
    case .toOne(let identifier): identifier.map { [$0] } ?? []
    case .toMany(let many): many
    }
  }
}

extension PropertyPlan {
  /// The class that a relationship leads to; nil for an attribute.
  package var referencedType: (any PersistentModel.Type)? { Schema.destination(of: valueType) }

  /// Whether the property is a to-many relationship.
  package var isToManyReference: Bool {
    PropertyShape.unwrapped(valueType).type is any RelationshipCollection.Type
  }
}
