import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Reads transactions and unpacks their changes.
struct HistoryReader {
  let store: DefaultStore
  let connection: Connection
  let layouts: [Int64: Layout]

  /// A stored form of an entity, mapped to the current model.
  struct Layout {
    let plan: EntityPlan
    /// The property at each position; nil for one that no longer exists.
    let properties: [Int?]
  }

  /// The number of bits for the changes of one transaction in a change's identifier.
  private static let changeBits: Int64 = 28

  init(_ store: DefaultStore, _ connection: Connection) throws {
    self.store = store
    self.connection = connection
    var layouts: [Int64: Layout] = [:]
    let statement = try connection.statement(
      "SELECT id, entity, properties FROM \"_history_layout\"")
    defer { statement.reset() }
    while try statement.step() {
      let entity = statement.string(at: 1)
      // Changes of entities that the models no longer have can't be represented.
      guard let plan = store.plans.first(where: { $0.name == entity }) else { continue }
      let names = statement.string(at: 2).split(separator: "\n", omittingEmptySubsequences: false)
      layouts[statement.rowID()] = Layout(
        plan: plan,
        properties: names.map { name in
          plan.propertiesByName[String(name)]
            ?? plan.properties.firstIndex { $0.originalName == name }
        })
    }
    self.layouts = layouts
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
    var current: Assembly?
    while try statement.step() {
      let number = statement.rowID()
      if let complete = current, complete.number != number {
        current = nil
        guard try body(transaction(complete)) else { return }
      }
      var assembly = current ?? Assembly(number: number, row: statement)
      try assembly.append(statement, store.location.path) { try maximumRowCount(of: $0) }
      current = assembly
    }
    if let current { _ = try body(transaction(current)) }
  }

  /// An upper bound for the number of rows that the table of a layout can have had, from the IDs that were assigned.
  ///
  /// - Returns: nil for an entity that the models no longer have: its changes aren't reported.
  private func maximumRowCount(of layout: Int64) throws -> (() throws -> Int64)? {
    guard let plan = layouts[layout]?.plan else { return nil }
    let table = SQLIdentifier.quoted(plan.table)
    return { [connection] in
      try connection.integer(
        "SELECT max(ifnull((SELECT max(\(SQLIdentifier.rowID)) FROM \(table)), 0),"
          + " ifnull((SELECT last FROM \"_rowNumbers\" WHERE entity = ?), 0))"
          + " - min(ifnull((SELECT min(\(SQLIdentifier.rowID)) FROM \(table)), 0),"
          + " 0)", [.text(plan.table)]) ?? 0
    }
  }

  /// The rows of one transaction combined.
  private struct Assembly {
    let number: Int64
    let timestamp: Date
    let author: String?
    let program: String
    let process: Int64
    var parts: [(layout: Int64, changes: [PackedChange])] = []

    init(number: Int64, row statement: Statement) {
      self.number = number
      let cells = statement.row(from: 0)
      // Other programs may have written any value there.
      let seconds: Double =
        switch cells[1].kind {
        case .real: Double(bitPattern: UInt64(bitPattern: cells[1].bits))
        case .integer: Double(cells[1].bits)
        default: 0
        }
      timestamp = Date(timeIntervalSinceReferenceDate: seconds)
      author = cells[2].kind == .null ? nil : statement.string(at: 2)
      program = statement.string(at: 3)
      process = statement.rowID(at: 4)
    }

    /// - Parameter maximumRowCount: See ``HistoryUnpacker/read(into:maximumRowCount:)``; nil for a layout that isn't
    ///   known.
    mutating func append(
      _ statement: Statement, _ path: String,
      maximumRowCount: (Int64) throws -> (() throws -> Int64)?
    ) throws {
      let layout = statement.rowID(at: 5)
      let cell = statement.row(from: 0)[6]
      guard cell.kind == .blob, let start = UnsafePointer<UInt8>(bitPattern: Int(cell.bits)),
        let maximumRowCount = try maximumRowCount(layout)
      else { return }
      if parts.last?.layout != layout { parts.append((layout, [])) }
      var unpacking = HistoryUnpacker(
        [UInt8](UnsafeBufferPointer(start: start, count: cell.count)))
      do {
        try unpacking.read(into: &parts[parts.count - 1].changes, maximumRowCount: maximumRowCount)
      } catch is HistoryUnpacker.Damaged {
        throw StoreError(
          .damaged, path: path,
          explanation:
            "transaction \(number) of its history is damaged; delete the history up to it")
      } catch is HistoryUnpacker.TooMany {
        throw StoreError(
          .other, path: path,
          explanation: "transaction \(number) of its history has more than"
            + " \(HistoryUnpacker.maximumChanges) changes of an entity, more than can be read at once;"
            + " read the models anew, and go on behind it")
      }
    }
  }

  // MARK: - Changes

  private func value(
    of property: Int, _ columns: RowCopy, _ plan: EntityPlan
  ) throws -> (any Sendable)? {
    guard let row = columns.expand(over: property, of: plan) else { return nil }
    return try row.withCells { cells in
      guard let codec = try store.statements(of: plan).codec else {
        return try plan.value(of: property, in: cells)
      }
      return try codec.open(cells) { try plan.value(of: property, in: $0) }
    }
  }

  private func transaction(_ assembly: Assembly) throws -> DefaultHistoryTransaction {
    var changes: [HistoryChange] = []
    for part in assembly.parts {
      guard let layout = layouts[part.layout] else { continue }
      func open<Model: PersistentModel>(_ type: Model.Type) throws {
        for change in HistoryUnpacker.merged(part.changes) {
          changes.append(
            try self.change(change, type, layout, assembly.number, place: changes.count))
        }
      }
      try open(layout.plan.type)
    }
    return DefaultHistoryTransaction(
      timestamp: assembly.timestamp, changes: changes, transactionIdentifier: assembly.number,
      storeIdentifier: store.identifier, bundleIdentifier: assembly.program,
      processIdentifier: String(assembly.process), author: assembly.author)
  }

  private func change<Model: PersistentModel>(
    _ change: PackedChange, _ type: Model.Type, _ layout: Layout, _ number: Int64, place: Int
  ) throws -> HistoryChange {
    let fields = HistoryChangeFields(
      changeIdentifier: number << Self.changeBits + Int64(place), transactionIdentifier: number,
      changedPersistentIdentifier: store.identifier(rowID: change.rowID, entity: layout.plan.name))
    func property(_ position: Int) -> Int? {
      layout.properties.indices.contains(position) ? layout.properties[position] : nil
    }
    switch change.kind {
    case .insert: return .insert(DefaultHistoryInsert<Model>(fields))
    case .update:
      return .update(
        DefaultHistoryUpdate<Model>(
          fields,
          updatedAttributes: change.positions.compactMap(property).sorted().compactMap { index in
            layout.plan.properties[index].keyPath.sendable(of: type)
          }))
    case .delete:
      var values: [(keyPath: AnyKeyPath, value: any Sendable)] = []
      for (position, columns) in (change.values?.columns ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let index = property(position),
          let value = try value(of: index, columns, layout.plan)
        else { continue }
        values.append((layout.plan.properties[index].keyPath, value))
      }
      return .delete(DefaultHistoryDelete<Model>(fields, tombstone: HistoryTombstone(values)))
    }
  }
}
