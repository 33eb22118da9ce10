import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Deletes trees of models by predicate. The database follows delete rules by itself, recursively, and fails at a depth
/// of 1,000 (https://sqlite.org/limits.html, "Maximum Depth Of Trigger Recursion"). So where rules can lead from a
/// class back to itself, the rows that they reach are deleted first, the deepest before all others.
struct CascadingDeletion {
  /// A delete rule that leads from the rows of a table to others that are deleted with them.
  private struct Cascade {
    let destination: String
    /// Selects the destinations of the rows whose IDs are in the parameter, a JSON list.
    let select: String
    /// Removes the links from the rows of the second parameter to those of the first; nil where they can't be removed.
    let unlink: String?
  }

  /// The maximum number of rows in one statement.
  private static let maximumBatch = 5_000

  private let deletion: PreparedDeletion
  private let entities: StoreEntities
  private let connection: Connection
  /// The cascades from each table.
  private var cascades: [String: [Cascade]] = [:]
  /// The rows that were found so far, by table.
  private var known: [String: Set<Int64>] = [:]

  /// Prepares a deletion; nil when rules can't form a cycle, so that one statement suffices.
  init?(_ deletion: PreparedDeletion, _ entities: StoreEntities, on connection: Connection) {
    self.deletion = deletion
    self.entities = entities
    self.connection = connection
    cascades = cascades(from: deletion.plan.table)
    guard Self.hasCycle(from: deletion.plan.table, cascades) else { return nil }
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
      for cascade in cascades[table] ?? [] {
        let statement = try connection.statement(cascade.select)
        try statement.bind([Self.list(rowIDs)])
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
          try run(unlink, [Self.list(again), Self.list(rowIDs)])
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

  private static func list(_ rowIDs: some Sequence<Int64>) -> SQLValue {
    .text("[\(rowIDs.lazy.map(String.init).joined(separator: ","))]")
  }

  private static func lists(of rowIDs: [Int64]) -> [SQLValue] {
    stride(from: 0, to: rowIDs.count, by: maximumBatch).map { start in
      list(rowIDs[start..<min(start + maximumBatch, rowIDs.count)])
    }
  }

  /// The cascades from each table that can be reached from `table`.
  private func cascades(from table: String) -> [String: [Cascade]] {
    var found: [String: [Cascade]] = [:]
    var waiting = [table]
    while let next = waiting.popLast() {
      guard found[next] == nil else { continue }
      let ways = entities.plans.filter { $0.table == next }.flatMap { plan in
        plan.ownRelationships.compactMap { cascade(at: $0, of: plan) }
      }
      found[next] = ways
      waiting += ways.map(\.destination)
    }
    return found
  }

  private func cascade(at index: Int, of plan: EntityPlan) -> Cascade? {
    guard let relationship = plan.properties[index].relationship,
      relationship.deleteRule == .cascade,
      let destination = entities.plansByType[ObjectIdentifier(relationship.destination)]
    else { return nil }
    let listed = "IN (SELECT value FROM json_each(?1))"
    let leading = "IN (SELECT value FROM json_each(?2))"
    switch relationship.storage {
    case .column:
      guard let key = Self.key(at: index, of: plan) else { return nil }
      let table = SQLIdentifier.quoted(plan.table)
      return Cascade(
        destination: destination.table,
        select: "SELECT \(key) FROM \(table) WHERE \(SQLIdentifier.rowID) \(listed) AND \(key) IS"
          + " NOT NULL",
        unlink: relationship.isOptional
          ? "UPDATE \(table) SET \(key) = NULL WHERE \(key) \(listed) AND \(SQLIdentifier.rowID)"
            + " \(leading)" : nil)
    case .inverseColumn:
      guard let inverse = relationship.inverse, let key = Self.key(at: inverse, of: destination)
      else { return nil }
      let table = SQLIdentifier.quoted(destination.table)
      let isOptional = destination.properties[inverse].relationship?.isOptional == true
      return Cascade(
        destination: destination.table,
        select: "SELECT \(SQLIdentifier.rowID) FROM \(table) WHERE \(key) \(listed)",
        unlink: isOptional
          ? "UPDATE \(table) SET \(key) = NULL WHERE \(SQLIdentifier.rowID) \(listed) AND \(key)"
            + " \(leading)" : nil)
    case .joinTable(let join):
      let pairs = SQLIdentifier.quoted(join.name)
      let row = SQLIdentifier.quoted(join.destinationColumn)
      let owner = SQLIdentifier.quoted(join.ownerColumn)
      return Cascade(
        destination: destination.table,
        select: "SELECT \(row) FROM \(pairs) WHERE \(owner) \(listed)",
        unlink: "DELETE FROM \(pairs) WHERE \(row) \(listed) AND \(owner) \(leading)")
    }
  }

  private static func key(at index: Int, of plan: EntityPlan) -> String? {
    plan.properties[index].columns.first.map { SQLIdentifier.quoted(plan.columns[$0].name) }
  }

  /// Whether a path from `table` visits a table twice.
  private static func hasCycle(from table: String, _ cascades: [String: [Cascade]]) -> Bool {
    var done: Set<String> = []
    var begun: Set<String> = []
    func meets(_ table: String) -> Bool {
      if done.contains(table) { return false }
      guard begun.insert(table).inserted else { return true }
      for cascade in cascades[table] ?? [] where meets(cascade.destination) { return true }
      done.insert(table)
      return false
    }
    return meets(table)
  }
}
