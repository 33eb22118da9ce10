import Foundation
import StoreTesting
import SwiftData
import SwiftDataCore
import Testing

@Suite("Side tables in a store") struct SideTableTests {
  private let table = SideTable(
    "_of_test",
    [
      .init("entity", .text), .init("key", .text), .init("row", .integer, isOptional: true),
      .init("mark", .integer, isOptional: true), .init("value", .blob, isOptional: true),
    ], key: .columns(["entity", "key"]), indices: [.init("_of_test_row", ["entity", "row"])])
  private let numbered = SideTable(
    "_of_test_number", [.init("number", .integer), .init("value", .text)], key: .number)
  private let container: ModelContainer
  private let store: any KeyedRowStore

  init() throws {
    container = try memoryContainer(KeyedTag.self)
    store = try #require(container.core.capabilities.first?.keyedRows)
    try store.writeSideTables { transaction in
      // Twice: what exists stays.
      for table in [table, numbered, table] { try transaction.create(table) }
    }
  }

  private func read(_ query: SideTableQuery) throws -> [[ColumnValue]] {
    var rows: [[ColumnValue]] = []
    try store.readRows { try $0.forEachRow(query) { rows.append($0) } }
    return rows
  }

  private func insert(
    _ rows: [[ColumnValue]], _ existing: SideTableConflict? = nil
  ) throws -> Int {
    try store.writeSideTables {
      try $0.insert(
        SideTableRows(table.columns.map(\.name), rows), into: table, existing: existing)
    }
  }

  private func row(
    _ key: String, row: Int64? = nil, mark: Int64? = nil, _ value: [UInt8] = []
  ) -> [ColumnValue] {
    [
      .text("A"), .text(key), ColumnValue(integer: row), ColumnValue(integer: mark), .blob(value),
    ]
  }

  private var all: SideTableQuery {
    SideTableQuery(table, table.columns.map(\.name)).ordered(by: "key")
  }

