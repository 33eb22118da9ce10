import SwiftData
import Testing

@Suite("Inheritance in a custom store")
struct CustomStoreInheritanceTests {
  @Test("instances come back as their own class, by fetches, identifiers and relationships")
  func classes() throws {
    let container = try ModelContainer(
      for: Tool.self, Saw.self, Kit.self, configurations: DictionaryConfiguration(name: "tools"))
    let context = ModelContext(container)
    let kit = Kit()
    kit.tools = [Tool("hammer"), Saw("fine", teeth: 40)]
    context.insert(kit)
    try context.save()
    let reading = ModelContext(container)
    let tools = try reading.fetch(FetchDescriptor<Tool>(sortBy: [SortDescriptor(\.name)]))
    #expect(tools.map(\.name) == ["fine", "hammer"])
    #expect((tools.first as? Saw)?.teeth == 40)
    #expect(try reading.fetch(FetchDescriptor<Saw>()).map(\.teeth) == [40])
    let other = ModelContext(container)
    let stored = try #require(try other.fetch(FetchDescriptor<Kit>()).first)
    #expect(Set(stored.tools.map(\.name)) == ["hammer", "fine"])
    #expect(stored.tools.contains { ($0 as? Saw)?.teeth == 40 })
    let identifier = try #require(tools.first).persistentModelID
    #expect((ModelContext(container).model(for: identifier) as? Saw)?.name == "fine")
  }

  @Test(
    "a relationship to a class includes subclasses in a store that answers for each class alone",
    arguments: [false, true])
  func classesAlone(findsIdentifiers: Bool) throws {
    let configuration = DictionaryConfiguration(name: "tools")
    let container = try ModelContainer(
      for: Tool.self, Saw.self, Kit.self, configurations: configuration)
    let context = ModelContext(container)
    let kit = Kit()
    kit.tools = [Tool("hammer"), Saw("fine", teeth: 40), Saw("rough", teeth: 9)]
    context.insert(kit)
    try context.save()
    configuration.place.answersOwnClassOnly = true
    configuration.place.findsIdentifiers = findsIdentifiers
    configuration.place.log = []
    let stored = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Kit>()).first)
    #expect(Set(stored.tools.map(\.name)) == ["hammer", "fine", "rough"])
    #expect(stored.tools.compactMap { ($0 as? Saw)?.teeth }.sorted() == [9, 40])
    #expect(Set(configuration.place.log).isSuperset(of: ["fetch Saw", "fetch Tool"]))
  }
}
