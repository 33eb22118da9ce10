import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Keyed rows and side tables on a server", .server)
struct PostgresRowTransactionTests {
  private let store: PostgresStore

  init() throws {
    var configuration = PostgresConfiguration(
      uniqueName("keyed"), url: try PostgresServer.shared.url)
    configuration.schema = Railway.schema
    store = try PostgresStore(configuration)
  }

  private func plan(_ name: String) throws -> EntityPlan {
    try #require(store.plans.first { $0.name == name })
  }

  private func write<Result>(
    _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    try store.writeRows(author: "test", body)
  }

  private static let notes = SideTable(
    "_notes",
    [
      .init("key", .text), .init("rowID", .integer), .init("size", .real, isOptional: true),
      .init("body", .blob, isOptional: true), .init("isOpen", .integer),
    ], key: .columns(["key"]),
    indices: [.init("_notes_open", ["rowID"], where: .isTrue("isOpen"))])

  @Test("side tables are created, written, merged, read and removed")
  func sideTables() throws {
    let table = Self.notes
    try write { transaction in
      for _ in 0..<2 { try transaction.create(table) }
      var rows = SideTableRows(["key", "rowID", "size", "body", "isOpen"])
      for number in 0..<300 {
        rows.append([
          .text("k\(number)"), .integer(Int64(number)), number == 0 ? .null : .real(1.5),
          .blob([0, 1]), .integer(Int64(number % 2)),
        ])
      }
      #expect(try transaction.insert(rows, into: table, existing: nil) == 300)
      #expect(try transaction.insert(rows, into: table, existing: .keep) == 0)
      let more = SideTableRows(
        ["key", "rowID", "size", "isOpen"],
        [
          [.text("k1"), .integer(-1), .null, .integer(1)],
          [.text("k1"), .integer(-2), .null, .integer(1)],
          [.text("new"), .integer(-3), .real(2), .integer(0)],
        ])
      #expect(
        try transaction.insert(more, into: table, existing: .merge(["size": .newUnlessNull])) == 3)
      try transaction.update(
        SideTableRows(["size", "key"], [[.real(9), .text("k2")]]), of: table, matching: ["key"])
      try transaction.delete(SideTableRows(["key"], [[.text("k3")]]), from: table)
    }
    try store.readRows { transaction in
      #expect(try transaction.count(of: table, where: nil) == 300)
      #expect(try transaction.count(of: table, where: .isTrue("isOpen")) == 149)
      #expect(
        try transaction.count(
          of: table, where: .all([.less("rowID", than: .integer(0)), .isNotNull("size")])) == 2)
      #expect(
        try transaction.columnNames(ofSideTable: "_notes")
          == ["key", "rowID", "size", "body", "isOpen"])
      var found: [[ColumnValue]] = []
      let query = SideTableQuery(table, ["key", "size", "body"])
      try transaction.forEachRow(query, where: "key", in: [.text("k1"), .null, .text("k2")]) {
        found.append($0)
      }
      #expect(Set(found.map { $0[0].text }) == ["k1", "k2"])
      #expect(found.allSatisfy { $0[2] == .blob([0, 1]) })
      var first: [ColumnValue] = []
      try transaction.forEachRow(
        SideTableQuery(table, ["key"], where: .greater("rowID", than: .integer(5)))
          .ordered(by: "rowID", descending: true).limited(to: 1)
      ) { first += $0 }
      #expect(first == [.text("k299")])
      #expect(try transaction.lastTransaction() >= 0)
    }
    try write { transaction in
      try transaction.delete(from: table, where: .any([.isNull("size"), .isTrue("isOpen")]))
      #expect(try transaction.count(of: table, where: nil) == 150)
      try transaction.removeSideTable("_notes")
      #expect(try transaction.columnNames(ofSideTable: "_notes").isEmpty)
    }
  }

  @Test("rows of models are inserted, found by values, and changed")
  func rows() throws {
    let badge = try plan("Badge")
    func row(_ number: Int64, _ name: String?) -> [ColumnValue] {
      badge.columns.map { column in
        switch column.name {
        case "number": .integer(number)
        case "name": name.map { .text($0) } ?? .null
        default: .text("red")
        }
      }
    }
    var rows = SideTableRows(badge.columns.map(\.name))
    for number in 0..<3 { rows.append(row(Int64(number), number == 2 ? nil : "n\(number)")) }
    let rowIDs = try write { transaction in
      try transaction.insertNew(
        [0, 1, 2], of: badge, cells: rows.cells, arena: rows.arena)
    }
    #expect(rowIDs?.count == 3)
    let again = try write { transaction in
      try transaction.insertNew([1], of: badge, cells: rows.cells, arena: rows.arena)
    }
    #expect(again == nil)
    let name = try #require(badge.columns.firstIndex { $0.name == "name" })
    let color = try #require(badge.columns.firstIndex { $0.name == "color" })
    let number = try #require(badge.columns.firstIndex { $0.name == "number" })
    try write { transaction in
      try transaction.set(
        [(try #require(rowIDs)[0], .text("blue")), (try #require(rowIDs)[1], .text("red"))],
        inColumn: color, of: badge)
    }
    let history = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(
      history.map(\.summary) == [
        Array(repeating: "insert Badge", count: 3), ["update Badge color"],
      ])
    #expect(history.map(\.author) == ["test", "test"])
    try store.readRows { transaction in
      var found: [[ColumnValue]] = []
      try transaction.forEachRow(
        RowRequest(badge, [.rowID, .column(color)]), where: .column(name),
        in: [.text("n0"), .text("n1"), .null]
      ) { cells in found.append(cells.map { ColumnValue($0) }) }
      #expect(found.map { $0[1] } == [.text("blue"), .text("red")])
      var matches: [Int] = []
      try transaction.forEachMatch(
        of: badge, columns: [number, name],
        with: [[.integer(1), .text("n1")], [.integer(1), .text("n0")], [.integer(2), .null]]
      ) { position, _ in matches.append(position) }
      #expect(matches == [0])
      var count = 0
      try transaction.forEachRow(RowRequest(badge, [.rowID, .entity], isExact: true)) { _ in
        count += 1
      }
      #expect(count == 3)
    }
  }
}