  @Test("have columns, and none when they don't exist") func columns() throws {
    try store.writeSideTables { transaction in
      #expect(
        try transaction.columnNames(ofSideTable: table.name)
          == ["entity", "key", "row", "mark", "value"])
      try transaction.removeSideTable(table.name)
      #expect(try transaction.columnNames(ofSideTable: table.name).isEmpty)
    }
  }

  @Test("keep, replace or merge rows with the same key") func conflicts() throws {
    #expect(try insert([row("a", row: 1, mark: 1, [1]), row("", row: 2)]) == 2)
    #expect(try insert([row("a", [2]), row("b")], .keep) == 1)
    #expect(try read(all)[1] == row("a", row: 1, mark: 1, [1]))
    #expect(try insert([row("a", [3])], .replace) == 1)
    #expect(try read(all) == [row("", row: 2), row("a", [3]), row("b")])
    let rules: [String: SideTableMerge] = ["row": .newUnlessNull, "mark": .oldUnlessNewIsNull]
    _ = try insert([row("a", row: 4, mark: 4)], .replace)
    _ = try insert([row("a", row: nil, mark: 5, [5])], .merge(rules))
    #expect(try read(all)[1] == row("a", row: 4, mark: 4, [5]))
    _ = try insert([row("a", row: 6, mark: nil)], .merge(rules))
    #expect(try read(all)[1] == row("a", row: 6))
    #expect(throws: (any Error).self) { try insert([row("a")]) }
  }

  @Test("number rows") func numbers() throws {
    try store.writeSideTables { transaction in
      try transaction.insert(
        SideTableRows("value", rows: [[.text("a")], [.text("b")], [.text("c")]]), into: numbered,
        existing: nil)
      try transaction.delete(from: numbered, where: .atMost("number", .integer(1)))
    }
    let query = SideTableQuery(numbered, ["value"]).ordered(by: "number", descending: true)
    #expect(try read(query) == [[.text("c")], [.text("b")]])
    #expect(try read(query.limited(to: 1)) == [[.text("c")]])
  }

  @Test("are read by conditions and by many keys") func reading() throws {
    _ = try insert((0..<400).map { row("k\($0)", row: Int64($0), mark: $0 % 2 == 0 ? 1 : nil) })
    try store.readRows { transaction in
      #expect(try transaction.count(of: table, where: nil) == 400)
      #expect(try transaction.count(of: table, where: .isTrue("mark")) == 200)
      let query = SideTableQuery(
        table, ["key", "row"],
        where: .any([.isNull("mark"), .less("row", than: .integer(100))])
      ).ordered(by: "key")
      var found: [String: Int64?] = [:]
      let keys = (50..<900).map { ColumnValue.text("k\($0)") }
      try transaction.forEachRow(query, where: "key", in: keys) { columns in
        found[columns[0].text ?? ""] = columns[1].integer
      }
      #expect(found.count == 50 + 150)
      #expect(found["k399"] == 399)
      #expect(found["k100"] == nil)
    }
  }

  @Test("find rows without a partner in another table") func partners() throws {
    let other = SideTable(
      "_of_test_other", [.init("entity", .text), .init("key", .text), .init("row", .integer)],
      key: .ordered(["row", "entity", "key"]))
    _ = try insert([row("a", row: 1), row("b", row: 2), row("c", row: 3)])
    try store.writeSideTables { transaction in
      try transaction.create(other)
      let rows: [[ColumnValue]] = [
        [.text("A"), .text("a"), .integer(7)], [.text("A"), .text("b"), .integer(8)],
      ]
      try transaction.insert(
        SideTableRows("entity", "key", "row", rows: rows), into: other, existing: nil)
    }
    let query = SideTableQuery(
      table, ["key"],
      where: .noRow(of: other, sharing: ["entity", "key"], where: .equal("row", .integer(7)))
    ).ordered(by: "key")
    #expect(try read(query) == [[.text("b")], [.text("c")]])
  }

  @Test("change and lose rows by their keys") func changing() throws {
    _ = try insert([row("a", row: 1), row("b", row: 2), row("c", row: 3)])
    try store.writeSideTables { transaction in
      var rows = SideTableRows("row", "entity", "key")
      rows.append([.null, .text("A"), .text("a")])
      rows.append([.integer(9), .text("A"), .text("b")])
      rows.append([.integer(9), .text("A"), .text("unknown")])
      try transaction.update(rows, of: table, matching: ["entity", "key"])
      let gone: [[ColumnValue]] = [[.text("A"), .text("c")], [.text("B"), .text("a")]]
      try transaction.delete(SideTableRows("entity", "key", rows: gone), from: table)
    }
    #expect(try read(all) == [row("a"), row("b", row: 9)])
    try store.writeSideTables { try $0.delete(from: table, where: nil) }
    #expect(try read(all).isEmpty)
  }

  @Test("are written with a save or not at all") func saving() throws {
    struct Refusal: Error {}
    let context = ModelContext(container)
    context.insert(KeyedTag("a"))
    context.saveCompanion = SaveCompanion(
      begin: { [table] in
        try $0.insert(
          SideTableRows("entity", "key", rows: [[.text("A"), .text("a")]]), into: table,
          existing: nil)
      }, end: { _ in throw Refusal() })
    #expect(throws: Refusal.self) { try context.save() }
    #expect(try read(all).isEmpty)
    let last = try store.readRows { try $0.lastTransaction() }
    context.saveCompanion = SaveCompanion(
      begin: { transaction in
        let number = try transaction.lastTransaction()
        #expect(number == last)
      },
      end: { [table] in
        try $0.insert(
          SideTableRows("entity", "key", rows: [[.text("A"), .text("a")]]), into: table,
          existing: nil)
      })
    try context.save()
    context.saveCompanion = nil
    #expect(try read(all).count == 1)
    #expect(try store.readRows { try $0.lastTransaction() } == last + 1)
  }

  @Test("are in a transaction that knows the history's authors") func history() throws {
    let start = try store.readRows { try $0.lastTransaction() }
    let context = ModelContext(container)
    context.author = "toolkit"
    context.insert(KeyedTag("b"))
    try context.save()
    #expect(try store.readRows { try $0.history(after: start, isOnlyBy: "toolkit") })
    context.author = nil
    context.insert(KeyedTag("c"))
    try context.save()
    #expect(try !store.readRows { try $0.history(after: start, isOnlyBy: "toolkit") })
  }
}
