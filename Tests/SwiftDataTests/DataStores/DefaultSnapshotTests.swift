import Foundation
import SwiftData
import Testing

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
    return try #require(json as? NSDictionary)
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

  @Test("an identifier with a custom key keeps it through coding, whatever it looks like")
  func customKeys() throws {
    for key in ["p215", "t7", "a b/c", ""] {
      let identifier = try PersistentIdentifier.identifier(
        for: "s", entityName: "Lodging", primaryKey: key)
      let coded = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: coded) == identifier)
    }
  }
}
