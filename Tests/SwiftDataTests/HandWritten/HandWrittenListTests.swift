import SwiftData
import Testing

/// A class without the macro, with an optional list of models.
private final class Observatory: PersistentModel {
  private var backing: any BackingData<Observatory> = Observatory.createBackingData()
  var persistentBackingData: any BackingData<Observatory> {
    get { backing }
    set { backing = newValue }
  }
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "name", keypath: \Observatory.name),
      .init(
        name: "instruments", keypath: \Observatory.instruments,
        metadata: Schema.Relationship(deleteRule: .cascade)),
    ]
  }
  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }
  var instruments: [Instrument]? {
    get { getValue(forKey: \.instruments) }
    set { setValue(forKey: \.instruments, to: newValue) }
  }

  init(name: String) { self.name = name }
  init(backingData: any BackingData<Observatory>) { backing = backingData }
}

private final class Instrument: PersistentModel {
  private var backing: any BackingData<Instrument> = Instrument.createBackingData()
  var persistentBackingData: any BackingData<Instrument> {
    get { backing }
    set { backing = newValue }
  }
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "name", keypath: \Instrument.name),
      .init(
        name: "owner", keypath: \Instrument.owner,
        metadata: Schema.Relationship(inverse: \Observatory.instruments)),
    ]
  }
  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }
  var owner: Observatory? {
    get { getValue(forKey: \.owner) }
    set { setValue(forKey: \.owner, to: newValue) }
  }

  init(name: String) { self.name = name }
  init(backingData: any BackingData<Instrument>) { backing = backingData }
}

@Suite("Optional lists of models in conformances written by hand")
struct HandWrittenListTests {
  private func names(_ observatory: Observatory?) -> [String]? {
    observatory?.instruments?.map(\.name).sorted()
  }

  @Test("a list that is set is read, leads back, and is stored")
  func assignment() throws {
    let container = try memoryContainer(Observatory.self, Instrument.self)
    let context = ModelContext(container)
    let observatory = Observatory(name: "O")
    #expect(observatory.instruments == nil)
    context.insert(observatory)
    let first = Instrument(name: "A")
    let second = Instrument(name: "B")
    observatory.instruments = [first]
    #expect(names(observatory) == ["A"] && first.owner === observatory)
    context.insert(second)
    second.owner = observatory
    #expect(names(observatory) == ["A", "B"] && first.modelContext === context)
    try context.save()
    let other = ModelContext(container)
    let fetched = try other.fetch(FetchDescriptor<Observatory>()).first
    #expect(names(fetched) == ["A", "B"])
    fetched?.instruments?.removeAll { $0.name == "A" }
    #expect(names(fetched) == ["B"])
    try other.save()
    let third = ModelContext(container)
    #expect(names(try third.fetch(FetchDescriptor<Observatory>()).first) == ["B"])
    for observatory in try third.fetch(FetchDescriptor<Observatory>()) { third.delete(observatory) }
    try third.save()
    #expect(try third.fetch(FetchDescriptor<Instrument>()).map(\.name) == ["A"])
  }

  @Test("a list of a model without a context is taken along by its insertion")
  func insertion() throws {
    let container = try memoryContainer(Observatory.self, Instrument.self)
    let context = ModelContext(container)
    let observatory = Observatory(name: "O")
    observatory.instruments = [Instrument(name: "A")]
    #expect(names(observatory) == ["A"])
    context.insert(observatory)
    try context.save()
    let instruments = try ModelContext(container).fetch(FetchDescriptor<Instrument>())
    #expect(instruments.map { $0.owner?.name } == ["O"])
  }

  @Test("a list that is set to nil has no members")
  func removal() throws {
    let container = try memoryContainer(Observatory.self, Instrument.self)
    let context = ModelContext(container)
    let observatory = Observatory(name: "O")
    context.insert(observatory)
    let instrument = Instrument(name: "A")
    observatory.instruments = [instrument]
    try context.save()
    observatory.instruments = nil
    #expect(observatory.instruments == nil && instrument.owner == nil)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Instrument>()).map { $0.owner == nil } == [true])
    #expect(names(try other.fetch(FetchDescriptor<Observatory>()).first)?.isEmpty != false)
  }
}
