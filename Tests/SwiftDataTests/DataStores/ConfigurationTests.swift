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

  @Test(
    "of the null device, or of a configuration's name for memory, are stores in memory of their own",
    arguments: ["/dev/null", ModelConfiguration(isStoredInMemoryOnly: true).url.path])
  func nullDevice(path: String) throws {
    let configuration = ModelConfiguration(url: URL(filePath: path))
    #expect(configuration.isStoredInMemoryOnly)
    let schema = Schema([Resistor.self])
    let containers = try (0..<2).map { _ in
      try ModelContainer(for: schema, configurations: [configuration])
    }
    let context = ModelContext(containers[0])
    context.insert(Resistor("a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Resistor>()) == 1)
    #expect(try ModelContext(containers[1]).fetchCount(FetchDescriptor<Resistor>()) == 0)
    #expect(!FileManager.default.fileExists(atPath: "/dev/null-journal"))
    #expect(!ModelConfiguration(url: URL(filePath: "/dev/nullstore")).isStoredInMemoryOnly)
    let both = try ModelContainer(
      for: Quake.self, Resistor.self,
      configurations: ModelConfiguration(
        "a", schema: Schema([Quake.self]), url: URL(filePath: path)),
      ModelConfiguration("b", schema: schema, url: URL(filePath: path)))
    #expect(both.configurations.count == 2)
  }

  @Test("without names are numbered")
  func unnamed() throws {
    let container = try ModelContainer(
      for: Quake.self, Resistor.self,
      configurations: ModelConfiguration(for: Quake.self, isStoredInMemoryOnly: true),
      ModelConfiguration(for: Resistor.self, isStoredInMemoryOnly: true))
    #expect(container.configurations.map(\.name).sorted() == ["default", "default 2"])
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "default 2"))
    let context = ModelContext(container)
    context.insert(Quake(code: "a", magnitude: 1))
    let resistor = Resistor("a")
    context.insert(resistor)
    try context.save()
    #expect(resistor.persistentModelID.storeIdentifier == identifier)

    let given = try ModelContainer(
      for: Quake.self, Resistor.self,
      configurations: ModelConfiguration(for: Quake.self, isStoredInMemoryOnly: true),
      ModelConfiguration("default", schema: Schema([Resistor.self]), isStoredInMemoryOnly: true))
    #expect(given.configurations.map(\.name).sorted() == ["default", "default 2"])
    let other = Resistor("b")
    let otherContext = ModelContext(given)
    otherContext.insert(other)
    try otherContext.save()
    #expect(
      given.storeIdentifier(forConfigurationNamed: "default")
        == other.persistentModelID.storeIdentifier)
  }

  @Test("with the same name are equal, whether it was given or not")
  func givenNames() {
    let file = URL(filePath: "/tmp/test.store")
    #expect(ModelConfiguration("test", url: file) == ModelConfiguration(url: file))
    #expect(Set([ModelConfiguration("test", url: file), ModelConfiguration(url: file)]).count == 1)
  }

  @Test("without names, for one file, are one store with the models of both")
  func unnamedOfOneFile() throws {
    let store = try TemporaryStore()
    let quakes = ModelConfiguration(schema: Schema([Quake.self]), url: store.file)
    let resistors = ModelConfiguration(schema: Schema([Resistor.self]), url: store.file)
    do {
      let container = try ModelContainer(
        for: Quake.self, Resistor.self, configurations: quakes, resistors)
      #expect(container.configurations.map(\.name) == ["test"])
      let context = ModelContext(container)
      context.insert(Quake(code: "a", magnitude: 1))
      context.insert(Resistor("a"))
      try context.save()
    }
    let both = ModelConfiguration(schema: Schema([Quake.self, Resistor.self]), url: store.file)
    let context = ModelContext(
      try ModelContainer(for: Quake.self, Resistor.self, configurations: both))
    #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.code) == ["a"])
    #expect(try context.fetch(FetchDescriptor<Resistor>()).map(\.name) == ["a"])

    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Quake.self, Resistor.self, configurations: quakes,
        ModelConfiguration(schema: Schema([Resistor.self]), url: store.file, allowsSave: false))
    }
  }

  @Test("without names, for files of one name in two folders, are two stores")
  func unnamedOfTwoFolders() throws {
    let (one, other) = (try TemporaryStore(), try TemporaryStore())
    let container = try ModelContainer(
      for: Quake.self, Resistor.self,
      configurations: ModelConfiguration(schema: Schema([Quake.self]), url: one.file),
      ModelConfiguration(schema: Schema([Resistor.self]), url: other.file))
    #expect(container.configurations.map(\.name).sorted() == ["test", "test 2"])
    #expect(
      container.configurations.map(\.url.path).sorted() == [one, other].map(\.file.path).sorted())
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
