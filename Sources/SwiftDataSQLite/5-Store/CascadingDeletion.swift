import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Deletes trees of models by predicate. The database follows delete rules by itself, recursively, and fails at a depth
/// of 1,000 (https://sqlite.org/limits.html, "Maximum Depth Of Trigger Recursion"). So where rules can lead from a
/// class back to itself, the rows that they reach are deleted first, the deepest before all others.
struct CascadingDeletion {
  /// The maximum number of rows in one statement.
  private static let maximumBatch = 5_000

  private let deletion: PreparedDeletion
  private let connection: Connection
  private let cascades: Cascades
  /// The rows that were found so far, by table.
  private var known: [String: Set<Int64>] = [:]

  /// Prepares a deletion; nil when rules can't form a cycle, so that one statement suffices.
  init?(_ deletion: PreparedDeletion, _ entities: StoreEntities, on connection: Connection) {
    self.deletion = deletion
    self.connection = connection
    cascades = Cascades(from: [deletion.plan.table], entities)
    guard cascades.hasCycle(from: deletion.plan.table) else { return nil }
  }

  /// Deletes the rows and those that delete rules reach.
  mutating func run() throws {
    let statement = try connection.statement(
      "SELECT \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(deletion.plan.table))"
        + " WHERE \(deletion.rows.sql)")
    try statement.bind(deletion.rows.bindings)
    let first = try Self.rowIDs(of: statement)
    known = [deletion.plan.table: Set(first)]
    var level: [String: [Int64]] = [deletion.plan.table: first]
    var levels = [level]
    while !level.isEmpty {
      level = try next(behind: level)
      levels.append(level)
    }
    for level in levels.reversed() {
      for (table, rowIDs) in level {
        let sql =
          "DELETE FROM \(SQLIdentifier.quoted(table))"
          + " WHERE \(SQLIdentifier.rowID) IN (SELECT value FROM json_each(?))"
        for list in Self.lists(of: rowIDs) {
          try run(sql, [list])
          try connection.recorder?.flush()
        }
      }
    }
  }

  /// Returns the rows that one more step reaches.
  private mutating func next(behind level: [String: [Int64]]) throws -> [String: [Int64]] {
    var next: [String: [Int64]] = [:]
    for (table, rowIDs) in level {
      for cascade in cascades.byTable[table] ?? [] {
        let statement = try connection.statement(cascade.select)
        try statement.bind([Cascade.list(rowIDs)])
        var again: [Int64] = []
        for rowID in try Self.rowIDs(of: statement) {
          if known[cascade.destination, default: []].insert(rowID).inserted {
            next[cascade.destination, default: []].append(rowID)
          } else {
            again.append(rowID)
          }
        }
        // These rows are also reached by another path. Links to them from here are removed, because delete rules would
        // follow the links on to rows that still exist there.
        if !again.isEmpty, let unlink = cascade.unlink {
          try run(unlink, [Cascade.list(again), Cascade.list(rowIDs)])
        }
      }
    }
    return next
  }

  private func run(_ sql: String, _ values: [SQLValue]) throws {
    let statement = try connection.statement(sql)
    try statement.bind(values)
    try statement.run()
  }

  private static func rowIDs(of statement: Statement) throws -> [Int64] {
    defer { statement.reset() }
    var found: [Int64] = []
    while try statement.step() { found.append(statement.rowID()) }
    return found
  }

  private static func lists(of rowIDs: [Int64]) -> [SQLValue] {
    stride(from: 0, to: rowIDs.count, by: maximumBatch).map { start in
      Cascade.list(rowIDs[start..<min(start + maximumBatch, rowIDs.count)])
    }
  }
}
