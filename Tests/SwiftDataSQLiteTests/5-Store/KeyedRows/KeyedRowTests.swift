import Foundation
import StoreTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Model final class KeyedShelf {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \KeyedBook.shelf) var books: [KeyedBook] = []
  var tags: [KeyedTag] = []

  init(_ name: String) { self.name = name }
}

@Model final class KeyedBook {
  #Unique<KeyedBook>([\.title, \.year])

  @Attribute(.unique) var number: Int
  var title: String
  var year: Int?
  var shelf: KeyedShelf?

  init(_ number: Int, _ title: String, year: Int? = nil, shelf: KeyedShelf? = nil) {
    self.number = number
    self.title = title
    self.year = year
    self.shelf = shelf
  }
}

@Model final class KeyedTag {
  @Attribute(.unique) var name: String

  init(_ name: String) { self.name = name }
}

@Model class KeyedAnimal {
  @Attribute(.unique) var name: String

  init(_ name: String) { self.name = name }
}

@Model final class KeyedBird: KeyedAnimal {
  var wings = 2

  override init(_ name: String) { super.init(name) }
}

@Suite("Rows by keys") struct KeyedRowTests {
  private let container: ModelContainer
  private let store: any KeyedRowStore

  init() throws {
    container = try memoryContainer(
      KeyedShelf.self, KeyedBook.self, KeyedTag.self, KeyedAnimal.self, KeyedBird.self)
    store = try #require(container.core.capabilities.first?.keyedRows)
  }

  private func plan(_ type: any PersistentModel.Type) throws -> EntityPlan {
    try #require(container.core.plan(of: type))
  }

  private func position(_ name: String, _ plan: EntityPlan) throws -> Int {
    plan.properties[try #require(plan.propertiesByName[name])].columns.lowerBound
  }

  private func column(_ name: String, _ plan: EntityPlan) throws -> RowColumn {
    .column(try position(name, plan))
  }

  private func edit(_ body: (ModelContext) -> Void) throws {
    let context = ModelContext(container)
    body(context)
    try context.save()
  }

  @Test("are found for any number of values, with a statement for many of them")
  func rowsOfValues() throws {
    try edit { context in
      for number in 0..<700 { context.insert(KeyedBook(number, "book \(number)")) }
    }
    let plan = try plan(KeyedBook.self)
    let number = try column("number", plan)
    let title = try column("title", plan)
    let wanted = (600..<1_300).map { ColumnValue.integer(Int64($0)) } + [.null]
    var found: [Int64: String?] = [:]
    let (_, statements) = try container.recordingStatements {
      try store.readRows { transaction in
        try transaction.forEachRow(
          RowRequest(plan, [.rowID, number, title]), where: number, in: wanted
        ) { cells in
          #expect(cells[0].bits > 0)
          found[cells[1].bits] = ColumnValue(cells[2]).text
        }
      }
    }
    #expect(found.count == 100)
    #expect(found[650] == "book 650")
    #expect(statements.count == 3)
    try store.readRows { transaction in
      try transaction.forEachRow(RowRequest(plan, [number]), where: number, in: []) { _ in
        Issue.record("There is no value")
      }
    }
  }

  @Test("of exactly one class of a family, or of all") func families() throws {
    try edit { context in
      context.insert(KeyedAnimal("cat"))
      context.insert(KeyedBird("owl"))
    }
    let plan = try plan(KeyedAnimal.self)
    let name = try column("name", plan)
    func rows(_ request: RowRequest) throws -> Set<[ColumnValue]> {
      var found: Set<[ColumnValue]> = []
      try store.readRows { transaction in
        try transaction.forEachRow(request) { cells in
          found.insert(cells.map { ColumnValue($0) })
        }
      }
      return found
    }
    let all: Set<[ColumnValue]> = [
      [.text("cat"), .text("KeyedAnimal")], [.text("owl"), .text("KeyedBird")],
    ]
    #expect(try rows(RowRequest(plan, [name, .entity])) == all)
    #expect(try rows(RowRequest(plan, [name], isExact: true)) == [[.text("cat")]])
    let bird = try self.plan(KeyedBird.self)
    #expect(
      try rows(RowRequest(bird, [try column("name", bird)], isExact: true)) == [[.text("owl")]])
    let book = try self.plan(KeyedBook.self)
    try edit { $0.insert(KeyedBook(1, "a")) }
    #expect(try rows(RowRequest(book, [.entity])) == [[.null]])
  }

