import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// The indices of a table during the insertion of many new rows: they are dropped, and created again when all rows are
/// inserted. Sorting all entries once costs two thirds of looking up the position of each, and less the larger the
/// table gets.
///
/// Until then only ``keys`` can tell whether a row's unique values already exist.
struct DeferredIndices {
  /// The number of new rows from which dropping the indices is worthwhile.
  static let minimumRows = SpeedSwitches.defersIndices ? 4_096 : Int.max

  /// The number of rows in the table at which the indices are created again.
  static let maximumRows = KeySet.maximumCount
  /// The page cache while rows are inserted, in KiB: rows go to the table's end, and the set of keys uses the memory
  /// that they don't need.
  static let fillingCache = 4_096
  /// The page cache while the indices are created, in KiB. Sorting takes as much again; the remaining data is in files.
  static let sortingCache = 8_192

  /// The statements that create the indices, as stored in the file.
  let statements: [String]
  /// The number of rows in the table.
  var rows: Int
  /// The unique values of all rows; nil when they have none.
  var keys: KeySet?
  /// Whether the tables were unchanged since they were last checked.
  let isCookieRecorded: Bool
}

/// Decides when a table's indices are worth dropping, and has them until they are created again.
struct IndexDeferral {
  /// Whether the indices may be dropped until all rows are inserted.
  let isAllowed: Bool
  /// The number of rows that were inserted in groups.
  var newRows = 0
  /// The indices that are created again when all rows are inserted; nil while the table has them.
  var dropped: DeferredIndices?
  /// The number of inserted rows at which to check whether the indices can be dropped.
  private var nextCheck = DeferredIndices.minimumRows

  init(isAllowed: Bool) { self.isAllowed = isAllowed }

  /// Whether the number of rows is a reason to check whether the indices can be dropped: the first time after
  /// ``DeferredIndices/minimumRows``, then after twice as many as the last time.
  mutating func isCheckDue() -> Bool {
    guard newRows >= nextCheck, newRows * 2 <= DeferredIndices.maximumRows else { return false }
    nextCheck = newRows * 2
    return true
  }
}

extension RowUpserter {
  /// Drops the indices when the rows that arrive in a group make that worthwhile, and creates them again when one of
  /// the rows may already exist.
  func deferIndices(for first: Int, _ count: Int) throws {
    if indices.dropped == nil {
      guard indices.isCheckDue() else { return }
      try dropIndices()
    }
    if indices.dropped != nil, !admit(first, count) { try makeIndices() }
  }

  /// Whether the rows of a group are certainly new.
  private func admit(_ first: Int, _ count: Int) -> Bool {
    indices.dropped?.rows += count
    guard let rows = indices.dropped?.rows, rows <= DeferredIndices.maximumRows else {
      return false
    }
    guard let constraint = plan.uniqueness.first else { return true }
    return row.cells.withUnsafeBufferPointer { cells in
      row.arena.withUnsafeBytes { arena in
        (first..<first + count).allSatisfy { position in
          let start = position * plan.columns.count
          return indices.dropped?.keys?.insert(
            constraint.lazy.map { cells[start + $0] }, in: arena.baseAddress) ?? false
        }
      }
    }
  }

  private func dropIndices() throws {
    // Creating the indices must not cost more than dropping them saves.
    let bound = indices.newRows * 2
    let rows =
      try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(statements.table) LIMIT \(bound + 1))") ?? 0
    guard rows <= bound else { return }
    let source = "FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY rowid"
    let names = try connection.texts("SELECT name \(source)", [.text(plan.table)])
    let made = try connection.texts("SELECT sql \(source)", [.text(plan.table)])
    // With an additional unique index, or without the entity's own, only SQLite can tell which rows are new.
    guard !names.isEmpty, names.count == made.count,
      Set(names) == Set(TableDefinition.indexNames(of: plan))
    else { return }
    var keys: KeySet?
    if let constraint = plan.uniqueness.first {
      guard let found = try self.keys(of: constraint) else { return }
      keys = found
    }
    let isCookieRecorded = try StoredSchema.isCookieRecorded(on: connection)
    guard try drop(names) else { return }
    try connection.setPageCache(
      kibibytes: min(DeferredIndices.fillingCache, connection.memory.writingKibibytes))
    indices.dropped = DeferredIndices(
      statements: made, rows: Int(rows), keys: keys, isCookieRecorded: isCookieRecorded)
  }

  /// - Returns: False when the table is being read, so that nothing can be dropped.
  private func drop(_ names: [String]) throws -> Bool {
    try connection.execute("SAVEPOINT indices")
    do {
      for name in names { try connection.execute("DROP INDEX \(SQLIdentifier.quoted(name))") }
    } catch let error as StoreError where error.resultCode == SQLITE_LOCKED {
      try connection.execute("ROLLBACK TO indices; RELEASE indices")
      return false
    }
    try connection.execute("RELEASE indices")
    return true
  }

  /// The unique values of the existing rows; nil when their bytes don't determine whether they are equal, or there are
  /// too many.
  private func keys(of constraint: [Int]) throws -> KeySet? {
    let columns = constraint.map { SQLIdentifier.quoted(plan.columns[$0].name) }
    let statement = try connection.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(statements.table)")
    defer { statement.reset() }
    var keys = KeySet()
    while try statement.step() {
      guard keys.insert(statement.row(from: 0).lazy.map { $0 }, in: nil) else { return nil }
    }
    return keys
  }

  /// Creates the indices that were dropped.
  func makeIndices() throws {
    guard var dropped = indices.dropped else { return }
    indices.dropped = nil
    dropped.keys = nil
    try connection.setPageCache(
      kibibytes: min(DeferredIndices.sortingCache, connection.memory.writingKibibytes))
    for statement in dropped.statements { try connection.execute(statement) }
    try connection.setPageCache(kibibytes: connection.memory.writingKibibytes)
    if dropped.isCookieRecorded { try StoredSchema.writeCookie(on: connection) }
  }
}
