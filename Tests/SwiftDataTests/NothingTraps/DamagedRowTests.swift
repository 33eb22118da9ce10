import Foundation
import SwiftData
import Testing

/// Rows of docs/traps.md: database rows as other programs, older versions and damage leave them.
@Suite("Rows that don't fit the model don't trap")
struct DamagedRowTests {
  let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try store.container(Fragile.self))
    let model = Fragile("a", number: 1, mood: .wild)
    model.grade = .high
    model.spot = Spot(x: 1, name: "s")
    model.pieces = [Piece(1, of: model)]
    context.insert(model)
    try context.save()
  }

  /// Changes the row as another program would, and fetches the models.
  func fetch(after assignment: String) throws -> [Fragile] {
    try store.execute("UPDATE \"Fragile\" SET \(assignment)")
    return try ModelContext(try store.container(Fragile.self)).fetch(FetchDescriptor<Fragile>())
  }

  @Test(
    "a value that the property's type can't hold is an error that names entity and column",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types"),
    arguments: [
      ("mood = 'furious'", "mood"), ("grade = 99", "grade"), ("number = 'many'", "number"),
      ("number = 1.5", "number"), ("name = x'00ff'", "name"), ("words = 'no json'", "words"),
      ("words = '{}'", "words"), ("made = 'yesterday'", "made"), ("mate = 'me'", "mate"),
    ])
  func wrongValue(_ assignment: String, _ column: String) throws {
    #expect {
      try fetch(after: assignment)
    } throws: { error in
      guard let error = error as? RowDecodingError else { return false }
      return error.entity == "Fragile" && error.column.hasPrefix(column)
    }
  }

  @Test("the context works after such an error, and the rest of the table can be read")
  func afterwards() throws {
    let container = try store.container(Fragile.self)
    let context = ModelContext(container)
    context.insert(Fragile("b"))
    try context.save()
    try store.execute("UPDATE \"Fragile\" SET mood = 'furious' WHERE name = 'a'")
    let fresh = ModelContext(container)
    #expect(throws: RowDecodingError.self) { try fresh.fetch(FetchDescriptor<Fragile>()) }
    let rest = FetchDescriptor<Fragile>(predicate: #Predicate { $0.name == "b" })
    #expect(try fresh.fetch(rest).count == 1)
    fresh.insert(Fragile("c"))
    try fresh.save()
  }

  @Test(
    "a model that is held keeps its values when its row becomes unreadable",
    .enabled(if: StoreKind.tested == .sqlite, "reads of a server look for commits every 20 ms"))
  func heldModel() throws {
    let context = ModelContext(try store.container(Fragile.self))
    let model = try #require(try context.fetch(FetchDescriptor<Fragile>()).first)
    try store.execute("UPDATE \"Fragile\" SET mood = 'furious', number = 5")
    #expect(throws: RowDecodingError.self) { try context.fetch(FetchDescriptor<Fragile>()) }
    #expect(model.name == "a")
    #expect(model.mood == .wild)
  }

  @Test(
    "a relationship with unreadable rows gives the readable ones and logs the others",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types")
  )
  func unreadableDestination() throws {
    try store.execute("UPDATE Piece SET number = 'x'")
    let context = ModelContext(try store.container(Fragile.self))
    let model = try #require(try context.fetch(FetchDescriptor<Fragile>()).first)
    #expect(model.pieces.isEmpty)
  }

  @Test(
    "a dangling key of an optional relationship reads as nil",
    .enabled(if: StoreKind.tested == .sqlite, "a server checks keys"))
  func danglingKey() throws {
    let found = try fetch(after: "mate = 12345")
    #expect(found.map(\.mate) == [nil])
  }
}
