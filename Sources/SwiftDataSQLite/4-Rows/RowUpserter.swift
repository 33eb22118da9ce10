import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Upserts rows of one entity one after the other, reusing the statement and the row's memory.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class RowUpserter {
  let plan: EntityPlan
  let connection: Connection
  let statements: EntityStatements
  private let upserts: (plain: String, withRowID: String)
  /// The statement for all rows but the first; a lookup would hash its whole text for each row.
  @exclusivity(unchecked) private var prepared: Statement?
  /// The row last encoded, after the rows that are held back.
  @exclusivity(unchecked) var row: _RowWriter
  /// The index of the current row's first cell.
  @exclusivity(unchecked) var start = 0
  /// The grouping of rows into statements.
  @exclusivity(unchecked) var grouping: RowGroupingPolicy
  /// The statement for a whole group of new rows.
  @exclusivity(unchecked) var preparedGroup: Statement?
  /// The statement that looks up a whole group.
  @exclusivity(unchecked) var preparedLookup: Statement?
  /// The order in which existing rows were found.
  @exclusivity(unchecked) var scanOrder = ScanOrder()
  /// The statements that read rows in their order. Few saves need them.
  private(set) lazy var readings = makeReadings()
  /// The columns in which a row can differ from the row with its unique values: those that an upsert sets.
  let comparedColumns: [Int]
  /// The columns that an upsert sets whichever key conflicts.
  private let upsertedColumns: [Int]
  /// Whether the table's indices may be dropped until all rows are inserted.
  let defersIndices: Bool
  /// The indices that are created again when all rows are inserted; nil while the table has them.
  @exclusivity(unchecked) var deferredIndices: DeferredIndices?
  /// The number of rows that this object has inserted in groups.
  @exclusivity(unchecked) var newRows = 0
  /// The number of inserted rows at which to check whether the indices can be dropped.
  @exclusivity(unchecked) var enoughNewRows = DeferredIndices.minimumRows
  /// Heap space for the pages that are read and written meanwhile.
  @exclusivity(unchecked) var heapReservation = HeapReservation()
  /// Whether the current row has already been sealed by the codec.
  @exclusivity(unchecked) private var isSealed = false
  /// The state of the numbering of new rows; an object lives no longer than a transaction.
  @exclusivity(unchecked) private(set) var numbering = Numbering.unknown

  enum Numbering {
    case unknown
    /// The row with the highest ID was deleted: the next row gets this ID.
    case next(Int64)
    case automatic
  }

  /// - Parameters:
  ///   - kept: The properties whose values an existing row keeps, by position.
  ///   - postponesIndices: Whether ``makeIndices()`` is called at the end, so that the table's indices may be dropped
  ///     until then. No other code may use the connection meanwhile.
  init(
    connection: Connection, statements: EntityStatements, keeping kept: [Int] = [],
    postponesIndices: Bool = false
  ) {
    self.connection = connection
    self.defersIndices = postponesIndices
    self.statements = statements
    upserts =
      kept.isEmpty
      ? (statements.upsert, statements.upsertWithRowID) : statements.upserts(keeping: kept)
    plan = statements.plan
    comparedColumns = EntityStatements.upsertedColumns(plan, plan.uniqueness.first ?? [], kept)
    upsertedColumns = EntityStatements.upsertedColumns(plan, [], kept)
    row = _RowWriter(plan: statements.plan)
    grouping = RowGroupingPolicy(statements)
  }

  private func makeReadings() -> (ascending: StatementText, descending: StatementText) {
    let columns = (plan.uniqueness.first ?? []) + comparedColumns
    func reading(_ descending: Bool) -> StatementText {
      StatementText(statements.read(grouping.size, columns, descending: descending))
    }
    return (reading(false), reading(true))
  }

  /// Writes `model` into the row.
  ///
  /// - Returns: The relationships whose destination has no row yet.
  func encode(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    isSealed = false
    return try Self.encode(model, into: &row, behind: bufferedCells)
  }

  /// Writes `model` into `row`, after the given number of cells of earlier rows.
  static func encode(
    _ model: any PersistentModel, into row: inout _RowWriter, behind held: Int
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    func open<Model: PersistentModel>(_ model: Model, _ row: inout _RowWriter) {
      let state = model._$modelState
      if held == 0 { row.begin(state) } else { row.begin(state, behind: held) }
      model._$encode(into: &row)
    }
    open(model, &row)
    if let failure = row.failure { throw failure }
    guard row.cells.count == held + row.plan.columns.count else {
      throw SchemaError.misalignedRow(entity: row.plan.name)
    }
    row.composeUniqueTexts(at: held)
    return row.unresolved
  }

  /// The row last encoded, as a value for ``load(_:)``.
  var encoded: RowCopy { row.rowCopy }

  /// Makes `copy` the row that ``upsert()`` writes.
  func load(_ copy: RowCopy) {
    row.cells = copy.cells
    row.arena = copy.arena
    isSealed = true
  }

  /// Upserts the row last encoded; a failure becomes a part of the outcome.
  func outcome(needsRowID: Bool) -> WriteOutcome {
    do { return try upsert(needsRowID: needsRowID) } catch { return .refused(error) }
  }

  /// Upserts the row last encoded.
  ///
  /// - Parameter needsRowID: False saves the lookup of an existing row; its ID is 0 in the result then.
  func upsert(needsRowID: Bool = true) throws -> WriteOutcome {
    if deferredIndices != nil { try makeIndices() }
    if !isSealed {
      try statements.codec?.seal(&row, on: connection)
      isSealed = true
    }
    if case .unknown = numbering {
      let next = try connection.integer(RowNumbers.next(of: plan))
      numbering = next.map { .next($0) } ?? .automatic
    }
    // Only an actual insertion sets it, an update by conflict doesn't
    // (https://sqlite.org/c3ref/last_insert_rowid.html).
    sqlite3_set_last_insert_rowid(connection.handle, 0)
    do {
      try write()
    } catch let error as StoreError where error.code == .notUnique {
      throw try collision(error)
    } catch let error as StoreError where error.code == .missingValue {
      throw missingValue(error)
    }
    let inserted = sqlite3_last_insert_rowid(connection.handle)
    if inserted != 0 {
      numbering = .automatic
      return .inserted(inserted)
    }
    let changed = sqlite3_changes64(connection.handle) > 0
    if !needsRowID && plan.uniqueness.count == 1 && plan.family == nil {
      return changed ? .updated(0) : .unchanged(0)
    }
    let found = try conflicting()
    // An equal row that conflicts by one constraint may still collide with another row by a second constraint.
    if let first = found.first, let other = found.first(where: { $0.rowID != first.rowID }) {
      throw Self.collision(plan, connection.path, [first, other])
    }
    if EntityStatements.hasOneConflictClause(plan),
      try !isWritten(found.first?.rowID, changed)
    {
      throw StoreError(
        .notUnique, path: connection.path,
        explanation:
          "a \(plan.name) collides with a row by a unique index that isn't the model's, and"
          + " wasn't written; drop the index that another program made on \(statements.table)")
    }
    guard let rowID = found.first?.rowID else {
      throw StoreError(
        .other, path: connection.path, explanation: "an upsert of \(plan.name) left no row")
    }
    return changed ? .updated(rowID) : .unchanged(rowID)
  }

  private func write() throws {
    var first: Int32 = 1
    let statement: Statement
    if case .next(let rowID) = numbering {
      statement = try connection.statement(upserts.withRowID)
      try statement.bind(.integer(rowID), at: 1)
      first = 2
    } else {
      statement = try plainStatement()
    }
    let cells = self.cells
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: first)
      try statement.run()
    }
  }

  /// Whether the IDs of new rows are known.
  var isNumbered: Bool { if case .unknown = numbering { false } else { true } }

  /// Makes one of the held rows the current row.
  func select(_ position: Int) { start = position * plan.columns.count }

  /// The cells of the current row.
  private var cells: ArraySlice<_Cell> { row.cells[start..<start + plan.columns.count] }

  private func plainStatement() throws -> Statement {
    if let prepared, !prepared.isInUse { return prepared }
    let statement = try connection.statement(upserts.plain)
    prepared = statement
    return statement
  }

  private typealias Conflict = (rowID: Int64, constraint: [Int])

  /// The stored rows that share a unique value with the row, by constraint.
  private func conflicting() throws -> [Conflict] {
    var found: [Conflict] = []
    for constraint in plan.uniqueness {
      let statement = try connection.statement(statements.lookUpRow(constraint))
      defer { statement.reset() }
      try row.arena.withUnsafeBufferPointer { arena in
        for (position, column) in constraint.enumerated() {
          try statement.bind(
            row.cells[start + column..<start + column + 1], arena: arena.baseAddress,
            at: Int32(position + 1))
        }
        guard try statement.step() else { return }
        if plan.family != nil, statement.string(at: 1) != plan.name {
          throw otherClass(statement.rowID(), statement.string(at: 1))
        }
        found.append((statement.rowID(), constraint))
      }
    }
    return found
  }

  /// Whether the conflicting row has the values that an upsert by a clause without a target leaves: such a clause also
  /// applies to conflicts with indices of other programs, and leaves the rows of these conflicts unchanged.
  private func isWritten(_ rowID: Int64?, _ changed: Bool) throws -> Bool {
    guard let rowID else { return false }
    let columns = upsertedColumns
    if changed || columns.isEmpty { return true }
    let statement = try connection.statement(statements.isUpserted(columns))
    defer { statement.reset() }
    return try row.arena.withUnsafeBufferPointer { arena in
      for (position, column) in columns.enumerated() {
        let cell = start + column
        try statement.bind(
          row.cells[cell..<cell + 1], arena: arena.baseAddress, at: Int32(position + 1))
      }
      try statement.bind(.integer(rowID), at: Int32(columns.count + 1))
      return try statement.step()
    }
  }

  private func otherClass(_ rowID: Int64, _ entity: String) -> StoreError {
    StoreError(
      .notUnique, path: connection.path,
      explanation:
        "a \(plan.name) would replace row \(rowID), which has the same unique value but is a"
        + " \(entity); a model can't change its class, so delete that one or change the value")
  }

  private func collision(_ error: StoreError) throws -> StoreError {
    let found = try conflicting()
    guard Set(found.map(\.rowID)).count > 1 else { return error }
    return Self.collision(plan, connection.path, found)
  }

  private static func collision(
    _ plan: EntityPlan, _ path: String, _ found: [Conflict]
  ) -> StoreError {
    let rows = found.map { conflict in
      let names = conflict.constraint.map { plan.columns[$0].name }.joined(separator: ", ")
      return "row \(conflict.rowID) by \(names)"
    }
    return StoreError(
      .notUnique, path: path,
      explanation: "a \(plan.name) would have to replace two stored ones at once:"
        + " \(rows.joined(separator: " and ")); delete one of them, or change the unique values")
  }

  private func missingValue(_ error: StoreError) -> StoreError {
    let missing = plan.columns.indices.filter {
      !plan.columns[$0].isOptional && row.cells[start + $0].kind == .null
    }
    let names = missing.map { "\(plan.name).\(plan.columns[$0].name)" }.joined(separator: ", ")
    return StoreError(
      .missingValue, path: error.path,
      explanation: "\(names) can't be nil and has no value; set it before saving",
      resultCode: error.resultCode, sql: error.sql)
  }
}
