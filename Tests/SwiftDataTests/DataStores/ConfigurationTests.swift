import Foundation
import SwiftData
import Testing

@Suite("A container's configurations")
struct ConfigurationTests {
  @Test("every call form finds its initialiser")
  func callForms() throws {
    let file = try TemporaryStore()
    func memory(_ name: String) -> ModelConfiguration {
      ModelConfiguration(name, isStoredInMemoryOnly: true)
    }
    let schema = Schema([Quake.self])
    let described: [any DataStoreConfiguration] = [memory("a")]
    let containers = [
      try ModelContainer(for: Quake.self, configurations: memory("a")),
      try ModelContainer(for: Quake.self, Trip.self, configurations: memory("a")),
      try ModelContainer(for: schema, configurations: memory("a")),
      try ModelContainer(for: schema, configurations: [memory("a")]),
      try ModelContainer(for: schema, migrationPlan: nil, configurations: memory("a")),
      try ModelContainer(for: schema, configurations: described),
      try ModelContainer(for: schema, configurations: ModelConfiguration("a", url: file.file)),
    ]
    for container in containers {
      #expect(container.configurations.map(\.name) == ["a"])
      let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "a"))
      #expect(container.configurationName(forStoreIdentifier: identifier) == "a")
    }
  }

  @Test("of one name are refused")
  func duplicates() throws {
    let described: [any DataStoreConfiguration] = [
      ModelConfiguration("a", isStoredInMemoryOnly: true),
      ModelConfiguration("a", isStoredInMemoryOnly: true),
    ]
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Schema([Quake.self]), configurations: described)
    }
  }

  @Test("of one file are refused, and the file is named")
  func duplicateFiles() throws {
    let store = try TemporaryStore()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Quake.self, configurations: ModelConfiguration("a", url: store.file),
        ModelConfiguration("b", url: store.file))
    }
    #expect(error == .duplicateConfiguration)
    let text = try #require(error?.localizedDescription)
    #expect(text.contains(store.file.path))
    #expect(text.contains("\"a\" and \"b\""))
  }

  @Test("assigned to the container change its property, not its stores")
  func assigned() throws {
    let container = try memoryContainer(Quake.self)
    let other = ModelConfiguration("other", isStoredInMemoryOnly: true)
    container.configurations = [other]
    #expect(container.configurations == [other])
    #expect(container.storeIdentifier(forConfigurationNamed: "other") == nil)
  }

  @Test("a context's author travels in its editing state")
  func author() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let identity = context.editingState.id
    context.author = "importer"
    #expect(context.editingState.author == "importer")
    context.editingState.author = nil
    #expect(context.author == nil)
    #expect(context.editingState.id == identity)
    #expect(ModelContext(context.container).editingState.id != identity)
  }
}
