import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// For many edits in one save, the history doesn't repeat the comparisons that the save has made.
@Suite("The history of many edits")
struct ManyEditsTests {
  private func stored(_ count: Int) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.container(Quake.self).batchInsert(
      (0..<count).lazy.map { Quake(code: "\($0)", magnitude: Double($0 % 5)) })
    return store
  }

  private func edit(_ context: ModelContext) throws -> [Quake] {
    let quakes = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
    for (number, quake) in quakes.enumerated() {
      // A fifth of the magnitudes are unchanged; some codes are changed and changed back.
      quake.magnitude = 3
      if number % 3 == 0 { quake.code += "!" }
      if number % 6 == 0 { quake.code.removeLast() }
    }
    return quakes
  }

  private func lastChanges(_ store: TemporaryStore) throws -> [String] {
    let context = ModelContext(try store.container(Quake.self))
    return try context.history().dropFirst().flatMap { $0.summary }.sorted()
  }

  @Test("names the rows and properties that it names when they are saved one by one")
  func sameAsSingly() throws {
    let (together, singly) = (try stored(200), try stored(200))
    let context = ModelContext(try together.container(Quake.self))
    _ = try edit(context)
    try context.save()
    let container = try singly.container(Quake.self)
    for quake in try edit(ModelContext(container)) {
      let context = ModelContext(container)
      let same = try #require(context.model(for: quake.persistentModelID) as? Quake)
      same.magnitude = quake.magnitude
      same.code = quake.code
      try context.save()
    }
    let changes = try lastChanges(together)
    #expect(changes == (try lastChanges(singly)))
    #expect(changes.count > 160 && changes.count < 200)
  }

  @Test("leaves out values that another writer has set equally since", arguments: [true, false])
  func others(byProgram: Bool) throws {
    let store = try stored(100)
    let context = ModelContext(try store.container(Quake.self))
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    for quake in quakes { quake.magnitude = 7 }
    if byProgram {
      try store.execute("UPDATE \"Quake\" SET magnitude = 7 WHERE _id <= 60")
    } else {
      let other = ModelContext(try store.container(Quake.self))
      for quake in try other.fetch(FetchDescriptor<Quake>()).prefix(60) { quake.magnitude = 7 }
      try other.save()
    }
    let before = try ModelContext(try store.container(Quake.self)).history().count
    try context.save()
    let history = try ModelContext(try store.container(Quake.self)).history()
    #expect(history.count == before + 1)
    #expect(history.last?.summary.count == 40)
  }
}
