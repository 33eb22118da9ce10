/// The storage of one relationship of an entity, and a description of its other end. A class, because code that follows
/// relationships takes it out of its entity's plan once for each model.
package final class RelationshipPlan: Sendable {
  /// The location of the link between two rows.
  package enum Storage: Hashable, Sendable {
    /// A to-one relationship with a column of its own: the destination's row id.
    case column
    /// The key is a column of the destination's table: the other end of ``column``.
    case inverseColumn
    /// A join table: for many-to-many relationships, and for to-many relationships without an inverse.
    case joinTable(JoinTable)
  }

  /// A join table, seen from one of its ends.
  package struct JoinTable: Hashable, Sendable {
    package let name: String
    /// The column with the row id of this end.
    package let ownerColumn: String
    /// The column with the row id of the other end.
    package let destinationColumn: String
    /// The column with the order of this end's list; nil without one.
    package let ownerOrderColumn: String?
    /// The column with the order of the other end's list.
    package let destinationOrderColumn: String?
  }

  package let destination: any PersistentModel.Type
  package let destinationEntity: String
  package let isToMany: Bool
  package let isOptional: Bool
  package let deleteRule: Schema.Relationship.DeleteRule
  /// The smallest and the largest number of destinations; 0 means no limit.
  package let minimumModelCount: Int
  package let maximumModelCount: Int
  /// The property of the destination that leads back.
  package let inverse: Int?
  package let inverseName: String?
  /// Whether this end is a list that keeps its order.
  package let isOrdered: Bool
  /// Whether the other end is a list that keeps its order.
  package let isInverseOrdered: Bool
  package let storage: Storage
  /// The delete rule of the other end; nil without an inverse.
  let inverseRule: Schema.Relationship.DeleteRule?

  init(
    destination: any PersistentModel.Type, destinationEntity: String, isToMany: Bool,
    isOptional: Bool, deleteRule: Schema.Relationship.DeleteRule, minimumModelCount: Int,
    maximumModelCount: Int, inverse: Int?, inverseName: String?, isOrdered: Bool,
    isInverseOrdered: Bool, storage: Storage, inverseRule: Schema.Relationship.DeleteRule?
  ) {
    self.destination = destination
    self.destinationEntity = destinationEntity
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.minimumModelCount = minimumModelCount
    self.maximumModelCount = maximumModelCount
    self.inverse = inverse
    self.inverseName = inverseName
    self.isOrdered = isOrdered
    self.isInverseOrdered = isInverseOrdered
    self.storage = storage
    self.inverseRule = inverseRule
  }

  /// Whether a deletion of the destination leaves the relationship untouched until it is saved.
  var isUnaffectedByDeletion: Bool { inverseRule == .noAction || inverseRule == .deny }

  /// Whether the row's key stays when its destination is deleted.
  var keepsKeys: Bool { inverseRule == .noAction }

  package var joinTable: JoinTable? {
    if case .joinTable(let table) = storage { table } else { nil }
  }
}
