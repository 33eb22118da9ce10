import CSQLite
import SwiftDataCore

/// Writes the changed properties of models of one entity, one model after the other, reusing the statement and the
/// row's memory.
///
/// Nothing that is called with a part of it reaches it again, so its variables have no check of exclusive access.
final class RowUpdating {
  let plan: EntityPlan
  let statements: EntityStatements
  private let connection: Connection
  private let ranges: [Range<Int>]
  /// The cells of the properties noted so far.
  @exclusivity(unchecked) private(set) var row: _RowWriter
  /// Their columns.
  @exclusivity(unchecked) private var columns: [Int] = []
  @exclusivity(unchecked) private var properties = ChangeMask()
  /// Whether it was known of all that was noted what it had been.
  @exclusivity(unchecked) private(set) var comparesAll = true
  /// The statement of the model before: most models of a save have changes of the same properties.
  @exclusivity(unchecked) private var lastText: StatementText?
  @exclusivity(unchecked) private var lastColumns: [Int] = []

  init(connection: Connection, statements: EntityStatements) {
    self.connection = connection
    self.statements = statements
    plan = statements.plan
    ranges = plan.columnRanges
    row = _RowWriter(plan: statements.plan)
  }

  /// Makes ready for a model.
  func begin(_ state: _ModelState) {
    row.begin(state)
    columns.removeAll(keepingCapacity: true)
    properties = ChangeMask()
    comparesAll = true
  }

  /// Takes in the present value of a property.
  ///
  /// - Parameter comparing: Whether it isn't written when it is what it was.
  /// - Returns: Whether it is a relationship whose destination has no row yet, see ``unresolved``.
  func note<Model: PersistentModel>(
    _ index: Int, of model: Model, _ state: _ModelState, comparing: Bool
  ) throws -> Bool {
    let start = row.cells.count
    row.property = index
    if !row.unresolved.isEmpty { row.unresolved.removeAll() }
    model._$encode(index, into: &row)
    if let failure = row.failure { throw failure }
    let range = ranges[index]
    let isEqual =
      comparing ? state.isAsCommitted(index, row.cells, row.arena, at: start) : nil
    if isEqual == true {
      row.cells.removeLast(row.cells.count - start)
    } else {
      if isEqual == nil, !range.isEmpty { comparesAll = false }
      columns += range
      properties.insert(index)
    }
    return !row.unresolved.isEmpty
  }

  /// Of the property noted last.
  var unresolved: [(property: Int, destination: any PersistentModel)] { row.unresolved }

  /// Whether nothing has to be written.
  var isEmpty: Bool { columns.isEmpty }

  /// Takes in all properties in place of those that were noted.
  func noteAll<Model: PersistentModel>(of model: Model) throws {
    begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    columns = Array(plan.columns.indices)
    for index in plan.properties.indices { properties.insert(index) }
  }

  /// Writes what was noted.
  ///
  /// - Parameter allDiffer: Whether all of it differs for sure from what the row has.
  /// - Returns: Whether there was such a row.
  func write(to rowID: Int64, allDiffer: Bool) throws -> Bool {
    try statements.codec?.seal(&row, columns: columns, on: connection)
    let statement = try connection.statement(text())
    if let recorder = connection.recorder {
      recorder.properties = properties
      recorder.allDiffer = allDiffer && statements.codec == nil
    }
    defer {
      connection.recorder?.properties = nil
      connection.recorder?.allDiffer = false
    }
    let cells = row.cells[...]
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: 1)
      try statement.bind(.integer(rowID), at: Int32(cells.count + 1))
      try statement.run()
    }
    return sqlite3_changes64(connection.handle) != 0
  }

  private func text() -> StatementText {
    if let lastText, lastColumns == columns { return lastText }
    let text = StatementText(statements.update(columns: columns))
    (lastText, lastColumns) = (text, columns)
    return text
  }
}