  @Test("match several columns together") func matches() throws {
    try edit { context in
      for number in 0..<400 {
        context.insert(KeyedBook(number, "book \(number)", year: 1_000 + number))
      }
      context.insert(KeyedBook(1_000, "undated"))
    }
    let plan = try plan(KeyedBook.self)
    let columns = [try position("title", plan), try position("year", plan)]
    var values: [[ColumnValue]] = (0..<300).map {
      [.text("book \($0)"), .integer(Int64($0 % 2 == 0 ? 1_000 + $0 : 0))]
    }
    values.append([.text("undated"), .null])
    var numbers: [Int: Int64] = [:]
    try store.readRows { transaction in
      var rows: [Int64: Int] = [:]
      try transaction.forEachMatch(of: plan, columns: columns, with: values) { position, row in
        rows[row] = position
      }
      try transaction.forEachRow(
        RowRequest(plan, [.rowID, try column("number", plan)]), where: .rowID,
        in: rows.keys.map { .integer($0) }
      ) { cells in
        if let position = rows[cells[0].bits] { numbers[position] = cells[1].bits }
      }
    }
    #expect(numbers.count == 150)
    #expect(numbers.allSatisfy { Int64($0.key) == $0.value })
  }

  @Test("are paired by join tables, by owner") func pairs() throws {
    try edit { context in
      let tags = (0..<5).map { KeyedTag("tag \($0)") }
      for tag in tags { context.insert(tag) }
      for (index, name) in ["a", "b", "c"].enumerated() {
        let shelf = KeyedShelf(name)
        context.insert(shelf)
        shelf.tags = Array(tags.prefix(index * 2))
      }
    }
    let plan = try plan(KeyedShelf.self)
    let property = try #require(plan.propertiesByName["tags"])
    let name = try column("name", plan)
    var owners: [Int64: String] = [:]
    var counts: [String: Int] = [:]
    try store.readRows { transaction in
      try transaction.forEachRow(RowRequest(plan, [.rowID, name])) { cells in
        owners[cells[0].bits] = ColumnValue(cells[1]).text
      }
      try transaction.forEachPair(of: plan, property, owners: Array(owners.keys)) { owner, _ in
        counts[owners[owner] ?? "", default: 0] += 1
      }
    }
    #expect(counts == ["b": 2, "c": 4])
  }

  @Test("are inserted unless they exist, and recorded in the history") func insertion() throws {
    try edit { $0.insert(KeyedTag("old")) }
    let plan = try plan(KeyedTag.self)
    func rows(_ names: [String]) -> _RowWriter {
      var writer = _RowWriter(plan: plan)
      for name in names { writer.append(text: name) }
      return writer
    }
    let new = rows(["a", "left out", "b"])
    let inserted = try store.writeRows(author: "toolkit") { transaction in
      try transaction.insertNew([0, 2], of: plan, cells: new.cells, arena: new.arena)
    }
    #expect(inserted?.count == 2)
    let context = ModelContext(container)
    #expect(
      try Set(context.fetch(FetchDescriptor<KeyedTag>()).map(\.name)) == ["old", "a", "b"])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.last?.author == "toolkit")
    #expect(history.last?.changes.count == 2)
    struct Abandoned: Error {}
    let some = rows(["c", "old"])
    do {
      try store.writeRows(author: "toolkit") { transaction in
        let found = try transaction.insertNew(
          [0, 1], of: plan, cells: some.cells, arena: some.arena)
        #expect(found == nil)
        throw Abandoned()
      }
    } catch is Abandoned {}
    #expect(try context.fetchCount(FetchDescriptor<KeyedTag>()) == 3)
  }

  @Test("get a value in one column, with a save") func setting() throws {
    try edit { $0.insert(KeyedBook(1, "a", year: 1)) }
    let plan = try plan(KeyedBook.self)
    let year = try position("year", plan)
    let context = ModelContext(container)
    context.insert(KeyedTag("of the save"))
    context.saveCompanion = SaveCompanion(
      begin: { transaction in
        var row: Int64?
        try transaction.forEachRow(RowRequest(plan, [.rowID])) { row = $0[0].bits }
        try transaction.set([(try #require(row), .integer(2))], inColumn: year, of: plan)
      },
      end: { transaction in
        var years: [Int64] = []
        try transaction.forEachRow(RowRequest(plan, [.column(year)])) { years.append($0[0].bits) }
        #expect(years == [2])
      })
    try context.save()
    context.saveCompanion = nil
    #expect(try ModelContext(container).fetch(FetchDescriptor<KeyedBook>()).first?.year == 2)
  }
}
