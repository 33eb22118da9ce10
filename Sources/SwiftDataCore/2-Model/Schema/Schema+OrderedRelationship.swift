// An addition to Apple's interface: to-many relationships that keep their order. See docs/decisions/0015.

extension Schema.Relationship.Option {
  /// Keeps the models of a to-many relationship in the array's order. The order is saved, fetched and undone with the
  /// models.
  ///
  /// ```swift
  /// @Model final class Trip {
  ///   @Relationship(.ordered, deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  /// }
  /// trip.stops.insert(trip.stops.remove(at: 3), at: 0)
  /// try context.save()  // writes one position
  /// ```
  ///
  /// Moving a model inside the array is an edit of the owner: the owner has changes, and the history has an update of
  /// the relationship. A model that is added from the other end (`stop.trip = trip`) goes to the end of the array;
  /// deleting a model leaves the order of the others unchanged. A many-to-many relationship may be ordered at either
  /// end or at both, independently of each other.
  ///
  /// The order takes a column beside the link. A store that was made without the option is migrated when it is opened:
  /// its lists initially have the order of the row ids.
  public static var ordered: Schema.Relationship.Option {
    Schema.Relationship.Option(name: "ordered")
  }
}

extension Schema.Relationship {
  /// Whether this is a to-many relationship that keeps its order, see ``Option/ordered``.
  public var isOrdered: Bool { options.contains(.ordered) }
}

// MARK: - Storage of orders

extension EntityPlan {
  /// The column with the position of each row among those that have the same destination; nil when the inverse of the
  /// to-one relationship `property` has no order. The column's name is derived from the key's.
  package func orderColumn(of property: Int) -> String? {
    guard let relationship = properties[property].relationship, relationship.isInverseOrdered,
      relationship.storage == .column, let key = properties[property].columns.first
    else { return nil }
    return RelationshipPlan.orderColumn(beside: columns[key].name)
  }

  /// All order columns, each with the relationship that it belongs to.
  package var orderColumns: [(property: Int, name: String)] {
    relationships.compactMap { index in orderColumn(of: index).map { (index, $0) } }
  }
}

extension RelationshipPlan {
  /// The name of the column that orders the rows with the same value of `key`.
  package static func orderColumn(beside key: String) -> String { "_order_\(key)" }
}

/// The part of an ordered relationship's order that a context knows without reading the store.
package enum KnownOrder {
  /// The whole list.
  case whole([any PersistentModel])
  /// The models that were appended to a list that isn't loaded.
  case appended([any PersistentModel])
}

extension PersistentModel {
  /// The order of the to-many relationship at `index` that is to be saved, as far as it is known.
  package func knownOrder(at index: Int) -> KnownOrder {
    if case .many(let list) = links(at: index) { return .whole(list.models) }
    guard let changes = _$modelState.linkChanges(at: index) else { return .appended([]) }
    guard let base = changes.base else { return .appended(changes.added) }
    return .whole(base.merging(added: changes.added, removed: changes.removed).models)
  }
}
