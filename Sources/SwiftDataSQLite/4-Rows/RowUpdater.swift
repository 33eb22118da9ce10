import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Writes the changed properties of models of one entity, reusing the statements and the row's memory.
///
/// Rows with the same changed properties are held until there are many, see `RowUpdater+Grouping.swift`.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class RowUpdater {
  /// The set of changed properties of rows, and the statements that write them.
  final class Kind {
    let properties: ChangeMask
    let columns: [Int]
    /// The statement for one row.
    let text: StatementText
    /// Whether rows may be written together.
    let isGrouped: Bool
    /// The statement for a range of rows.
    private(set) lazy var ranges = StatementText(statements.update(columns: columns, ofRows: nil))
    private var lists: [Int: StatementText] = [:]
    private let statements: EntityStatements

    /// - Parameter bound: Columns that prevent rows from being written together.
    init(_ properties: ChangeMask, of statements: EntityStatements, bound: Set<Int>) {
      self.properties = properties
      columns = properties.indices.flatMap { Array(statements.plan.columnRanges[$0]) }
      self.statements = statements
      isGrouped = !columns.contains(where: bound.contains)
      text = StatementText(statements.update(columns: columns))
    }

    /// The statement for a number of rows.
    func lists(of count: Int) -> StatementText {
      if let list = lists[count] { return list }
      let list = StatementText(statements.update(columns: columns, ofRows: count))
      lists[count] = list
      return list
    }
  }

  let plan: EntityPlan
  let statements: EntityStatements
  let connection: Connection
  private let columns: RowUpdateColumns
  /// The cells of the held rows, followed by those of the properties recorded so far.
  @exclusivity(unchecked) var row: _RowWriter
  /// The properties recorded so far.
  @exclusivity(unchecked) private(set) var recorded = RecordedProperties()
  /// The kind of the previous model: most models of a save have changes of the same properties.
  @exclusivity(unchecked) private var lastKind: Kind?
  @exclusivity(unchecked) var buffer = RowUpdateBuffer()
  /// Whether the table permits writing rows together; nil until checked.
  @exclusivity(unchecked) var isGrouped: Bool?
  /// The models whose unique values other rows had.
  @exclusivity(unchecked) var collisions = RowCollisions()

  init(connection: Connection, statements: EntityStatements) {
    self.connection = connection
    self.statements = statements
    plan = statements.plan
    columns = RowUpdateColumns(of: plan)
    row = _RowWriter(plan: plan)
    // Other forms of values are created row by row, and search tables are maintained by triggers.
    if statements.codec != nil || statements.isSearchable { isGrouped = false }
  }

  /// Prepares for a model.
  func begin(_ state: _ModelState) {
    row.begin(state, behind: buffer.cells)
    recorded = RecordedProperties(bytes: row.arena.count)
  }

  /// Records the current value of a property.
  ///
  /// - Parameter comparing: Whether an unchanged value is left out.
  /// - Returns: Whether the property is a relationship whose destination has no row yet, see ``unresolved``.
  func record<Model: PersistentModel>(
    _ index: Int, of model: Model, _ state: _ModelState, comparing: Bool
  ) throws -> Bool {
    let start = row.cells.count
    row.property = index
    if !row.unresolved.isEmpty { row.unresolved.removeAll() }
    model._$encode(index, into: &row)
    if let failure = row.failure { throw failure }
    let range = columns.ranges[index]
    if columns.uniqueTexts.contains(index) {
      row.composeUniqueTexts(ofColumns: Array(range), at: start)
    }
    let isEqual = comparing ? row.isAsCommitted(index, state, at: start) : nil
    if isEqual == true {
      row.cells.removeLast(row.cells.count - start)
    } else {
      if isEqual == nil, !range.isEmpty { recorded.areAllCompared = false }
      recorded.properties.insert(index)
    }
    return !row.unresolved.isEmpty
  }

  /// The destinations without a row of the property recorded last.
  var unresolved: [(property: Int, destination: any PersistentModel)] { row.unresolved }

  /// Whether there is nothing to write.
  var isEmpty: Bool { row.cells.count == buffer.cells }

  /// Records all properties in place of those recorded so far.
  func recordAll<Model: PersistentModel>(of model: Model) throws {
    begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    row.composeUniqueTexts(at: buffer.cells)
    for index in plan.properties.indices { recorded.properties.insert(index) }
  }

  /// Writes the recorded properties, or holds them for others of their kind.
  ///
  /// - Parameters:
  ///   - position: The position of the model in the save.
  ///   - allDiffer: Whether all values certainly differ from those of the row.
  /// - Returns: The models of the save whose rows no longer exist; nil if there are none.
  func write(to rowID: Int64, of position: Int, allDiffer: Bool) throws -> [Int]? {
    if buffer.admits(recorded.properties, allDiffer), row.arena.count < RowUpdateBuffer.maximumBytes
    {
      buffer.append(rowID, position)
      return buffer.isFull ? try flushBuffer() : nil
    }
    let gone = try flushBuffer()
    let kind = kind()
    if kind.isGrouped, isGrouped != false {
      buffer.begin(kind, allDiffer)
      buffer.append(rowID, position)
      return gone
    }
    try statements.codec?.seal(&row, columns: kind.columns, on: connection)
    do {
      let isThere = try report(recorded.properties, allDiffer && statements.codec == nil) {
        try write(row.cells[...], to: rowID, kind)
      }
      return isThere ? gone : (gone ?? []) + [position]
    } catch let error as StoreError where error.code == .notUnique && collisions.areCollected {
      collisions.rows.append((position, rowID, kind.columns))
      return gone
    }
  }

  /// Writes one row.
  ///
  /// - Returns: Whether the row existed.
  func write(_ cells: ArraySlice<_Cell>, to rowID: Int64, _ kind: Kind) throws -> Bool {
    let statement = try connection.statement(kind.text)
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: 1)
      try statement.bind(.integer(rowID), at: Int32(cells.count + 1))
      try statement.run()
    }
    return sqlite3_changes64(connection.handle) != 0
  }

  /// Replaces the unique values of the rows in ``collisions`` with placeholders that no other row uses. The history
  /// records the changes when the rows get their new values.
  func setPlaceholders() throws {
    for (_, rowID, columns) in collisions.rows {
      // Those that the save changes.
      let unique = statements.uniqueColumns.filter(columns.contains)
      guard !unique.isEmpty else { continue }
      let statement = try connection.statement(
        statements.placeholderAssignments(unique) + " WHERE \(SQLIdentifier.rowID) = ?")
      try report(ChangeMask(), false) {
        try statement.bind(.integer(rowID), at: 1)
        try statement.run()
      }
    }
  }

  /// Runs `body` while the history recorder knows which properties it sets.
  func report<Result>(
    _ properties: ChangeMask, _ allDiffer: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let recorder = connection.recorder
    recorder?.properties = properties
    recorder?.allDiffer = allDiffer
    defer {
      recorder?.properties = nil
      recorder?.allDiffer = false
    }
    return try body()
  }

  private func kind() -> Kind {
    if let lastKind, lastKind.properties == recorded.properties { return lastKind }
    let kind = Kind(recorded.properties, of: statements, bound: columns.bound)
    lastKind = kind
    return kind
  }
}

/// The columns of an entity, as an update sees them.
struct RowUpdateColumns {
  /// The columns of each property.
  let ranges: [Range<Int>]
  /// Columns that several rows must not change in one statement: the permitted values of one row depend on the others.
  let bound: Set<Int>
  /// The properties with strings that must be unique.
  let uniqueTexts: ChangeMask

  init(of plan: EntityPlan) {
    ranges = plan.columnRanges
    bound = Set(
      plan.uniqueness.joined() + plan.relationships.flatMap { Array(plan.columnRanges[$0]) })
    var uniqueTexts = ChangeMask()
    for column in plan.uniqueTexts { uniqueTexts.insert(plan.columns[column].property) }
    self.uniqueTexts = uniqueTexts
  }
}

/// The properties of a model that are to be written.
struct RecordedProperties {
  var properties = ChangeMask()
  /// The start of their bytes in the arena.
  var bytes = 0
  /// Whether the former values of all were known.
  var areAllCompared = true
}

/// The models whose unique values other rows had when they were written; they are written at the end.
struct RowCollisions {
  var rows: [(position: Int, rowID: Int64, columns: [Int])] = []
  /// Whether models are collected; otherwise such a value is an error.
  var areCollected = true
}
