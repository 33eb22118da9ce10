import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("Deletions by predicate on a server", .server)
struct PredicateDeletionTests {
  private let container: ModelContainer

  init() throws { container = try Railway.container() }

  /// Two lines, the second one a branch of the first, with a depot and two stations each.
  private func fill() throws {
    let context = ModelContext(container)
    var lines: [Line] = []
    for number in 0..<2 {
      let line = Line("line \(number)")
      context.insert(line)
      line.depot = Depot("depot \(number)")
      line.stations = [Station("a\(number)", 1), Station("b\(number)", 2)]
      lines.append(line)
    }
    lines[0].branches = [lines[1]]
    lines[1].branches = [lines[0]]
    context.insert(Depot("alone"))
    try context.save()
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  @Test("delete without models, at the save")
  func deletion() throws {
    try fill()
    let context = ModelContext(container)
    let kept = try #require(
      try context.fetch(FetchDescriptor<Station>(predicate: #Predicate { $0.code == "a0" })).first)
    kept.name = "edited"
    let (_, statements) = try container.recordingStatements {
      try context.delete(model: Station.self, where: #Predicate { $0.code == "a0" })
      try context.save()
    }
    #expect(statements.contains { $0.sql.hasPrefix("DELETE FROM \"Station\"") })
    #expect(kept.isDeleted)
    #expect(try count(Station.self) == 3)
  }

  @Test("follow delete rules on both keys, in pairs, and in circles")
  func rules() throws {
    try fill()
    let context = ModelContext(container)
    try context.delete(model: Line.self, where: #Predicate { $0.name == "line 0" })
    try context.save()
    #expect(try count(Line.self) == 0 && count(Station.self) == 0)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Depot>()).map(\.name) == ["alone"])
  }

  @Test("are refused by the rule deny, and nothing is deleted")
  func denial() throws {
    try fill()
    let context = ModelContext(container)
    let line = try #require(
      try context.fetch(FetchDescriptor<Line>(predicate: #Predicate { $0.name == "line 1" })).first)
    line.owner = Owner("owner")
    try context.save()
    let other = ModelContext(container)
    try other.delete(model: Line.self, where: #Predicate { $0.name == "line 0" })
    do {
      try other.save()
      Issue.record("the rule deny was ignored")
    } catch let error as StoreError {
      #expect(error.code == .danglingReference && error.explanation.contains("Line.owner"))
    }
    #expect(try count(Line.self) == 2 && count(Station.self) == 4)
  }

  @Test("evaluate in memory what SQL can't express")
  func memory() throws {
    let context = ModelContext(container)
    for (number, name) in ["Zoo", "zoo", "Park", "Zürich zoo"].enumerated() {
      context.insert(Station("\(number)", name: name))
    }
    try context.save()
    try context.delete(
      model: Station.self, where: #Predicate { $0.name.localizedStandardContains("zoo") })
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Station>()).map(\.name) == ["Park"])
  }

  @Test("leave rows of subclasses where these are excluded")
  func subclasses() throws {
    let context = ModelContext(container)
    context.insert(Vehicle(1))
    context.insert(Tram(2))
    try context.save()
    try context.delete(model: Vehicle.self, includeSubclasses: false)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Vehicle>()).map(\.number) == [2])
    try context.delete(model: Vehicle.self)
    try context.save()
    #expect(try count(Vehicle.self) == 0)
  }

  @Test("at once, with their number")
  func immediate() throws {
    try fill()
    let count = try container.batchDelete(Line.self, where: #Predicate { $0.name == "line 0" })
    #expect(count == 8)
    #expect(try container.batchDelete(Line.self) == 0)
    #expect(try self.count(Depot.self) == 1)
  }

  @Test("values are read without models")
  func snapshots() throws {
    try fill()
    let context = ModelContext(container)
    let order = [SortDescriptor(\Station.code, comparator: .lexical)]
    let (values, statements) = try container.recordingStatements {
      try context.snapshots(FetchDescriptor(sortBy: order))
    }
    #expect(statements.count == 1)
    let models = try context.fetch(FetchDescriptor(sortBy: order))
    #expect(values.map(\.code) == ["a0", "a1", "b0", "b1"])
    #expect(values == models.map(\.snapshot))
  }
}
