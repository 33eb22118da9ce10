import SwiftDataCore
import SwiftDataSQL

/// Finds rows that a step can't migrate, before anything is changed.
struct StepChecks {
  /// The maximum number of violating IDs to list.
  private static let namedRows = 5

  let connection: PostgresConnection
  let step: SchemaStep
  /// The entities of the new schema.
  let plans: [EntityPlan]
  let cipher: StoreCipher
  let address: String

  /// - Throws: ``MigrationError`` for the first property with violating rows.
  func run() throws {
    if let error = try failures(stopsAtFirst: true).first { throw error }
  }

  /// All problems that prevent the step.
  func failures(stopsAtFirst: Bool = false) throws -> [MigrationError] {
    var failures: [MigrationError] = []
    for check in step.checks {
      guard let failure = try failure(of: check) else { continue }
      failures.append(failure)
      if stopsAtFirst { return failures }
    }
    // Values are decoded only where the other checks found no problem with their columns.
    let known = Set(failures.map { [$0.entity, $0.property] })
    for check in step.decodings where !known.contains([check.entity, check.property]) {
      guard let failure = try failure(of: check) else { continue }
      failures.append(failure)
      if stopsAtFirst { return failures }
    }
    for check in step.uniqueTexts where !known.contains([check.entity, check.property]) {
      guard let failure = try failure(of: check) else { continue }
      failures.append(failure)
      if stopsAtFirst { return failures }
    }
    return failures
  }

  private func failure(of check: UniqueTextCheck) throws -> MigrationError? {
    var texts = EqualTexts(check, cipher.cipher)
    func forEachRow(_ body: (Int64, [SQLValue]) -> Void) throws {
      try connection.forEachRow(
        of: PostgresCommand(PostgresStatementText.finished(check.query)),
        kinds: [nil] + check.kinds
      ) { cells in body(cells[0].bits, cells.dropFirst().map { SQLValue($0) }) }
    }
    try forEachRow { texts.collect($1) }
    if texts.isEmpty { return nil }
    try forEachRow { texts.compare($1, rowID: $0) }
    let rows = texts.equal
    guard !rows.isEmpty else { return nil }
    return error(
      .notUnique, check.entity, check.property, rows.count, Array(rows.prefix(Self.namedRows)),
      check.explanation(rows.count))
  }

  private func failure(of check: RowCheck) throws -> MigrationError? {
    let result = try connection.run(PostgresStatementText.finished(check.query))
    guard result.rowCount > 0 else { return nil }
    let rows = (0..<min(result.rowCount, Self.namedRows)).compactMap { result.integer($0, 0) }
    return error(
      check.code, check.entity, check.property, result.rowCount, rows,
      check.explanation(result.rowCount))
  }

  private func error(
    _ code: MigrationError.Code, _ entity: String, _ property: String, _ count: Int,
    _ rows: [Int64], _ explanation: String
  ) -> MigrationError {
    let list = rows.map(String.init).joined(separator: ", ") + (count > rows.count ? ", …" : "")
    return MigrationError(
      code, path: address, entity: entity, property: property, rowCount: count, rowIDs: rows,
      explanation: "\(explanation) Rows: \(list).")
  }

  private func failure(of check: DecodingCheck) throws -> MigrationError? {
    guard let plan = plans.first(where: { $0.name == check.entity }),
      let property = plan.propertiesByName[check.property]
    else { return nil }
    let range = plan.properties[property].columns
    var row = [_Cell](repeating: _Cell(kind: .null), count: plan.columns.count)
    var count = 0
    var rows: [Int64] = []
    try connection.forEachRow(
      of: PostgresCommand(PostgresStatementText.finished(check.query)),
      kinds: [nil] + plan.columns[range].map(\.kind)
    ) { cells in
      row.replaceSubrange(range, with: cells.dropFirst())
      let holds = try row.withUnsafeBufferPointer { cells in
        guard let cipher = cipher[plan] else { return plan.holds(property, in: cells) }
        return try cipher.open(cells, address: address) { plan.holds(property, in: $0) }
      }
      if holds { return }
      count += 1
      if rows.count < Self.namedRows { rows.append(cells[0].bits) }
    }
    guard count > 0 else { return nil }
    return error(
      .unsuitableValue, check.entity, check.property, count, rows,
      "\(check.entity).\(check.property) is \(check.newType) instead of \(check.oldType), which can't hold"
        + " the values of \(count) models. Change them in the `willMigrate` of a custom stage.")
  }
}
