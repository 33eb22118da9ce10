import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Copies the rows of a store into a new one, in batches that can be continued.
final class StoreCopy {
  /// The number of rows of a batch.
  private static let batch = 5_000
  /// The number of values under keys of a batch, which may be larger than rows.
  private static let valueBatch = 500

  private let source: any KeyedRowStore
  private let target: PostgresStore
  private let progress: ((StoreCopyProgress) throws -> Void)?
  private let connection: PostgresConnection
  private var state: CopyState

  /// Begins the copy, or continues an unfinished one.
  init(
    from source: any KeyedRowStore, to target: PostgresStore,
    _ progress: ((StoreCopyProgress) throws -> Void)?
  ) throws {
    self.source = source
    self.target = target
    self.progress = progress
    connection = try target.takeConnection()
    do {
      state = try Self.begin(source, target, connection)
    } catch {
      target.giveBack(connection)
      throw error
    }
  }

  deinit { target.giveBack(connection) }

  private static func begin(
    _ source: any KeyedRowStore, _ target: PostgresStore, _ connection: PostgresConnection
  ) throws -> CopyState {
    let transaction = try source.readRows { try $0.lastTransaction() }
    return try connection.transaction {
      let store = try connection.run(
        "SELECT format FROM \"_store\" WHERE id = 1 FOR NO KEY UPDATE")
      if store.integer(0, 0) == StoreTables.unfinishedFormat,
        let state = try CopyState.stored(connection, address: target.address)
      {
        guard state.source == source.identifier else {
          throw refusal(target, "has an unfinished copy of another store")
        }
        guard state.transaction == transaction else { throw change(of: source, target) }
        return state
      }
      for table in EntityTables.tables(of: target.plans) {
        let rows = try connection.run(
          PostgresStatementText.finished(
            "SELECT 1 FROM \(SQLIdentifier.quoted(table)) LIMIT 1"))
        guard rows.rowCount == 0 else { throw refusal(target, "has models") }
      }
      let state = CopyState(
        source: source.identifier, transaction: transaction,
        references: try CopyState.references(connection))
      try connection.run(state.references.map { PostgresCommand($0.removal) })
      try connection.run(
        "UPDATE \"_store\" SET format = $1 WHERE id = 1", [.integer(StoreTables.unfinishedFormat)])
      try state.store(connection)
      return state
    }
  }

  private static func refusal(_ target: PostgresStore, _ reason: String) -> StoreError {
    StoreError(
      .cannotOpen, path: target.address,
      explanation: "it \(reason), and a copy needs an empty store; drop the schema, or name another"
    )
  }

  private static func change(of source: any KeyedRowStore, _ target: PostgresStore) -> StoreError {
    StoreError(
      .busy, path: target.address,
      explanation: "the store \(source.configurationName) was changed while it was copied; end the"
        + " programs that write to it, drop the new schema, and copy again")
  }

  func run() throws -> StoreCopyReport {
    for plan in target.plans { try copyRows(of: plan) }
    for plan in target.plans {
      for property in plan.relationships {
        try copyPairs(of: plan, property)
      }
    }
    for plan in target.plans {
      for property in plan.relationships { try copyOrder(of: plan, property) }
    }
    try copyValues()
    try verify()
    try finish()
    return StoreCopyReport(
      models: state.rows.mapValues(\.count), valueCount: state.values?.count ?? 0)
  }

  /// Runs a step for the rows of a class, in batches by their IDs; a finished step isn't run again.
  private func forEachBatch(
    _ step: String, of plan: EntityPlan, _ body: ([Int64]) throws -> Void
  ) throws {
    guard !state.finished.contains(step) else { return }
    while true {
      try Task.checkCancellation()
      let last = state.last[step] ?? .min
      let rows = try source.readRows { transaction in
        guard try transaction.lastTransaction() == state.transaction else {
          throw Self.change(of: source, target)
        }
        return try transaction.rowIDs(of: plan, after: last, limit: Self.batch)
      }
      guard let end = rows.last else { break }
      let before = state
      do {
        try connection.transaction {
          try body(rows)
          state.last[step] = end
          try state.store(connection)
        }
      } catch {
        state = before
        throw error
      }
    }
    state.finished.insert(step)
    try connection.transaction { try state.store(connection) }
  }

  // MARK: - Rows

