import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: RowIDStore {
  package func withRow(
    _ rowID: Int64, of plan: EntityPlan, _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool {
    let queries = try queries(of: plan)
    let command = PostgresCommand(
      PostgresStatementText.finished(queries.selectByRowID), [.value(.integer(rowID))])
    let (generation, result) = try withReader { ($1, try $0.run(command)) }
    guard result.rowCount > 0 else { return false }
    let reader = PostgresRowReader(result, kinds: queries.kinds)
    try queries.withRow(reader.cells(of: result, 0), from: 0, address: address) {
      try body(generation, $0)
    }
    return true
  }

  package func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, RowView) throws -> Void
  ) throws {
    guard let relationship = plan.properties[property].relationship,
      let destination = plansByType[ObjectIdentifier(relationship.destination)]
    else { return }
    let queries = try queries(of: destination)
    let command = PostgresCommand(
      PostgresStatementText.finished(try queries.selectLinked(relationship)), [.integers(owners)])
    let (generation, result) = try withReader { ($1, try $0.run(command)) }
    let reader = PostgresRowReader(result, kinds: [nil] + queries.kinds)
    for row in 0..<result.rowCount {
      let cells = reader.cells(of: result, row)
      try queries.withRow(cells, from: 1, address: address) {
        try body(generation, cells[0].bits, $0)
      }
    }
  }

  package func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64] {
    let command = PostgresCommand(
      PostgresStatementText.finished(try queries(of: plan).selectOwners(property)),
      [.integers(destinations)])
    let result = try withReader { connection, _ in try connection.run(command) }
    return (0..<result.rowCount).compactMap { result.integer($0, 0) }
  }

  /// Removes every model, and the records of copies, in one transaction.
  public func erase() throws {
    try writeAndPost(author: nil) { connection, recording in
      try self.permitAnyTime(connection)
      try self.deleteRows(recording, connection)
      try StoreMetadata.deleteCopyRecords(on: connection)
    }
  }

  /// Deletes all rows, with their pairs.
  private func deleteRows(
    _ recording: HistoryRecording, _ connection: PostgresConnection
  ) throws {
    let pairs = EntityTables.tables(of: plans).filter { references.plans[$0] == nil }
    try connection.run(
      pairs.map {
        PostgresCommand(
          PostgresStatementText.finished("DELETE FROM \(SQLIdentifier.quoted($0))"))
      })
    let sources = references.order.compactMap { PreservedRows($0, self) }
    // Where delete rules lead back, a deletion has deleted rows of tables that follow.
    if references.isCyclic {
      try record(sources, sources.map(\.selectionOfAll), recording, connection)
      try connection.run(sources.map(\.deletionOfAll))
    } else {
      try record(sources, sources.map(\.deletionOfAll), recording, connection)
    }
  }

  private func record(
    _ sources: [PreservedRows], _ commands: [PostgresCommand], _ recording: HistoryRecording,
    _ connection: PostgresConnection
  ) throws {
    for (source, result) in zip(sources, try connection.run(commands)) {
      try source.record(result, in: recording)
    }
  }
}
