import SwiftData
import Testing

/// Versions of one entity that differ in its constraints.
enum PlaceForms {
  enum Plain {
    @Model
    final class Place {
      var name: String
      var region: String
      init(_ name: String, region: String = "") {
        self.name = name
        self.region = region
      }
    }
  }

  enum Unique {
    @Model
    final class Place {
      @Attribute(.unique) var name: String
      var region: String
      init(_ name: String) {
        self.name = name
        region = ""
      }
    }
  }

  enum Paired {
    @Model
    final class Place {
      #Unique<Place>([\.name, \.region])
      var name: String
      var region: String
      init(_ name: String, region: String) {
        self.name = name
        self.region = region
      }
    }
  }

  enum Coded {
    @Model
    final class Place {
      var name: String
      var region: String
      @Attribute(.unique) var code: String = "e\u{301}"
      init(_ code: String) {
        name = "new"
        region = ""
        self.code = code
      }
    }
  }

  enum Searchable {
    @Model
    final class Place {
      @Attribute(.spotlight) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum SearchableAndUnique {
    @Model
    final class Place {
      @Attribute(.spotlight, .unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Sealed {
    @Model
    final class Place {
      @Attribute(.allowsCloudEncryption) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum SealedAndUnique {
    @Model
    final class Place {
      @Attribute(.unique, .allowsCloudEncryption) var name: String
      init(_ name: String) { self.name = name }
    }
  }
}

@Suite("Texts that become unique are compared as Swift does")
struct UniqueTextMigrationTests {
  private static let decomposed = "cafe\u{301}"
  private static let composed = "caf\u{E9}"
  private static let key = EncryptionKey(Data(repeating: 7, count: 32))

  private func save(
    _ store: TemporaryStore, _ places: any PersistentModel..., key: EncryptionKey? = nil
  ) throws {
    let type = try #require(places.first.map { Swift.type(of: $0) })
    let context = ModelContext(try store.container(type, encryptionKey: key))
    for place in places { context.insert(place) }
    try context.save()
  }

  private func expectRefusal(
    _ store: TemporaryStore, _ type: any PersistentModel.Type, key: EncryptionKey? = nil
  ) {
    #expect {
      _ = try store.container(type, encryptionKey: key)
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.code == .notUnique && error.entity == "Place" && error.rowCount == 2
        && error.rowIDs == error.rowIDs.sorted() && error.rowIDs.count == 2
    }
  }

  private func count(_ store: TemporaryStore) throws -> String? {
    try store.value("SELECT count(*) FROM \"Place\"")
  }

  @Test("a stored text is composed, so that an equal one updates its row")
  func composition() throws {
    let store = try TemporaryStore()
    try save(store, PlaceForms.Plain.Place(Self.decomposed), PlaceForms.Plain.Place("other"))
    #expect(Self.decomposed.unicodeScalars.count == 5)
    try save(store, PlaceForms.Unique.Place(Self.composed))
    #expect(try count(store) == "2")
    #expect(
      try store.values("SELECT length(name) FROM \"Place\" ORDER BY name") == ["4", "5"])
  }

  @Test("rows with equal texts are refused, whatever their bytes")
  func refusal() throws {
    let store = try TemporaryStore()
    try save(
      store, PlaceForms.Plain.Place(Self.decomposed), PlaceForms.Plain.Place("other"),
      PlaceForms.Plain.Place(Self.composed))
    expectRefusal(store, PlaceForms.Unique.Place.self)
    #expect(try count(store) == "3")
    #expect(
      try store.values("SELECT length(name) FROM \"Place\" ORDER BY _id") == ["5", "5", "4"])
  }

  @Test("a dry run tells of them", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func preview() throws {
    let store = try TemporaryStore()
    try save(
      store, PlaceForms.Plain.Place(Self.decomposed), PlaceForms.Plain.Place(Self.composed))
    let preview = try ModelContainer.migrationPreview(
      for: Schema([PlaceForms.Unique.Place.self]),
      configuration: ModelConfiguration(url: store.file))
    #expect(preview.stages.flatMap(\.problems).map(\.code) == [.notUnique])
  }

  @Test(
    "a copy keeps the former texts", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func copy() throws {
    let store = try TemporaryStore()
    try save(store, PlaceForms.Plain.Place(Self.decomposed))
    var configuration = ModelConfiguration(url: store.file)
    configuration.migrationBackup = .kept
    _ = try ModelContainer(
      for: Schema([PlaceForms.Unique.Place.self]), configurations: [configuration])
    #expect(try store.value("SELECT length(name) FROM \"Place\"") == "4")
    let copy = try ModelContainer(
      for: Schema([PlaceForms.Plain.Place.self]),
      configurations: [ModelConfiguration(url: configuration.migrationBackupURL)])
    let places = try ModelContext(copy).fetch(FetchDescriptor<PlaceForms.Plain.Place>())
    #expect(places.map(\.name.unicodeScalars.count) == [5])
  }

  @Test("texts of several columns are compared together")
  func pairs() throws {
    let store = try TemporaryStore()
    try save(
      store, PlaceForms.Plain.Place(Self.decomposed, region: "a"),
      PlaceForms.Plain.Place(Self.composed, region: "b"))
    try save(store, PlaceForms.Paired.Place(Self.composed, region: "a"))
    #expect(try count(store) == "2")
    let other = try TemporaryStore()
    try save(
      other, PlaceForms.Plain.Place("b", region: Self.decomposed),
      PlaceForms.Plain.Place("b", region: Self.composed))
    expectRefusal(other, PlaceForms.Paired.Place.self)
  }

  @Test("a default is composed")
  func defaultValue() throws {
    let store = try TemporaryStore()
    try save(store, PlaceForms.Plain.Place("a"))
    try save(store, PlaceForms.Coded.Place("\u{E9}"))
    #expect(try store.values("SELECT name FROM \"Place\"") == ["new"])
  }

  @Test("tables for searching follow")
  func searching() throws {
    let store = try TemporaryStore()
    try save(store, PlaceForms.Searchable.Place("a long \(Self.decomposed)"))
    let context = ModelContext(
      try store.container(PlaceForms.SearchableAndUnique.Place.self))
    let text = "long \(Self.composed)"
    let search = FetchDescriptor<PlaceForms.SearchableAndUnique.Place>(
      predicate: #Predicate { $0.name.localizedStandardContains(text) })
    #expect(try context.fetchCount(search) == 1)
    try context.delete(model: PlaceForms.SearchableAndUnique.Place.self)
    try context.save()
    #expect(try context.fetchCount(search) == 0)
  }

  @Test("encrypted texts, too")
  func encryption() throws {
    let store = try TemporaryStore()
    try save(
      store, PlaceForms.Sealed.Place(Self.decomposed), PlaceForms.Sealed.Place("other"),
      key: Self.key)
    try save(store, PlaceForms.SealedAndUnique.Place(Self.composed), key: Self.key)
    #expect(try count(store) == "2")
    let other = try TemporaryStore()
    try save(
      other, PlaceForms.Sealed.Place(Self.decomposed), PlaceForms.Sealed.Place(Self.composed),
      key: Self.key)
    expectRefusal(other, PlaceForms.SealedAndUnique.Place.self, key: Self.key)
  }

  @Test(
    "texts that are encrypted at the same time, too",
    .enabled(if: StoreKind.tested == .sqlite, "servers refuse the change"))
  func encryptionAtOnce() throws {
    let store = try TemporaryStore()
    try save(store, PlaceForms.Plain.Place(Self.decomposed))
    try save(store, PlaceForms.SealedAndUnique.Place(Self.composed), key: Self.key)
    #expect(try count(store) == "1")
    let other = try TemporaryStore()
    try save(
      other, PlaceForms.Plain.Place(Self.decomposed), PlaceForms.Plain.Place(Self.composed))
    expectRefusal(other, PlaceForms.SealedAndUnique.Place.self, key: Self.key)
  }
}
