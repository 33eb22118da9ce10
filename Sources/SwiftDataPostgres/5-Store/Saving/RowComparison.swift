import SwiftDataCore
import SwiftDataSQL

/// Finds the models of a save whose rows others have changed since they were read. The rows are locked until the
/// transaction ends.
struct RowComparison {
  private var candidates: [ObjectIdentifier: (plan: EntityPlan, models: [ComparedModel])] = [:]

  /// Adds a model whose row is to be compared.
  mutating func append(_ model: any PersistentModel, isDeleted: Bool = false) {
    guard let compared = ComparedModel(model, isDeleted: isDeleted) else { return }
    candidates[ObjectIdentifier(compared.plan), default: (compared.plan, [])].models.append(
      compared)
  }

  /// Reads the rows, those of one class together.
  ///
  /// - Returns: The differences, by model.
  func run(_ save: SaveOperation) throws -> [ObjectIdentifier: RowDifference] {
    var differences: [ObjectIdentifier: RowDifference] = [:]
    // All saves lock in the order of the tables and rows, so that they don't wait for each other in a circle.
    let classes = candidates.values.sorted { $0.plan.isWritten(before: $1.plan) }
    if zip(classes, classes.dropFirst()).contains(where: { $0.plan.table == $1.plan.table }) {
      // Each class has its own statement.
      var locks = RowLocks()
      for (plan, models) in classes { locks.append(models.map(\.rowID), of: plan) }
      try locks.take(save)
    }
    for (plan, models) in classes {
      let stored = try Self.storedRows(models.map(\.rowID), plan, save)
      for compared in models {
        differences[ObjectIdentifier(compared.model)] = compared.difference(
          from: stored[compared.rowID])
      }
    }
    return differences
  }

  private static func storedRows(
    _ rowIDs: [Int64], _ plan: EntityPlan, _ save: SaveOperation
  ) throws -> [Int64: RowCopy] {
    let queries = try save.store.queries(of: plan)
    let id = "t0.\(SQLIdentifier.rowID)"
    let result = try save.run(
      queries.select + queries.whereClause("\(id) = ANY (?)")
        + " ORDER BY \(id) FOR NO KEY UPDATE OF t0", [.integers(rowIDs)])
    let reader = PostgresRowReader(result, kinds: queries.kinds)
    var rows: [Int64: RowCopy] = [:]
    for row in 0..<result.rowCount {
      try queries.withRow(reader.cells(of: result, row), from: 0, address: save.store.address) {
        guard $0.plan === plan else { return }
        rows[$0.rowID] = try $0.rewritten()
      }
    }
    return rows
  }
}
