import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Upserts rows of one entity one after the other, reusing the statement and the row's memory.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class RowUpserter {
  /// The treatment of a stored row with the same unique values.
  enum ExistingRow {
    /// It gets the values, but for those of the properties at these positions.
    case updated(keeping: [Int])
    /// It is left alone.
    case left
  }

  let plan: EntityPlan
  let connection: Connection
  let statements: EntityStatements
  /// The statements that insert rows.
  @exclusivity(unchecked) var insertion: InsertionStatements
  /// The row last encoded, after the rows that are held back.
  @exclusivity(unchecked) var row: _RowWriter
  /// The index of the current row's first cell.
  @exclusivity(unchecked) var start = 0
  /// Whether the current row has already been sealed by the codec.
  @exclusivity(unchecked) private var isSealed = false
  /// The columns that an upsert sets whichever key conflicts.
  let upsertedColumns: [Int]
  @exclusivity(unchecked) private(set) var numbering = RowNumbering.unknown
  /// The grouping of rows into statements.
  @exclusivity(unchecked) var grouping: RowGroupingPolicy
  /// The comparison of rows that may exist.
  @exclusivity(unchecked) var comparison: RowComparison
  /// The table's indices during the insertion of many rows.
  @exclusivity(unchecked) var indices: IndexDeferral
  /// Heap space for the pages that are read and written meanwhile.
  @exclusivity(unchecked) var heapReservation = HeapReservation()

  /// - Parameters:
  ///   - existing: The treatment of rows that exist.
  ///   - defersIndices: Whether ``makeIndices()`` is called at the end, so that the table's indices may be dropped
  ///     until then. No other code may use the connection meanwhile.
  init(
    connection: Connection, statements: EntityStatements,
    existing: ExistingRow = .updated(keeping: []), defersIndices: Bool = false
  ) {
    self.connection = connection
    self.statements = statements
    plan = statements.plan
    row = _RowWriter(plan: statements.plan)
    grouping = RowGroupingPolicy(statements)
    indices = IndexDeferral(isAllowed: defersIndices && statements.plan.family == nil)
    switch existing {
    case .updated(let kept):
      insertion = InsertionStatements(
        kept.isEmpty
          ? (statements.upsert, statements.upsertWithRowID) : statements.upserts(keeping: kept))
      comparison = RowComparison(
        EntityStatements.upsertedColumns(plan, plan.uniqueness.first ?? [], kept))
      upsertedColumns = EntityStatements.upsertedColumns(plan, [], kept)
    case .left:
      insertion = InsertionStatements(statements.insertsIfNew)
      comparison = RowComparison([])
      upsertedColumns = []
    }
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
    if indices.dropped != nil { try makeIndices() }
    if !isSealed {
      try statements.codec?.seal(&row, on: connection)
      isSealed = true
    }
    try learnNumbering()
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
      throw StoreError.replacesSeveral(plan, rows: [first, other], path: connection.path)
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
    let (statement, first) = try nextStatement()
    let cells = self.cells
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: first)
      try statement.run()
    }
  }

  /// Inserts a row that was encoded elsewhere, if its unique values are new.
  ///
  /// - Parameters:
  ///   - cells: All columns of the entity, in order.
  ///   - arena: The bytes of the cells.
  func insertIfNew(
    _ cells: UnsafeBufferPointer<_Cell>, arena: UnsafePointer<UInt8>?
  ) throws -> WriteOutcome {
    sqlite3_set_last_insert_rowid(connection.handle, 0)
    let (statement, first) = try nextStatement()
    try statement.bind(cells, arena: arena, at: first)
    try statement.run()
    let rowID = sqlite3_last_insert_rowid(connection.handle)
    guard rowID != 0 else { return .unchanged(0) }
    numbering = .automatic
    return .inserted(rowID)
  }

  /// Finds out which ID the next new row gets.
  func learnNumbering() throws {
    guard case .unknown = numbering else { return }
    numbering = try RowNumbering(of: plan, on: connection)
  }

  /// The statement for the next single row, and the position of its first cell among the parameters.
  private func nextStatement() throws -> (statement: Statement, first: Int32) {
    guard case .next(let rowID) = numbering else {
      return (try insertion.plain(on: connection), 1)
    }
    let statement = try connection.statement(insertion.texts.withRowID)
    try statement.bind(.integer(rowID), at: 1)
    return (statement, 2)
  }

  /// Whether the IDs of new rows are known.
  var isNumbered: Bool { if case .unknown = numbering { false } else { true } }

  /// Makes one of the held rows the current row.
  func select(_ position: Int) { start = position * plan.columns.count }

  /// The cells of the current row.
  var cells: ArraySlice<_Cell> { row.cells[start..<start + plan.columns.count] }
}

/// The statements that insert rows. They are kept, because a lookup would hash their whole texts for each row.
struct InsertionStatements {
  /// The texts for a row whose ID SQLite chooses, and for one with a given ID.
  let texts: (plain: String, withRowID: String)
  private var plain: Statement?
  private var group: Statement?

  init(_ texts: (plain: String, withRowID: String)) { self.texts = texts }

  /// The statement for a row whose ID SQLite chooses.
  mutating func plain(on connection: Connection) throws -> Statement {
    if let plain, !plain.isInUse { return plain }
    let statement = try connection.statement(texts.plain)
    plain = statement
    return statement
  }

  /// The statement for a whole group of new rows.
  ///
  /// - Parameter count: The number of rows; the same in each call.
  mutating func group(
    of count: Int, _ statements: EntityStatements, on connection: Connection
  ) throws -> Statement {
    if let group, !group.isInUse { return group }
    let statement = try connection.statement(statements.insertion(of: count))
    group = statement
    return statement
  }
}
