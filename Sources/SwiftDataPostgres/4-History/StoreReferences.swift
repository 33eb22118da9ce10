import SwiftDataCore
import SwiftDataSQL

/// The rows that lead to those of each table, and what a deletion does to them.
struct StoreReferences: Sendable {
  /// A column whose rows are deleted, or set to NULL, together with the rows that they lead to.
  struct Reference: Sendable {
    let plan: EntityPlan
    let property: Int
    let deletesRows: Bool

    /// The quoted name of the column.
    var column: String {
      let column = plan.properties[property].columns.lowerBound
      return SQLIdentifier.quoted(plan.columns[column].name)
    }
  }

  /// An end of a table of pairs.
  struct PairEnd: Sendable {
    let table: RelationshipPlan.JoinTable
    /// The column with the IDs of the deleted rows.
    let column: String
  }

  /// A delete rule that leads from the rows of a table to others.
  struct Rule: Sendable {
    /// `Entity.property`, for errors.
    let name: String
    let destination: EntityPlan
    /// The condition for the destinations `d`, by a list of row IDs.
    let condition: String
  }

  let references: [String: [Reference]]
  let pairs: [String: [PairEnd]]
  /// The cascades along keys of the rows themselves and pairs. ``references`` has those along keys of others.
  let cascades: [String: [Rule]]
  /// The relationships whose destinations prevent a deletion. Those along keys of others are found when keys are
  /// checked.
  let denials: [String: [Rule]]
  /// The plans by table.
  let plans: [String: [EntityPlan]]
  /// The tables, those whose rows a deletion in another one deletes before that one.
  let order: [String]
  /// Whether such deletions lead from one table to another and back.
  let isCyclic: Bool

  init(_ plans: [EntityPlan], _ plansByType: [ObjectIdentifier: EntityPlan]) {
    var references: [String: [Reference]] = [:]
    var pairs: [String: [PairEnd]] = [:]
    for plan in plans {
      for property in plan.ownRelationships {
        guard let relationship = plan.properties[property].relationship,
          let destination = plansByType[ObjectIdentifier(relationship.destination)]
        else { continue }
        switch relationship.storage {
        case .column:
          if let deletes = Self.deletesRows(relationship, destination) {
            references[destination.table, default: []].append(
              Reference(plan: plan, property: property, deletesRows: deletes))
          }
        case .joinTable(let join):
          if relationship.deleteRule != .deny {
            pairs[plan.table, default: []].append(
              PairEnd(table: join, column: join.ownerColumn))
          }
          if relationship.inverse == nil {
            pairs[destination.table, default: []].append(
              PairEnd(table: join, column: join.destinationColumn))
          }
        case .inverseColumn: break
        }
      }
    }
    self.references = references
    self.pairs = pairs
    let rules = DeleteRules(plansByType)
    cascades = rules.byTable(plans) { $0.deleteRule == .cascade && $0.storage != .inverseColumn }
    denials = rules.byTable(plans) { $0.deleteRule == .deny && $0.storage == .column }
    self.plans = Dictionary(grouping: plans, by: \.table)
    (order, isCyclic) = Self.ordered(self.plans.keys.sorted(), references)
  }

  /// Whether rows with a key are deleted with their destination, or only lose it; nil where the rule prevents both.
  private static func deletesRows(
    _ relationship: RelationshipPlan, _ destination: EntityPlan
  ) -> Bool? {
    let rule = relationship.inverse.flatMap { destination.properties[$0].relationship?.deleteRule }
    switch rule ?? .nullify {
    case .cascade: return true
    case .nullify: return relationship.isOptional ? false : nil
    case .deny, .noAction: return nil
    }
  }

  private static func ordered(
    _ tables: [String], _ references: [String: [Reference]]
  ) -> (order: [String], isCyclic: Bool) {
    var order: [String] = []
    var begun: Set<String> = []
    var done: Set<String> = []
    var isCyclic = false
    func add(_ table: String) {
      if done.contains(table) { return }
      guard begun.insert(table).inserted else {
        isCyclic = true
        return
      }
      for reference in references[table] ?? [] where reference.deletesRows {
        if reference.plan.table != table { add(reference.plan.table) }
      }
      done.insert(table)
      order.append(table)
    }
    for table in tables { add(table) }
    return (order, isCyclic)
  }
}