  private func copyRows(of plan: EntityPlan) throws {
    let total = try sourcePlan(plan).map { try count(of: $0) } ?? 0
    try forEachBatch("rows \(plan.name)", of: plan) { rowIDs in
      var batch = RowBatch(plan, columns: Array(plan.columns.indices))
      var waiting: [RowBatch] = []
      // A server's statement, which has a time limit, doesn't wait for insertions.
      let insertsLater = source is PostgresStore
      var copied = state.rows[plan.name] ?? CopyState.Rows()
      try forEachRow(rowIDs, of: plan, in: source) { row in
        copied.count += 1
        copied.checksum &+= RowChecksum(row).value
        var writer = _RowWriter(plan: plan)
        let cells = RowCopy(copying: row.cells)
        writer.cells = cells.cells
        writer.arena = cells.arena
        try target.cipher[plan]?.seal(&writer)
        if !batch.hasRoom(for: writer.arena, within: target.configuration.batchByteCount) {
          if insertsLater { waiting.append(batch) } else { try insert(batch) }
          batch = RowBatch(plan, columns: batch.columns)
        }
        try batch.append(
          rowID: row.rowID, writer.cells[...], arena: writer.arena, address: target.address)
      }
      for batch in waiting + [batch] where !batch.rowIDs.isEmpty { try insert(batch) }
      state.rows[plan.name] = copied
      try progress?(
        StoreCopyProgress(entity: plan.name, copied: copied.count, total: total))
    }
    if state.rows[plan.name] == nil { state.rows[plan.name] = CopyState.Rows() }
  }

  private func insert(_ batch: RowBatch) throws {
    try connection.run(
      PostgresCommand(PostgresStatementText.finished(batch.insertion), batch.values))
  }

  private func sourcePlan(_ plan: EntityPlan) -> EntityPlan? {
    source.plans.first { $0.name == plan.name }
  }

  private func count(of plan: EntityPlan) throws -> Int {
    var count = 0
    try source.readRows { transaction in
      try transaction.forEachRow(RowRequest(plan, [.rowID], isExact: true)) { _ in count += 1 }
    }
    return count
  }

  /// Calls `body` with the rows of exactly a class.
  private func forEachRow(
    _ rowIDs: [Int64], of plan: EntityPlan, in store: any RowStore, _ body: (RowView) throws -> Void
  ) throws {
    guard let known = store.plans.first(where: { $0.name == plan.name }) else { return }
    try store.prepare(rowIDs: rowIDs, of: known, properties: nil).statement.forEachRow { _, row in
      if row.plan.name == plan.name { try body(row) }
    }
  }

  // MARK: - Relationships

  private func copyPairs(of plan: EntityPlan, _ property: Int) throws {
    guard let join = plan.properties[property].relationship?.joinTable,
      let known = sourcePlan(plan)
    else { return }
    let name = plan.properties[property].name
    try forEachBatch("pairs \(plan.name).\(name)", of: plan) { owners in
      var pairs: (owners: [Int64], destinations: [Int64]) = ([], [])
      try source.readRows { transaction in
        try transaction.forEachPair(of: known, property, owners: owners) {
          pairs.owners.append($0)
          pairs.destinations.append($1)
        }
      }
      guard !pairs.owners.isEmpty else { return }
      // The other end has the same pairs. Those of deleted rows, which other programs may leave, aren't copied.
      try connection.run(
        PostgresCommand(
          PostgresStatementText.finished(
            "INSERT INTO \(SQLIdentifier.quoted(join.name))"
              + " (\(SQLIdentifier.quoted(join.ownerColumn)),"
              + " \(SQLIdentifier.quoted(join.destinationColumn)))"
              + " SELECT v.o, v.d FROM unnest(?::bigint[], ?::bigint[]) AS v(o, d)"
              + " WHERE EXISTS (SELECT 1 FROM \(table(plan, property)) AS t"
              + " WHERE t.\(SQLIdentifier.rowID) = v.d) ON CONFLICT DO NOTHING"),
          [.integers(pairs.owners), .integers(pairs.destinations)]))
    }
  }

  private func table(_ plan: EntityPlan, _ property: Int) -> String {
    let destination = plan.properties[property].relationship.flatMap {
      target.plansByType[ObjectIdentifier($0.destination)]
    }
    return SQLIdentifier.quoted(destination?.table ?? "")
  }

  private func copyOrder(of plan: EntityPlan, _ property: Int) throws {
    guard let relationship = plan.properties[property].relationship,
      let destination = target.plansByType[ObjectIdentifier(relationship.destination)],
      let list = ListOrder(relationship, destination: destination), let known = sourcePlan(plan)
    else { return }
    let name = plan.properties[property].name
    try forEachBatch("order \(plan.name).\(name)", of: plan) { owners in
      var rows: (owners: [Int64], destinations: [Int64], positions: [Int64]) = ([], [], [])
      var lengths: [Int64: Int64] = [:]
      try source.forEachLinkedRow(of: known, property, owners: owners) { _, owner, row in
        lengths[owner, default: 0] += 1
        rows.owners.append(owner)
        rows.destinations.append(row.rowID)
        rows.positions.append((lengths[owner] ?? 0) * SparseOrder.gap)
      }
      guard !rows.owners.isEmpty else { return }
      try connection.run(
        PostgresCommand(
          PostgresStatementText.finished(
            "UPDATE \(list.table) AS t SET \(list.order) = v.p"
              + " FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS v(o, d, p)"
              + " WHERE t.\(list.row) = v.d AND t.\(list.owner) = v.o"),
          [.integers(rows.owners), .integers(rows.destinations), .integers(rows.positions)]))
    }
  }

