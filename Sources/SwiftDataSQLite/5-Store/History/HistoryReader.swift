import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Reads transactions and unpacks their changes.
struct HistoryReader {
  let store: DefaultStore
  let connection: Connection
  let decoder: HistoryDecoder

  init(_ store: DefaultStore, _ connection: Connection) throws {
    self.store = store
    self.connection = connection
    var layouts = StoredLayouts(store.plans)
    let statement = try connection.statement(
      "SELECT id, entity, properties FROM \"_history_layout\"")
    defer { statement.reset() }
    while try statement.step() {
      layouts.add(
        statement.rowID(), entity: statement.string(at: 1), names: statement.string(at: 2))
    }
    decoder = HistoryDecoder(store, layouts)
  }

  /// Calls `body` with each transaction that matches the conditions, in the order of their numbers, until it returns
  /// false.
  func forEach(
    _ conditions: HistoryConditions, _ body: (DefaultHistoryTransaction) throws -> Bool
  ) throws {
    let statement = try connection.statement(
      "SELECT t.number, t.timestamp, t.author, t.program, t.process, c.layout, c.changes"
        + " FROM \"_history_transaction\" AS t"
        + " LEFT JOIN \"_history_change\" AS c ON c.number = t.number\(conditions.clause)"
        + " ORDER BY t.number, c.layout, c.part")
    defer { statement.reset() }
    try statement.bind(conditions.bindings)
    var current: HistoryAssembly?
    while try statement.step() {
      let number = statement.rowID()
      if let complete = current, complete.number != number {
        current = nil
        guard try body(decoder.transaction(complete)) else { return }
      }
      let assembly = current ?? HistoryAssembly(Self.head(number, statement))
      try append(statement, to: assembly)
      current = assembly
    }
    if let current { _ = try body(decoder.transaction(current)) }
  }

  private static func head(_ number: Int64, _ statement: Statement) -> HistoryAssembly.Head {
    let cells = statement.row(from: 0)
    // Other programs may have written any value there.
    let seconds: Double =
      switch cells[1].kind {
      case .real: Double(bitPattern: UInt64(bitPattern: cells[1].bits))
      case .integer: Double(cells[1].bits)
      default: 0
      }
    return HistoryAssembly.Head(
      number: number, timestamp: Date(timeIntervalSinceReferenceDate: seconds),
      author: cells[2].kind == .null ? nil : statement.string(at: 2),
      program: statement.string(at: 3), process: statement.rowID(at: 4))
  }

  private func append(_ statement: Statement, to assembly: HistoryAssembly) throws {
    let number = statement.rowID(at: 5)
    // Changes of an entity that the models no longer have aren't reported.
    guard let bytes = Self.changes(statement, at: 6), let layout = decoder.layouts[number]
    else { return }
    try assembly.append(
      bytes, layout: number, properties: layout.properties, path: store.location.path
    ) { try maximumRowCount(of: layout.plan) }
  }

  /// The packed changes in a column; nil for another value.
  static func changes(_ statement: Statement, at column: Int) -> [UInt8]? {
    let cell = statement.row(from: 0)[column]
    guard cell.kind == .blob, let start = UnsafePointer<UInt8>(bitPattern: Int(cell.bits)) else {
      return nil
    }
    return [UInt8](UnsafeBufferPointer(start: start, count: cell.count))
  }

  /// An upper bound for the number of rows that the table of an entity can have had, from the IDs that were assigned.
  private func maximumRowCount(of plan: EntityPlan) throws -> Int64 {
    let table = SQLIdentifier.quoted(plan.table)
    return try connection.integer(
      "SELECT max(ifnull((SELECT max(\(SQLIdentifier.rowID)) FROM \(table)), 0),"
        + " ifnull((SELECT last FROM \"_rowNumbers\" WHERE entity = ?), 0))"
        + " - min(ifnull((SELECT min(\(SQLIdentifier.rowID)) FROM \(table)), 0),"
        + " 0)", [.text(plan.table)]) ?? 0
  }
}

extension DefaultStore: HistorySource {
  package var historyPath: String { location.path }

  package func preservedValue(
    of property: Int, in cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan
  ) throws -> (any Sendable)? {
    guard let codec = try statements(of: plan).codec else {
      return try plan.value(of: property, in: cells)
    }
    return try codec.open(cells) { try plan.value(of: property, in: $0) }
  }
}
