import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("The history of batches on a server", .server)
struct BatchHistoryTests {
  private let container: ModelContainer

  init() throws { container = try Railway.container("batchHistory") }

  /// The changes of the last transaction as sorted text.
  private func last() throws -> [String] {
    try ModelContext(container).history().last?.summary.sorted() ?? []
  }

  /// The same without the names of properties: those that a class inherits aren't in its metadata.
  private func lastRows() throws -> [String] {
    try last().map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  private func fill() throws {
    let context = ModelContext(container)
    let line = Line("line")
    context.insert(line)
    line.depot = Depot("depot")
    line.stations = [Station("a", 1), Station("b", 2)]
    let branch = Line("branch")
    context.insert(branch)
    line.branches = [branch]
    try context.save()
  }

  @Test("has what a deletion by predicate and the delete rules do", arguments: [true, false])
  func deletions(isImmediate: Bool) throws {
    try fill()
    if isImmediate {
      try container.batchDelete(
        Line.self, where: #Predicate { $0.name == "line" }, author: "batch")
    } else {
      let context = ModelContext(container)
      context.author = "batch"
      try context.delete(model: Line.self, where: #Predicate { $0.name == "line" })
      try context.save()
    }
    let deleted = try last()
    #expect(
      deleted == [
        "delete Depot", "delete Line", "delete Line", "delete Station", "delete Station",
      ])
    let transaction = try #require(try ModelContext(container).history().last)
    #expect(transaction.author == "batch" && transaction.transactionIdentifier == 2)
  }

  @Test("has a link that a deletion by predicate removes")
  func nullifiedLinks() throws {
    let context = ModelContext(container)
    let tram = Tram(1)
    context.insert(tram)
    tram.depot = Depot("depot")
    context.insert(Vehicle(2))
    try context.save()
    try container.batchDelete(Depot.self)
    #expect(try lastRows() == ["delete Depot", "update Tram"])
    let vehicles = try ModelContext(container).fetch(FetchDescriptor<Vehicle>())
    #expect(vehicles.allSatisfy { $0.depot == nil })
  }

  @Test("has the properties that a batch update changes in each row")
  func updates() throws {
    let context = ModelContext(container)
    for number in 0..<3 { context.insert(Station("\(number)", number, name: "name \(number)")) }
    try context.save()
    let count = try container.batchUpdate(Station.self) { changes in
      changes.set(\.name, to: "name 1")
      changes.set(\.level, to: 0)
    }
    #expect(count == 3)
    #expect(
      try last() == ["update Station level", "update Station name", "update Station name,level"])
    #expect(try container.batchUpdate(Station.self) { $0.set(\.name, to: "name 1") } == 0)
    try container.batchUpdate(Station.self, where: #Predicate { $0.code == "2" }) {
      $0.set(\.mark, to: "m")
    }
    #expect(try last() == ["update Station mark"])
    #expect(try ModelContext(container).history().map(\.transactionIdentifier) == [1, 2, 3])
  }

  @Test("has the changes of subclasses under their names")
  func subclasses() throws {
    let context = ModelContext(container)
    context.insert(Vehicle(1))
    context.insert(Tram(2))
    try context.save()
    try container.batchUpdate(Vehicle.self) { $0.set(\.number, to: #Expression { $0.number + 10 }) }
    #expect(try lastRows() == ["update Tram", "update Vehicle"])
  }

  @Test("has the new rows and the differences of an upsert", arguments: [3, 200])
  func upserts(count: Int) throws {
    try container.batchInsert((0..<count).map { Station("\($0)", $0) }, author: "import")
    #expect(try last() == Array(repeating: "insert Station", count: count))
    try container.batchInsert(
      (0..<count).map { Station("\($0)", $0, name: $0 == 1 ? "new" : "") } + [Station("x")])
    #expect(try last() == ["insert Station", "update Station name"])
    try container.batchInsert((0..<count).map { Station("\($0)", $0, name: $0 == 1 ? "new" : "") })
    let history = try ModelContext(container).history()
    #expect(history.map(\.author) == ["import", nil])
    #expect(history.map(\.transactionIdentifier) == [1, 2])
  }

  @Test("has upserts by two keys, and nothing of refused rows and rolled back batches")
  func refusals() throws {
    try container.batchInsert([Badge(1, "one"), Badge(2, "two")])
    let batch = try BatchUpsert<Badge>(container)
    #expect(throws: StoreError.self) { try batch.upsert(Badge(1, "two")) }
    try batch.upsert(Badge(1, "one", "red"))
    try batch.upsert(Badge(3, nil))
    try batch.commit()
    #expect(try last() == ["insert Badge", "update Badge color"])
    let other = try BatchUpsert<Badge>(container)
    try other.upsert(Badge(4, nil))
    other.rollback()
    #expect(try ModelContext(container).history().count == 2)
  }
}