  // MARK: - Values under keys

  private func copyValues() throws {
    while true {
      try Task.checkCancellation()
      let values = try source.readRows {
        try $0.metadata(after: state.lastKey, limit: Self.valueBatch)
      }
      guard let end = values.last else { return }
      let before = state
      do {
        try connection.transaction {
          let rows = PostgresRowTransaction(connection: connection, store: target)
          try rows.run(
            "INSERT INTO \"_metadata\" (key, kind, value)"
              + " SELECT k, 1, v FROM unnest(?::text[], ?::bytea[]) AS u(k, v)",
            [
              rows.list(values.map { .text(StoreMetadata.prefix + $0.key) }, of: .text),
              rows.list(values.map { .blob($0.value) }, of: .data),
            ])
          var copied = state.values ?? CopyState.Rows()
          Self.add(values, to: &copied)
          state.values = copied
          state.lastKey = end.key
          try state.store(connection)
        }
      } catch {
        state = before
        throw error
      }
    }
  }

  private static func add(
    _ values: [(key: String, value: [UInt8])], to sum: inout CopyState.Rows
  ) {
    for (key, value) in values {
      sum.count += 1
      sum.checksum &+= RowChecksum(key: key, value: value).value
    }
  }

  private func verifyValues() throws {
    var found = CopyState.Rows()
    var last: String?
    while true {
      let values = try target.readRows {
        try $0.metadata(after: last, limit: Self.valueBatch)
      }
      guard let end = values.last else { break }
      last = end.key
      Self.add(values, to: &found)
    }
    let copied = state.values ?? CopyState.Rows()
    guard found == copied else {
      throw StoreError(
        .damaged, path: target.address,
        explanation: "its \(found.count) values under keys aren't those \(copied.count) that were"
          + " copied; drop the schema, and copy again")
    }
  }

  // MARK: - The end

  /// Compares the numbers and checksums of the rows and of the values under keys.
  private func verify() throws {
    guard try source.readRows({ try $0.lastTransaction() }) == state.transaction else {
      throw Self.change(of: source, target)
    }
    for plan in target.plans {
      var found = CopyState.Rows()
      var last = Int64.min
      while true {
        let rowIDs = try target.readRows { transaction in
          try transaction.rowIDs(of: plan, after: last, limit: Self.batch)
        }
        guard let end = rowIDs.last else { break }
        last = end
        try forEachRow(rowIDs, of: plan, in: target) { row in
          found.count += 1
          found.checksum &+= RowChecksum(row).value
        }
      }
      let copied = state.rows[plan.name] ?? CopyState.Rows()
      guard found == copied else {
        throw StoreError(
          .damaged, path: target.address,
          explanation: "its \(found.count) models of \(plan.name) aren't those \(copied.count) that"
            + " were copied; drop the schema, and copy again")
      }
    }
    try verifyValues()
  }

  private func finish() throws {
    let tables = Set(target.plans.map(\.table)).sorted()
    try connection.transaction {
      // A key reads its whole table.
      try target.permitAnyTime(connection)
      try connection.run(state.references.map { PostgresCommand($0.creation) })
      let highest = tables.map {
        "SELECT max(\(SQLIdentifier.rowID)) AS id FROM \(SQLIdentifier.quoted($0))"
      }.joined(separator: " UNION ALL ")
      // Of all rows, so that no ID is given again.
      try connection.run(
        PostgresStatementText.finished(
          "SELECT setval('\"_rows\"', greatest((SELECT max(id) FROM (\(highest)) AS t), 0) + 1, false)"
        ))
      try CopyState.remove(connection)
      try connection.run(
        "UPDATE \"_store\" SET format = $1 WHERE id = 1", [.integer(Int64(StoreTables.format))])
    }
    analyze()
  }

  /// Counts the rows for the server's planner, which has seen empty tables. The copy is complete without it.
  private func analyze() {
    let names = EntityTables.tables(of: target.plans).map { SQLIdentifier.quoted($0) }
    do {
      try connection.transaction {
        try target.permitAnyTime(connection)
        try connection.run(
          PostgresStatementText.finished("ANALYZE " + names.joined(separator: ", ")))
      }
    } catch {
      SwiftDataLog.report(
        .warning, "Postgres", "the tables of a copied store couldn't be analyzed", error)
    }
  }
}
