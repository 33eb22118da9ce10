import SwiftData
import SwiftDataSQL

/// A relationship to many with a table of pairs, seen from the class to whose objects the pairs belong.
///
/// Of two ends one has them: the one that keeps an order, and when both or none does, the one whose entity and property
/// name come first.
struct ModelList {
  let property: Int
  let name: String
  /// The entity that it leads to.
  let destination: String
  let isOrdered: Bool
  /// The property that leads back.
  let inverse: Int?
  private let join: RelationshipPlan.JoinTable

  /// - Returns: nil for a relationship of another kind, and for the end that doesn't have the pairs.
  init?(_ property: Int, of plan: EntityPlan) {
    guard let relationship = plan.properties[property].relationship,
      let join = relationship.joinTable
    else { return nil }
    let isOwner =
      relationship.isOrdered == relationship.isInverseOrdered
      ? join.ownerColumn == "owner" : relationship.isOrdered
    guard isOwner else { return nil }
    self.property = property
    self.join = join
    name = plan.properties[property].name
    destination = relationship.destinationEntity
    isOrdered = relationship.isOrdered
    inverse = relationship.inverse
  }

  /// Calls `body` with the row of each destination of an owner's row, in the list's order.
  func forEachRow(
    of owner: Int64, _ tables: SideTables, _ body: (Int64) throws -> Void
  ) throws {
    let destination = SQLIdentifier.quoted(join.destinationColumn)
    // As the store reads it: what other programs left without a place comes last.
    let order = join.ownerOrderColumn.map { column in
      " ORDER BY \(SQLIdentifier.quoted(column)) IS NULL, \(SQLIdentifier.quoted(column)), \(destination)"
    }
    try tables.forEach(
      "SELECT \(destination) FROM \(SQLIdentifier.quoted(join.name))"
        + " WHERE \(SQLIdentifier.quoted(join.ownerColumn)) = ?\(order ?? "")", [.integer(owner)]
    ) { columns in
      if let row = columns[0].integer { try body(row) }
    }
  }
}
