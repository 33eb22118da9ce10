import SwiftDataCore

/// Selects the rows of a class and of its subclasses, which differ in their columns, in one query: the entity's name,
/// then every column that any of them has.
package struct FamilyRows: Sendable {
  /// One class, with the positions of its columns among those of the query.
  package struct Member: Sendable {
    package let plan: EntityPlan
    package let positions: [Int]
  }

  /// The quoted names: the discriminator, then the columns.
  package let columns: [String]
  private let members: [String: Member]

  /// nil for a class that has neither a superclass nor subclasses.
  package init?(_ plan: EntityPlan) {
    guard let family = plan.family else { return nil }
    let descendants = family.descendants(of: plan)
    var places: [String: Int] = [:]
    var columns = [SQLIdentifier.quoted(EntityFamily.discriminator)]
    for column in descendants.flatMap(\.columns) where places[column.name] == nil {
      places[column.name] = columns.count - 1
      columns.append(SQLIdentifier.quoted(column.name))
    }
    self.columns = columns
    members = Dictionary(
      descendants.map { member in
        (
          member.name,
          Member(plan: member, positions: member.columns.compactMap { places[$0.name] })
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  package subscript(entity: String) -> Member? { members[entity] }

  /// The condition for a subclass's rows, and those of its own subclasses.
  package static func condition(_ plan: EntityPlan) -> String? {
    guard let family = plan.family, !family.isRoot(plan) else { return nil }
    let names = family.descendants(of: plan).map { SQLIdentifier.literal($0.name) }
      .joined(separator: ", ")
    return "t0.\(SQLIdentifier.quoted(EntityFamily.discriminator)) IN (\(names))"
  }
}
