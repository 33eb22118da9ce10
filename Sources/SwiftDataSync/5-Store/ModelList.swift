import SwiftData
import SwiftDataSQL

/// A to-many relationship with a join table, seen from the class whose objects own the pairs.
///
/// One of the two ends owns them: the ordered end, or, when both or none are ordered, the end whose entity and property
/// name come first.
struct ModelList {
  let property: Int
  let name: String
  /// The entity of the destination.
  let destination: String
  let isOrdered: Bool
  /// The inverse property.
  let inverse: Int?
  private let join: RelationshipPlan.JoinTable

  /// - Returns: nil for a relationship of another kind, and for the end that doesn't own the pairs.
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

  /// Reads the given columns of each destination of an owner's row, in the list's order.
  func forEachDestination(
    of owner: Int64, table: String, columns: [String], _ tables: SideTables,
    _ body: ([SQLValue]) throws -> Void
  ) throws {
    // The same order as in the store: pairs that other programs left without a position come last.
    let order = join.ownerOrderColumn.map(SQLIdentifier.quoted).map { column in
      " ORDER BY p.\(column) IS NULL, p.\(column), d.\"_id\""
    }
    try tables.forEach(
      "SELECT \(columns.joined(separator: ", ")) FROM \(SQLIdentifier.quoted(join.name)) AS p"
        + " JOIN \(table) AS d ON d.\"_id\" = p.\(SQLIdentifier.quoted(join.destinationColumn))"
        + " WHERE p.\(SQLIdentifier.quoted(join.ownerColumn)) = ?\(order ?? "")",
      [.integer(owner)], body)
  }
}
