import SwiftDataCore

/// The insertions of one class.
final class ModelInserter {
  let table: TableWriter
  /// The models being written. Changed in place by code that calls no other code.
  @exclusivity(unchecked) var models: [any PersistentModel] = []

  init(_ table: TableWriter) { self.table = table }
}

/// The insertions of a save by class.
struct ModelInserters {
  private let context: SaveContext
  private var byPlan: [ObjectIdentifier: ModelInserter] = [:]
  private var last: ModelInserter?

  init(_ context: SaveContext) { self.context = context }

  var all: some Collection<ModelInserter> { byPlan.values }

  mutating func inserter(of plan: EntityPlan) throws -> ModelInserter {
    if let last, last.table.plan === plan { return last }
    let inserter =
      try byPlan[ObjectIdentifier(plan)]
      ?? ModelInserter(
        TableWriter(
          connection: context.connection, statements: try context.statements(of: plan),
          needsRowIDs: true, defersIndices: context.isLarge))
    byPlan[ObjectIdentifier(plan)] = inserter
    last = inserter
    return inserter
  }
}
