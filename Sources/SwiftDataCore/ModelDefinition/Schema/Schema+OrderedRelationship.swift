// An addition to Apple's interface: relationships to many that keep their order. See docs/decisions/0015.

extension Schema.Relationship.Option {
  /// A relationship to many whose models have an order: the array's. It is saved, fetched and undone with the models.
  ///
  /// ```swift
  /// @Model final class Trip {
  ///   @Relationship(.ordered, deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  /// }
  /// trip.stops.move(fromOffsets: [3], toOffset: 0)
  /// try context.save()  // writes one position
  /// ```
  ///
  /// Moving a model inside the array is an edit of the owner: it has changes, and the history has an update of the
  /// relationship. A model that comes in from the other end (`stop.trip = trip`) goes to the end of the array; one that
  /// is deleted leaves the others as they were. A relationship between many and many may be ordered at either end or
  /// at both, each in its own way.
  ///
  /// The order takes a column beside the link. A store that was made without the option is migrated when it is opened:
  /// its lists begin in the order of the row ids.
  public static var ordered: Schema.Relationship.Option {
    Schema.Relationship.Option(name: "ordered")
  }
}

extension Schema.Relationship {
  /// Whether the relationship is one to many that keeps its order, see ``Option/ordered``.
  public var isOrdered: Bool { options.contains(.ordered) }
}

// MARK: - Where orders are kept

extension EntityPlan {
  /// The column with the place of each row among those that have the same destination; nil when the inverse of the
  /// to-one relationship `property` has no order. The key's name tells the column's.
  package func orderColumn(of property: Int) -> String? {
    guard let relationship = properties[property].relationship, relationship.isInverseOrdered,
      relationship.storage == .column, let key = properties[property].columns.first
    else { return nil }
    return RelationshipPlan.orderColumn(beside: columns[key].name)
  }

  /// Every such column, with the relationship that it belongs to.
  package var orderColumns: [(property: Int, name: String)] {
    relationships.compactMap { index in orderColumn(of: index).map { (index, $0) } }
  }
}

extension RelationshipPlan {
  /// The name of the column that orders the rows with one value of `key`.
  package static func orderColumn(beside key: String) -> String { "_order_\(key)" }
}

/// What a context knows of an ordered relationship's order without reading it.
package enum KnownOrder {
  /// The whole list.
  case whole([any PersistentModel])
  /// The list isn't loaded; these came in at its end.
  case appended([any PersistentModel])
}

extension PersistentModel {
  /// The order of the relationship to many at `index` as it is to be saved.
  package func knownOrder(at index: Int) -> KnownOrder {
    if case .many(let list) = links(at: index) { return .whole(list.models) }
    guard let changes = _$modelState.linkChanges(at: index) else { return .appended([]) }
    guard let base = changes.base else { return .appended(changes.added) }
    return .whole(base.merging(added: changes.added, removed: changes.removed).models)
  }
}
