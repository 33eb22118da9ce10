import SwiftDataCore

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
    name = plan.properties[property].name
    destination = relationship.destinationEntity
    isOrdered = relationship.isOrdered
    inverse = relationship.inverse
  }
}
