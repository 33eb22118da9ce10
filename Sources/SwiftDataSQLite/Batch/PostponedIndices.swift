import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// The indices of a table into which many new rows come: they are dropped, and made when the rows are there. Sorting all
/// entries once costs two thirds of what it costs to look for the place of each, and less the larger the table gets.
///
/// Until then nothing but ``keys`` tells whether a row's unique values are there already.
struct PostponedIndices {
  /// So many new rows come before it is worth while.
  static let leastRows = 4_096

  /// With so many rows in the table they are made.
  static let greatestRows = KeySet.greatestCount
  /// The page cache while rows come, in KiB: they go to the table's end, and the set of keys takes what they don't need.
  static let fillingCache = 4_096
  /// The page cache while the indices are made. Sorting takes as much again, and the rest lies in files.
  static let sortingCache = 8_192

  /// The statements that make them, as they stand in the file.
  let statements: [String]
  /// How many rows the table has.
  var rows: Int
  /// The unique values of all rows; nil when they have none.
  var keys: KeySet?
  /// Whether the tables were as they were when they were last looked at.
  let isCookieNoted: Bool
}

extension RowUpserting {
  /// Drops the indices when rows that come in a group make that worth while, and makes them when one of the rows may be
  /// there already.
  func postponeIndices(for first: Int, _ count: Int) throws {
    if postponed == nil {
      guard newRows >= enoughNewRows, plan.family == nil,
        newRows * 2 <= PostponedIndices.greatestRows
      else { return }
      enoughNewRows = newRows * 2
      try dropIndices()
    }
    if postponed != nil, !admit(first, count) { try makeIndices() }
  }

  /// Whether the rows of a group are new for sure.
  private func admit(_ first: Int, _ count: Int) -> Bool {
    postponed?.rows += count
    guard let rows = postponed?.rows, rows <= PostponedIndices.greatestRows else { return false }
    guard let constraint = plan.uniqueness.first else { return true }
    return row.cells.withUnsafeBufferPointer { cells in
      row.arena.withUnsafeBytes { arena in
        (first..<first + count).allSatisfy { position in
          let start = position * plan.columns.count
          return postponed?.keys?.insert(
            constraint.lazy.map { cells[start + $0] }, in: arena.baseAddress) ?? false
        }
      }
    }
  }

  private func dropIndices() throws {
    // Making them must not cost more than it saves.
    let bound = newRows * 2
    let rows =
      try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(statements.table) LIMIT \(bound + 1))") ?? 0
    guard rows <= bound else { return }
    let source = "FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY rowid"
    let names = try connection.texts("SELECT name \(source)", [.text(plan.table)])
    let made = try connection.texts("SELECT sql \(source)", [.text(plan.table)])
    // With another unique index, or without its own, only SQLite can tell what is new.
    guard !names.isEmpty, names.count == made.count,
      Set(names) == Set(TableDefinition.indexNames(of: plan))
    else { return }
    var keys: KeySet?
    if let constraint = plan.uniqueness.first {
      guard let found = try self.keys(of: constraint) else { return }
      keys = found
    }
    let isCookieNoted = try StoredSchema.isCookieNoted(on: connection)
    guard try drop(names) else { return }
    try connection.setPageCache(
      kibibytes: min(PostponedIndices.fillingCache, connection.memory.writingKibibytes))
    postponed = PostponedIndices(
      statements: made, rows: Int(rows), keys: keys, isCookieNoted: isCookieNoted)
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

  /// The unique values of the rows that are there; nil when they can't be told by their bytes.
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

  /// Makes the indices that were dropped.
  func makeIndices() throws {
    guard var postponed else { return }
    self.postponed = nil
    postponed.keys = nil
    try connection.setPageCache(
      kibibytes: min(PostponedIndices.sortingCache, connection.memory.writingKibibytes))
    for statement in postponed.statements { try connection.execute(statement) }
    try connection.setPageCache(kibibytes: connection.memory.writingKibibytes)
    if postponed.isCookieNoted { try StoredSchema.writeCookie(on: connection) }
  }
}
