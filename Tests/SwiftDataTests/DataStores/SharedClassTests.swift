import Foundation
import SwiftData
import Testing

@Model
final class Resistor {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
final class Stew {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Opinion.stew) var opinions: [Opinion] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Opinion {
  var text: String
  var stew: Stew?

  init(_ text: String) { self.text = text }
}

@Model
final class Capacitor {
  var name: String

  init(_ name: String) { self.name = name }
}

/// Leads to a class that doesn't lead back.
@Model
final class Circuit {
  var capacitor: Capacitor?

  init(_ capacitor: Capacitor?) { self.capacitor = capacitor }
}

@Suite(
  "A class that two configurations of a container have",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct SharedClassTests {
  private let store: TemporaryStore
  private var first: URL { store.folder.appending(path: "first.store") }
  private var second: URL { store.folder.appending(path: "second.store") }

  init() throws { store = try TemporaryStore() }

  /// Makes a file with two models.
  private func fill(_ file: URL, _ prefix: String) throws {
    let context = ModelContext(try alone(file))
    for number in 1...2 {
      context.insert(Resistor("\(prefix) \(number)"))
      try context.save()
    }
  }

  private func alone(_ file: URL) throws -> ModelContainer {
    try ModelContainer(for: Resistor.self, configurations: ModelConfiguration(url: file))
  }

  private func names(_ file: URL) throws -> [String] {
    try ModelContext(try alone(file)).fetch(
      FetchDescriptor<Resistor>(sortBy: [SortDescriptor(\.name)])
    ).map(\.name)
  }

  @Test("is read from the first and saved there; the other's rows stay", arguments: [true, false])
  func first(allowsSave: Bool) throws {
    try fill(first, "a")
    try fill(second, "b")
    let container = try ModelContainer(
      for: Resistor.self, configurations: ModelConfiguration("first", url: first),
      ModelConfiguration("second", url: second, allowsSave: allowsSave))
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Resistor>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a 1", "a 2"])
    try #require(found.count == 2)
    found[0].name = "edited"
    context.delete(found[1])
    context.insert(Resistor("inserted"))
    try context.save()
    #expect(!found[0].isDeleted)
    #expect(try names(second) == ["b 1", "b 2"])
    try context.delete(model: Resistor.self, where: #Predicate { $0.name != "edited" })
    try context.save()
    found[0].name = "edited again"
    try context.save()
    #expect(try names(first) == ["edited again"])
    #expect(try names(second) == ["b 1", "b 2"])
  }

  @Test("related classes that each configuration names one of are all in the first")
  func related() throws {
    let container = try ModelContainer(
      for: Stew.self, Opinion.self,
      configurations: ModelConfiguration("first", schema: Schema([Stew.self]), url: first),
      ModelConfiguration("second", schema: Schema([Opinion.self]), isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let stew = Stew("goulash")
    stew.opinions = [Opinion("good"), Opinion("hot")]
    context.insert(stew)
    try context.save()
    stew.name = "edited once"
    try context.save()
    #expect(!stew.isDeleted)
    stew.name = "edited twice"
    try context.save()
    let fresh = ModelContext(container)
    let found = try #require(try fresh.fetch(FetchDescriptor<Stew>()).first)
    #expect(found.name == "edited twice")
    #expect(Set(found.opinions.map(\.text)) == ["good", "hot"])
    fresh.delete(found)
    try fresh.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Stew>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<Opinion>()) == 0)
  }

  @Test(
    "and that is in another store than a class that leads to it is refused, and nothing is made")
  func split() throws {
    let circuits = ModelConfiguration("circuits", schema: Schema([Circuit.self]), url: first)
    let capacitors = ModelConfiguration("capacitors", schema: Schema([Capacitor.self]), url: second)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Circuit.self, Capacitor.self, configurations: capacitors, circuits)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(
      error?.localizedDescription.hasPrefix(
        "Circuit of the configuration \"circuits\" leads to Capacitor, which belongs to")
        == true)
    #expect(!FileManager.default.fileExists(atPath: second.path))

    let container = try ModelContainer(
      for: Circuit.self, Capacitor.self, configurations: circuits, capacitors)
    let context = ModelContext(container)
    context.insert(Circuit(Capacitor("10 µF")))
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Circuit>())
    #expect(found.map(\.capacitor?.name) == ["10 µF"])
  }

  @Test("a class that no configuration has is named as such")
  func without() throws {
    let container = try ModelContainer(
      for: Resistor.self, Capacitor.self,
      configurations: ModelConfiguration("first", schema: Schema([Resistor.self]), url: first))
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContext(container).fetch(FetchDescriptor<Capacitor>())
    }
    #expect(error == .unknownSchema)
    #expect(
      error?.localizedDescription.hasPrefix("No configuration of the container has Capacitor.")
        == true)
  }
}
