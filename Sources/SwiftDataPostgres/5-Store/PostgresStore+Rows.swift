import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: RowIDStore {
  package func withRow(
    _ rowID: Int64, of plan: EntityPlan, _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool {
    let queries = try queries(of: plan)
    let generation = generation
    let command = PostgresCommand(
      PostgresStatementText.finished(queries.selectByRowID), [.value(.integer(rowID))])
    let result = try withReader { try $0.run(command) }
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
    let generation = generation
    let command = PostgresCommand(
      PostgresStatementText.finished(try queries.selectLinked(relationship)), [.integers(owners)])
    let result = try withReader { try $0.run(command) }
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
    let result = try withReader { try $0.run(command) }
    return (0..<result.rowCount).compactMap { result.integer($0, 0) }
  }

  /// Removes every model, in one transaction.
  public func erase() throws {
    try requireWritable()
    var tables = Set(plans.map(\.table))
    for plan in plans {
      for index in plan.relationships {
        if let join = plan.properties[index].relationship?.joinTable { tables.insert(join.name) }
      }
    }
    let names = tables.sorted().map(SQLIdentifier.quoted).joined(separator: ", ")
    if !names.isEmpty {
      try withConnection { connection in
        try connection.transaction {
          try connection.run(PostgresStatementText.finished("TRUNCATE \(names)"))
        }
      }
    }
    _ = recordCommit()
    commits.post(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
  }
}
