import Foundation
import SwiftData
import Testing

@Model
final class EditTally {
  var name: String
  var count = 7 { didSet { changes += 1 } }
  @Transient var changes = 0

  init(_ name: String) { self.name = name }
}

@Model
class EditLid {
  var isOpen = false
  var maker: String
  var label: String { didSet { seen.append(maker) } }
  @Transient var seen: [String] = []

  init(maker: String, label: String) {
    self.maker = maker
    self.label = label
  }
}

/// A class that observes a property of its superclass.
@Model
final class EditFlap: EditLid {
  override var isOpen: Bool { didSet { seen.append(maker) } }

  override init(maker: String, label: String) { super.init(maker: maker, label: label) }
}

@Suite("A default snapshot")
struct DefaultSnapshotTests {
  private func snapshot<Model: PersistentModel>(of model: Model) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
  }

  private func object(_ snapshot: DefaultSnapshot) throws -> NSDictionary {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let json = try JSONSerialization.jsonObject(with: encoder.encode(snapshot))
    var object = try #require(json as? [String: Any])
    // A set encodes its elements in any order.
    if let numbers = object["numbers"] as? [Int] { object["numbers"] = numbers.sorted() }
    return NSDictionary(dictionary: object)
  }

  @Test("codes every kind of property as its type codes itself, and reads it back")
  func roundTrip() throws {
    let context = ModelContext(try memoryContainer(Sample.self))
    let sample = Sample(int: 42)
    sample.optionalInner = Inner(depth: 1.25, note: "n")
    sample.optionalColour = .red
    context.insert(sample)
    let before = snapshot(of: sample)
    let coded = try JSONEncoder().encode(before)
    let after = try JSONDecoder().decode(DefaultSnapshot.self, from: coded)
    #expect(after.persistentIdentifier == sample.persistentModelID)
    #expect(try object(after) == object(before))
    let json = try object(before)
    #expect(json["int"] as? Int == 42)
    #expect(json["colour"] as? String == "green")
    #expect((json["outer"] as? NSDictionary)?["title"] as? String == "t")
    #expect(json["optionalString"] is NSNull)
    #expect(json["cache"] == nil, "a transient property is not part of a snapshot")
  }

  @Test("follows the strategies of its encoder and decoder")
  func strategies() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let quake = Quake(code: "a", time: Date(timeIntervalSince1970: 86400))
    context.insert(quake)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let text = String(decoding: try encoder.encode(snapshot(of: quake)), as: UTF8.self)
    #expect(text.contains("1970-01-02T00:00:00Z"))
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let again = try decoder.decode(DefaultSnapshot.self, from: Data(text.utf8))
    #expect(try object(again)["time"] as? Double == quake.time.timeIntervalSinceReferenceDate)
  }

  @Test("has identifiers in place of relationships, which a copy remaps")
  func relationships() throws {
    let context = ModelContext(try memoryContainer(Trip.self))
    let trip = Trip(name: "Alps", lodging: Lodging(title: "Hut"))
    context.insert(trip)
    let lodging = try #require(trip.lodging)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let made = DefaultSnapshot(from: trip.persistentBackingData, relatedBackingDatas: &related)
    #expect(Array(related.keys) == [lodging.persistentModelID])
    let permanent = try PersistentIdentifier.identifier(
      for: "s", entityName: "Lodging", primaryKey: "k1")
    let own = try PersistentIdentifier.identifier(for: "s", entityName: "Trip", primaryKey: "k2")
    let copy = made.copy(
      persistentIdentifier: own, remappedIdentifiers: [lodging.persistentModelID: permanent])
    #expect(copy.persistentIdentifier == own)
    #expect(made.copy(persistentIdentifier: own).persistentIdentifier == own)
    struct Form: Decodable {
      var persistentIdentifier: PersistentIdentifier
      var lodging: PersistentIdentifier?
      var next: PersistentIdentifier?
    }
    let form = try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(copy))
    #expect(form.persistentIdentifier == own)
    #expect(form.lodging == permanent)
    #expect(form.next == nil)
  }

  @Test("doesn't load a destination that isn't loaded")
  func destinationsStayUnloaded() throws {
    let container = try memoryContainer(Trip.self)
    let writing = ModelContext(container)
    writing.insert(Trip(name: "Alps", lodging: Lodging(title: "Hut")))
    try writing.save()
    let reading = ModelContext(container)
    let trip = try #require(try reading.fetch(FetchDescriptor<Trip>()).first)
    let made = snapshot(of: trip)
    struct Form: Decodable { var lodging: PersistentIdentifier? }
    let form = try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(made))
    let identifier = try #require(form.lodging)
    let registered: Lodging? = reading.registeredModel(for: identifier)
    #expect(registered == nil)
    #expect((reading.model(for: identifier) as? Lodging)?.title == "Hut")
  }

  @Test("gives a property that the coded form lacks its default or nil, and refuses without either")
  func missingProperties() throws {
    _ = try memoryContainer(Trip.self)
    let identifier = try PersistentIdentifier.identifier(
      for: "s", entityName: "Lodging", primaryKey: "k")
    struct Old: Encodable {
      var persistentIdentifier: PersistentIdentifier
      var title: String?
    }
    let old = try JSONEncoder().encode(Old(persistentIdentifier: identifier, title: "Hut"))
    let snapshot = try JSONDecoder().decode(DefaultSnapshot.self, from: old)
    #expect(try object(snapshot)["visits"] as? Int == 0)
    let without = try JSONEncoder().encode(Old(persistentIdentifier: identifier))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: without)
    }
  }

  @Test("is made from values that have no model yet")
  func detached() throws {
    _ = try memoryContainer(Quake.self)
    let values: some BackingData<Quake> = Quake.createBackingData()
    values.setValue(forKey: \Quake.code, to: "x")
    values.setValue(forKey: \Quake.magnitude, to: 4.5)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let made = DefaultSnapshot(from: values, relatedBackingDatas: &related)
    #expect(made.persistentIdentifier.isTemporary)
    #expect(made.persistentIdentifier.entityName == "Quake")
  }

  @Test("has the bytes of a transformable property whose type isn't Codable")
  func transformables() throws {
    ValueTransformer.setValueTransformer(
      PaintTransformer(), forName: NSValueTransformerName("TransformableTests.paint"))
    let context = ModelContext(try memoryContainer(Wall.self))
    let wall = Wall(name: "a", paint: Paint(red: 1, green: 2))
    context.insert(wall)
    let coded = try JSONEncoder().encode(snapshot(of: wall))
    let again = try JSONDecoder().decode(DefaultSnapshot.self, from: coded)
    #expect(try object(again)["paint"] as? String == Data([1, 2]).base64EncodedString())
    #expect(try object(again)["trim"] is NSNull)
    #expect(try object(again) == object(snapshot(of: wall)))
  }

  @Test("is whole although its model was fetched in part")
  func partialModels() throws {
    let container = try memoryContainer(Quake.self)
    let writing = ModelContext(container)
    writing.insert(Quake(code: "a", magnitude: 3))
    try writing.save()
    var descriptor = FetchDescriptor<Quake>()
    descriptor.propertiesToFetch = [\.code]
    let reading = ModelContext(container)
    let quake = try #require(try reading.fetch(descriptor).first)
    #expect(try object(snapshot(of: quake))["magnitude"] as? Double == 3)
  }

  @Test("a model is made from values whose types have no empty value")
  func detachedWithoutZero() throws {
    let values: some BackingData<Sample> = Sample.createBackingData()
    values.setValue(forKey: \Sample.shape, to: Shape.circle(radius: 7))
    values.setValue(forKey: \Sample.string, to: "text")
    let sample = Sample(backingData: values)
    #expect(sample.shape == .circle(radius: 7))
    #expect(sample.string == "text")
  }

  @Test("a model that is made from values has the declared initial values of the others")
  func initialValues() throws {
    let context = ModelContext(try memoryContainer(Vehicle.self, Truck.self))
    let values: some BackingData<Vehicle> = Truck.createBackingData()
    values.setValue(forKey: \Vehicle.plate, to: "a")
    let truck = Truck(backingData: values)
    truck.load = 3
    #expect(truck.wheels == 4)
    #expect(truck.capacity == 1)
    let other: some BackingData<Vehicle> = Vehicle.createBackingData()
    other.setValue(forKey: \Vehicle.plate, to: "b")
    other.setValue(forKey: \Vehicle.wheels, to: 6)
    context.insert(truck)
    context.insert(Vehicle(backingData: other))
    try context.save()
    let stored = try ModelContext(context.container).fetch(
      FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(stored.map(\.wheels) == [4, 6])
    #expect((stored.first as? Truck)?.capacity == 1)
  }

  @Test("declared initial values of a model that is made from values run no observers")
  func observers() throws {
    let values: some BackingData<EditTally> = EditTally.createBackingData()
    values.setValue(forKey: \EditTally.name, to: "a")
    let tally = EditTally(backingData: values)
    #expect(tally.count == 7 && tally.changes == 0)
    tally.count = 8
    #expect(tally.changes == 1)
  }

  @Test("observers of a model that is made from values see all of them")
  func observersOfOthers() {
    let values: some BackingData<EditLid> = EditFlap.createBackingData()
    values.setValue(forKey: \EditLid.label, to: "lid")
    values.setValue(forKey: \EditLid.maker, to: "Ada")
    let flap = EditFlap(backingData: values)
    #expect(flap.seen == ["Ada", "Ada"])
    #expect(flap.maker == "Ada" && flap.label == "lid" && !flap.isOpen)
  }

  @Test("an identifier with a custom key of any form keeps it through coding")
  func customKeys() throws {
    for key in ["p215", "t7", "a b/c", ""] {
      let identifier = try PersistentIdentifier.identifier(
        for: "s", entityName: "Lodging", primaryKey: key)
      let coded = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: coded) == identifier)
    }
  }
}
