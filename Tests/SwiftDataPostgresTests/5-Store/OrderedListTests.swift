import PostgresTesting
import SwiftData
import SwiftDataPostgres
import TestSupport
import Testing

@Suite("Ordered relationships on a server", .server)
struct OrderedListTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Tours.schema,
      configurations: [
        PostgresConfiguration(uniqueName("tours"), url: try PostgresServer.shared.url)
      ])
  }

  private func tour(_ context: ModelContext, _ name: String = "tour") throws -> Tour {
    try #require(
      try context.fetch(FetchDescriptor<Tour>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test("keep the order of lists of all kinds")
  func order() throws {
    let context = ModelContext(container)
    let tour = Tour("tour")
    context.insert(tour)
    tour.halts = ["c", "a", "b"].map { Halt($0) }
    tour.guides = ["z", "x", "y"].map { Guide($0) }
    tour.postcards = ["3", "1", "2"].map { Postcard($0) }
    let other = Tour("other")
    context.insert(other)
    let guide = tour.guides[1]
    guide.tours = [other, tour]
    try context.save()
    let read = try self.tour(ModelContext(container))
    #expect(read.halts.map(\.name) == ["c", "a", "b"])
    #expect(read.guides.map(\.name) == ["z", "x", "y"])
    #expect(read.postcards.map(\.text) == ["3", "1", "2"])
    #expect(read.guides[1].tours.map(\.name) == ["other", "tour"])
  }

  @Test("moves, insertions and removals keep it")
  func edits() throws {
    let context = ModelContext(container)
    let first = Tour("tour")
    context.insert(first)
    first.halts = (0..<5).map { Halt("\($0)") }
    try context.save()
    let editing = ModelContext(container)
    let tour = try tour(editing)
    tour.halts.insert(tour.halts.remove(at: 4), at: 0)
    tour.halts.insert(Halt("new"), at: 2)
    editing.delete(tour.halts.remove(at: 3))
    tour.halts.append(Halt("last"))
    try editing.save()
    let wanted = ["4", "0", "new", "2", "3", "last"]
    #expect(try self.tour(ModelContext(container)).halts.map(\.name) == wanted)
    // A list that isn't loaded.
    let appending = ModelContext(container)
    let halt = Halt("appended")
    appending.insert(halt)
    halt.tour = try self.tour(appending)
    try appending.save()
    #expect(try self.tour(ModelContext(container)).halts.map(\.name) == wanted + ["appended"])
  }

  @Test("a moved place is a change of the list in the history")
  func history() throws {
    let context = ModelContext(container)
    let tour = Tour("tour")
    context.insert(tour)
    tour.halts = ["a", "b", "c"].map { Halt($0) }
    tour.guides = ["x", "y", "z"].map { Guide($0) }
    try context.save()
    tour.halts.insert(tour.halts.remove(at: 2), at: 0)
    try context.save()
    #expect(try context.history().last?.summary == ["update Tour halts"])
    tour.guides.insert(tour.guides.remove(at: 2), at: 0)
    try context.save()
    #expect(try context.history().last?.summary == ["update Tour guides"])
  }

  @Test("random edits give the lists of arrays", arguments: 1...TestEnvironment.rounds(UInt64(5)))
  func randomEdits(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = ModelContext(container)
    for name in ["tour", "other"] { context.insert(Tour(name)) }
    try context.save()
    var wanted: [String: [String]] = ["tour": [], "other": []]
    for step in 0..<30 {
      let context = ModelContext(container)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let name = Bool.random(using: &random) ? "tour" : "other"
        let tour = try tour(context, name)
        var names = wanted[name] ?? []
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          let place = Int.random(in: 0...names.count, using: &random)
          let halt = "\(step) \(names.count)"
          tour.halts.insert(Halt(halt), at: place)
          names.insert(halt, at: place)
        case 1 where !names.isEmpty:
          let from = Int.random(in: 0..<names.count, using: &random)
          let to = Int.random(in: 0..<names.count, using: &random)
          tour.halts.insert(tour.halts.remove(at: from), at: to)
          names.insert(names.remove(at: from), at: to)
        case 2 where !names.isEmpty:
          let from = Int.random(in: 0..<names.count, using: &random)
          let other = name == "tour" ? "other" : "tour"
          let target = try self.tour(context, other)
          let halt = tour.halts.remove(at: from)
          target.halts.append(halt)
          wanted[other, default: []].append(names.remove(at: from))
        default: break
        }
        wanted[name] = names
      }
      try context.save()
      let reading = ModelContext(container)
      for (name, names) in wanted {
        #expect(try tour(reading, name).halts.map(\.name) == names)
      }
    }
  }
}
