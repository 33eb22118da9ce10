import SwiftDataCore

/// Finds rows that a step can't migrate, before anything is changed.
package struct StepChecks {
  package typealias Cells = UnsafeBufferPointer<_Cell>

  /// Calls a closure with the row ID and the other columns, of the kinds, of each row that a query returns. The cells
  /// are valid during the call.
  package typealias RowReader = (
    _ query: String, _ kinds: [ColumnKind], _ body: (Int64, Slice<Cells>) throws -> Void
  ) throws -> Void

  /// Returns the result of a closure that is called with the plain cells of an entity's row.
  package typealias RowOpener = (EntityPlan, Cells, (Cells) -> Bool) throws -> Bool

  /// The maximum number of violating IDs to list.
  private static let namedRows = 5

  private let step: SchemaStep
  private let plans: [EntityPlan]
  private let cipher: ColumnCipher?
  private let path: String
  private let forEachRow: RowReader
  private let open: RowOpener

  /// - Parameters:
  ///   - plans: The entities of the new schema.
  ///   - cipher: The cipher of encrypted values; nil without a key.
  ///   - path: The store, for errors.
  package init(
    _ step: SchemaStep, plans: [EntityPlan], cipher: ColumnCipher?, path: String,
    open: @escaping RowOpener, forEachRow: @escaping RowReader
  ) {
    self.step = step
    self.plans = plans
    self.cipher = cipher
    self.path = path
    self.open = open
    self.forEachRow = forEachRow
  }

  /// - Throws: ``MigrationError`` for the first property with violating rows.
  package func run() throws {
    if let error = try failures(stopsAtFirst: true).first { throw error }
  }

  /// All problems that prevent the step.
  package func failures() throws -> [MigrationError] { try failures(stopsAtFirst: false) }

  private func failures(stopsAtFirst: Bool) throws -> [MigrationError] {
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

  private func failure(of check: RowCheck) throws -> MigrationError? {
    var found = ViolatingRows()
    try forEachRow(check.query, []) { rowID, _ in found.add(rowID) }
    return found.error(check.code, check.entity, check.property, path, check.explanation)
  }

  private func failure(of check: DecodingCheck) throws -> MigrationError? {
    guard let plan = plans.first(where: { $0.name == check.entity }),
      let property = plan.propertiesByName[check.property]
    else { return nil }
    let range = plan.properties[property].columns
    var row = [_Cell](repeating: _Cell(kind: .null), count: plan.columns.count)
    var found = ViolatingRows()
    try forEachRow(check.query, plan.columns[range].map(\.kind)) { rowID, cells in
      row.replaceSubrange(range, with: cells)
      let holds = try row.withUnsafeBufferPointer { cells in
        try open(plan, cells) { plan.holds(property, in: $0) }
      }
      if !holds { found.add(rowID) }
    }
    return found.error(.unsuitableValue, check.entity, check.property, path) { count in
      "\(check.entity).\(check.property) is \(check.newType) instead of \(check.oldType), which can't hold"
        + " the values of \(count) models. Change them in the `willMigrate` of a custom stage."
    }
  }

  private func failure(of check: UniqueTextCheck) throws -> MigrationError? {
    var texts = EqualTexts(check, cipher)
    try forEachRow(check.query, check.kinds) { texts.collect($1.map { SQLValue($0) }) }
    if texts.isEmpty { return nil }
    try forEachRow(check.query, check.kinds) { texts.compare($1.map { SQLValue($0) }, rowID: $0) }
    var found = ViolatingRows()
    for rowID in texts.equal { found.add(rowID) }
    return found.error(.notUnique, check.entity, check.property, path, check.explanation)
  }

  /// The number of rows that violate a check, and the IDs of the first ones.
  private struct ViolatingRows {
    private var count = 0
    private var rowIDs: [Int64] = []

    mutating func add(_ rowID: Int64) {
      count += 1
      if rowIDs.count < StepChecks.namedRows { rowIDs.append(rowID) }
    }

    /// - Returns: nil without such a row.
    func error(
      _ code: MigrationError.Code, _ entity: String, _ property: String, _ path: String,
      _ explanation: (Int) -> String
    ) -> MigrationError? {
      guard count > 0 else { return nil }
      let rest = count > rowIDs.count ? ", …" : ""
      let list = rowIDs.map(String.init).joined(separator: ", ") + rest
      return MigrationError(
        code, path: path, entity: entity, property: property, rowCount: count, rowIDs: rowIDs,
        explanation: "\(explanation(count)) Rows: \(list).")
    }
  }
}
