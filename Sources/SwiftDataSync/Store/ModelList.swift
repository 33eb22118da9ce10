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

  /// Reads some columns of each destination of an owner's row, in the list's order.
  func forEachDestination(
    of owner: Int64, table: String, columns: [String], _ tables: SideTables,
    _ body: ([SQLValue]) throws -> Void
  ) throws {
    // As the store reads it: what other programs left without a place comes last.
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
