import SwiftDataCore
import SwiftDataSQL

extension PostgresConnection {
  /// Inserts the rows of an entity with a table of its own that `body` writes: all of its columns.
  func copy(
    into plan: EntityPlan, _ body: (inout PostgresCopyWriter) throws -> Void
  ) throws {
    var writer = try beginCopy(into: plan)
    do { try body(&writer) } catch { throw cancelCopy(after: error) }
    _ = try endCopy(&writer)
  }

  /// Begins to insert rows of an entity with a table of its own.
  func beginCopy(into plan: EntityPlan) throws -> PostgresCopyWriter {
    let names = [SQLIdentifier.rowID] + plan.columns.map { SQLIdentifier.quoted($0.name) }
    return try beginCopy(
      into: PostgresStatementText.finished(SQLIdentifier.quoted(plan.table)),
      columns: names.map { PostgresStatementText.finished($0) },
      types: [.integer] + plan.columns.indices.map { RowBatch.type(of: $0, in: plan) })
  }
}
