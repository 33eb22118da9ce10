import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The stored rows that have the unique values of new ones.
struct StoredMatches {
  /// The number of rows from which a planner without knowledge of their number is told to use indices.
  static let minimumPlanned = 64
  /// The number of rows that are looked for together: the server looks for the next ones while these are compared.
  private static let portion = 1_000

  /// The ID of the stored row of each new one; nil where there is none.
  private(set) var rowIDs: [Int64?]
  /// The new rows whose stored ones have other values, or values in another form.
  private(set) var different: [Difference] = []
  /// The stored rows that were found for a new one, where several constraints may find one for two.
  private var taken: Set<Int64> = []

  /// A new row whose stored one has other values.
  struct Difference {
    let position: Int
    /// The properties that differ, and the version of the stored row that was compared; nil when the server has to
    /// compare the rows, since it doesn't tell versions, or a value may be in another form only.
    let known: (properties: ChangeMask, version: Int64)?
  }

  /// Reads the stored rows, and compares them.
  ///
  /// - Parameter lookups: The statements that find the rows, see ``lookups(of:_:_:_:)``.
  /// - Throws: ``StoreError/Code/notUnique`` when a new row has unique values of several stored ones, or several new
  ///   rows have those of one: it becomes the first of them, and only then can be seen whether it is another's, too.
  init(
    _ rows: [_RowWriter], _ lookups: [PostgresCommand], _ statements: MergeStatements,
    on connection: PostgresConnection, _ address: String
  ) throws {
    rowIDs = Array(repeating: nil, count: rows.count)
    try Self.runByIndex(lookups, rows.count, on: connection) {
      try add($0, rows, statements, address)
    }
  }

  /// The statements that find the stored rows of new ones.
  static func lookups(
    of rows: [_RowWriter], _ plan: EntityPlan, _ statements: MergeStatements, _ address: String
  ) throws -> [PostgresCommand] {
    try statements.constraints.flatMap { constraint in
      try stride(from: 0, to: rows.count, by: portion).map { start in
        try lookup(
          of: rows, start..<min(start + portion, rows.count), by: constraint, plan, statements,
          address)
      }
    }
  }

  /// The statement that finds the stored rows of a part of the new ones.
  private static func lookup(
    of rows: [_RowWriter], _ part: Range<Int>, by constraint: [Int], _ plan: EntityPlan,
    _ statements: MergeStatements, _ address: String
  ) throws -> PostgresCommand {
    var keys = RowBatch(plan, columns: constraint)
    for position in part {
      try keys.append(
        rowID: Int64(position), of: rows[position].cells, arena: rows[position].arena,
        address: address)
    }
    return PostgresCommand(
      PostgresStatementText.finished(statements.lookup(from: keys.source, by: constraint)),
      keys.values)
  }

  /// Runs statements that find rows by indices, and calls `body` with each result as it arrives. The planner may prefer
  /// to read the whole table for each batch, where most rows are in memory.
  ///
  /// - Parameter methods: The planner's methods that aren't used.
  static func runByIndex(
    _ commands: [PostgresCommand], _ count: Int, on connection: PostgresConnection,
    without methods: [String] = ["hashjoin", "mergejoin"],
    _ body: (PostgresResult) throws -> Void
  ) throws {
    guard count >= minimumPlanned else {
      return try connection.forEachResult(of: commands) { try body($1) }
    }
    let own = methods.count..<methods.count + commands.count
    try connection.forEachResult(
      of: methods.map { PostgresCommand("SET LOCAL enable_\($0) = off") } + commands
        + methods.map { PostgresCommand("SET LOCAL enable_\($0) = on") }
    ) { index, result in
      if own.contains(index) { try body(result) }
    }
  }

  private mutating func add(
    _ found: PostgresResult, _ rows: [_RowWriter], _ statements: MergeStatements,
    _ address: String
  ) throws {
    let reader = PostgresRowReader(found, kinds: statements.lookupKinds)
    let updated = statements.updated
    for row in 0..<found.rowCount {
      let cells = reader.cells(of: found, row)
      let (position, rowID) = (Int(cells[0].bits), cells[1].bits)
      if let other = rowIDs[position] {
        guard other == rowID else { throw Self.sharedValue(address) }
        continue
      }
      rowIDs[position] = rowID
      // One constraint's values are those of one new row.
      guard statements.constraints.count == 1 || taken.insert(rowID).inserted else {
        throw Self.sharedValue(address)
      }
      let stored = UnsafeBufferPointer(rebasing: cells[2...])
      let new = rows[position]
      guard !Self.areEqual(stored, new.cells, new.arena, updated) else { continue }
      let version =
        statements.hasVersions ? found.integer(row, statements.versionColumn) : nil
      let known = version.flatMap { version in
        Self.changes(stored, new.cells, new.arena, statements)
          .map { (properties: $0, version: version) }
      }
      different.append(Difference(position: position, known: known))
    }
  }

  private static func sharedValue(_ address: String) -> StoreError {
    StoreError(
      .notUnique, path: address,
      explanation: "two models would share a unique value; change one of them")
  }

  /// The properties of a stored row that have other values than those of a new one; nil when the server may find them
  /// equal, as numbers that are written with different digits.
  private static func changes(
    _ stored: UnsafeBufferPointer<_Cell>, _ cells: [_Cell], _ arena: [UInt8],
    _ statements: MergeStatements
  ) -> ChangeMask? {
    var mask = ChangeMask()
    for (place, column) in statements.updated.enumerated() {
      let only = UnsafeBufferPointer(rebasing: stored[place...])
      guard !areEqual(only, cells, arena, [column]) else { continue }
      let (old, new) = (stored[place].kind, cells[column].kind)
      if old != .null, new != .null, old != new || statements.isNumeric(column) { return nil }
      mask.insert(statements.property(of: column))
    }
    return mask
  }

  /// Whether the columns of a stored row have the values of a new one.
  private static func areEqual(
    _ stored: UnsafeBufferPointer<_Cell>, _ cells: [_Cell], _ arena: [UInt8], _ columns: [Int]
  ) -> Bool {
    arena.withUnsafeBytes { arena in
      for place in columns.indices {
        let (old, new) = (stored[place], cells[columns[place]])
        guard old.kind == new.kind else { return false }
        switch old.kind {
        case .null: continue
        case .integer, .real: guard old.bits == new.bits else { return false }
        case .text, .blob:
          guard old.count == new.count else { return false }
          guard old.count > 0, let start = UnsafeRawPointer(bitPattern: Int(old.bits)),
            let arena = arena.baseAddress
          else { continue }
          guard memcmp(start, arena + Int(new.bits), old.count) == 0 else { return false }
        }
      }
      return true
    }
  }
}
