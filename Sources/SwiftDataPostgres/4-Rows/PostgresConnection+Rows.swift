import SwiftDataCore
import SwiftDataSQL

extension PostgresConnection {
  /// Inserts the rows of an entity with a table of its own that `body` writes: all of its columns.
  func copy(
    into plan: EntityPlan, _ body: (inout PostgresCopyWriter) throws -> Void
  ) throws {
    let names = [SQLIdentifier.rowID] + plan.columns.map { SQLIdentifier.quoted($0.name) }
    try copy(
      into: PostgresStatementText.finished(SQLIdentifier.quoted(plan.table)),
      columns: names.map { PostgresStatementText.finished($0) },
      types: [.integer] + plan.columns.indices.map { RowBatch.type(of: $0, in: plan) }, body)
  }
}
