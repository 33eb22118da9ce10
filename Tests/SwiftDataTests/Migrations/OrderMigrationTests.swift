import SwiftData
import Testing

@Suite(
  "Ordered lists keep their order through a migration",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct OrderMigrationTests {
  private typealias Plain = ConvoyForms.Plain
  private typealias Ordered = ConvoyForms.Ordered
  private typealias Rebuilt = ConvoyForms.Rebuilt

  private func plain(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try store.container(Plain.Convoy.self, Plain.Wagon.self, Plain.Driver.self))
  }

  private func ordered(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try store.container(Ordered.Convoy.self, Ordered.Wagon.self, Ordered.Driver.self))
  }

  private func reversed(_ store: TemporaryStore) throws {
    let context = try ordered(store)
    let convoy = try #require(try context.fetch(FetchDescriptor<Ordered.Convoy>()).first)
    convoy.wagons.reverse()
    convoy.drivers.reverse()
    try context.save()
  }

  private func filled(_ store: TemporaryStore) throws {
    let context = try plain(store)
    let convoy = Plain.Convoy("north")
    context.insert(convoy)
    for name in ["a", "b", "c"] {
      let (wagon, driver) = (Plain.Wagon(name), Plain.Driver(name))
      context.insert(wagon)
      context.insert(driver)
      try context.save()
      wagon.convoy = convoy
      driver.convoys = [convoy]
      try context.save()
    }
  }

  @Test("a list that becomes ordered begins in the order of the rows, and keeps later changes")
  func addition() throws {
    let store = try TemporaryStore()
    try filled(store)
    var convoy = try #require(
      try ordered(store).fetch(FetchDescriptor<Ordered.Convoy>()).first)
    #expect(convoy.wagons.map(\.name) == ["a", "b", "c"])
    #expect(convoy.drivers.map(\.name) == ["a", "b", "c"])
    try reversed(store)
    convoy = try #require(try ordered(store).fetch(FetchDescriptor<Ordered.Convoy>()).first)
    #expect(convoy.wagons.map(\.name) == ["c", "b", "a"])
    #expect(convoy.drivers.map(\.name) == ["c", "b", "a"])
  }

  @Test("the order survives the rebuilding of tables and a renamed key")
  func rebuilding() throws {
    let store = try TemporaryStore()
    try filled(store)
    try reversed(store)
    let context = ModelContext(
      try store.container(Rebuilt.Convoy.self, Rebuilt.Wagon.self, Rebuilt.Driver.self))
    let convoy = try #require(try context.fetch(FetchDescriptor<Rebuilt.Convoy>()).first)
    #expect(convoy.wagons.map(\.name) == ["c", "b", "a"])
    #expect(convoy.drivers.map(\.name) == ["c", "b", "a"])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("a list that loses its order keeps its models")
  func removal() throws {
    let store = try TemporaryStore()
    try filled(store)
    try reversed(store)
    let convoy = try #require(try plain(store).fetch(FetchDescriptor<Plain.Convoy>()).first)
    #expect(convoy.wagons.map(\.name).sorted() == ["a", "b", "c"])
    #expect(convoy.drivers.map(\.name).sorted() == ["a", "b", "c"])
    #expect(try store.values("PRAGMA foreign_key_check") == [])
  }
}
