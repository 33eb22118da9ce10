import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Model
final class Patient {
  var number: Int
  @Attribute(.allowsCloudEncryption, .unique) var name: String
  @Attribute(.allowsCloudEncryption) var weight: Double?
  @Attribute(.allowsCloudEncryption) var born: Date
  @Attribute(.allowsCloudEncryption) var place: Location?
  @Attribute(.allowsCloudEncryption, .externalStorage) var scan: Data

  init(number: Int, name: String, scan: Data = Data()) {
    self.number = number
    self.name = name
    born = Date(timeIntervalSinceReferenceDate: Double(number))
    self.scan = scan
  }
}

@Model
final class Ward {
  @Attribute(.allowsCloudEncryption) var name: String
  var beds: [Bed] = []
  init(name: String) { self.name = name }
}

@Model
final class Bed {
  @Attribute(.allowsCloudEncryption) var note: String
  var size: Int
  var ward: Ward?
  init(note: String, size: Int) {
    self.note = note
    self.size = size
  }
}

@Suite("Encrypted attributes")
struct EncryptionTests {
  private let store: TemporaryStore
  private let key = EncryptionKey()

  init() throws { store = try TemporaryStore() }

  private func context(_ key: EncryptionKey?, allowsSave: Bool = true) throws -> ModelContext {
    ModelContext(
      try store.container(Patient.self, allowsSave: allowsSave, encryptionKey: key))
  }

  private func patients(_ context: ModelContext) throws -> [Patient] {
    try context.fetch(FetchDescriptor<Patient>(sortBy: [SortDescriptor(\.number)]))
  }

  private func fill() throws {
    let context = try context(key)
    let ada = Patient(number: 1, name: "Ada Lovelace", scan: Data(repeating: 7, count: 120_000))
    ada.weight = 61.5
    ada.place = Location(name: "Marylebone", longitude: -0.15, latitude: 51.5)
    context.insert(ada)
    context.insert(Patient(number: 2, name: "Charles Babbage"))
    try context.save()
  }

  @Test(
    "values come back with the key, and no byte of them is in the files",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func roundTrip() throws {
    try fill()
    let found = try patients(try context(key))
    #expect(found.map(\.name) == ["Ada Lovelace", "Charles Babbage"])
    #expect(found.map(\.weight) == [61.5, nil])
    #expect(found.map(\.born.timeIntervalSinceReferenceDate) == [1, 2])
    #expect(found.map(\.place?.name) == ["Marylebone", nil])
    #expect(found.map(\.scan.count) == [120_000, 0])
    #expect(
      try store.value("SELECT typeof(name) || typeof(weight) || typeof(born) FROM Patient")
        == "blobblobblob")
    let files = FileManager.default.enumerator(at: store.folder, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where !file.hasDirectoryPath {
      let bytes = try Data(contentsOf: file)
      for secret in ["Lovelace", "Marylebone", String(repeating: "\u{7}", count: 16)] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file.lastPathComponent)")
      }
    }
  }

  private func expect(_ code: StoreError.Code, _ body: () throws -> Void) {
    #expect(performing: body, throws: { ($0 as? StoreError)?.code == code })
  }

  @Test("a missing or wrong key is an error when the store is opened", arguments: [true, false])
  func wrongKey(allowsSave: Bool) throws {
    expect(.missingKey) { _ = try context(nil) }
    try fill()
    expect(.missingKey) { _ = try context(nil, allowsSave: allowsSave) }
    expect(.wrongKey) { _ = try context(EncryptionKey(), allowsSave: allowsSave) }
    #expect(try patients(try context(key, allowsSave: allowsSave)).count == 2)
  }

  @Test(
    "a value that was changed, moved or written in the clear is an error that names it",
    .enabled(if: StoreKind.tested == .sqlite, "changes values in SQLite's SQL"),
    arguments: [
      "UPDATE Patient SET name = 'clear' || number",
      "UPDATE Patient SET name = CAST('x' || number AS BLOB)",
      "UPDATE Patient SET name = born",
      "UPDATE Patient SET name = CAST(substr(name, 1, length(name) - 1) AS BLOB)",
    ])
  func changedValue(sql: String) throws {
    try fill()
    try store.execute(sql)
    let context = try context(key)
    #expect {
      _ = try patients(context)
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .damaged && error?.description.contains("Patient.name") == true
    }
  }

  @Test("filters and sorts on encrypted values give the right answer, in memory")
  func predicate() throws {
    try fill()
    let context = try context(key)
    let before = MemoryFiltering.count
    let found = try context.fetch(
      FetchDescriptor<Patient>(
        predicate: #Predicate { $0.name.contains("Love") && $0.number < 5 },
        sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.number) == [1])
    #expect(MemoryFiltering.count > before)
    let sorted = try context.fetch(
      FetchDescriptor<Patient>(sortBy: [SortDescriptor(\.name, order: .reverse)]))
    #expect(sorted.map(\.number) == [2, 1])
    let heavy = FetchDescriptor<Patient>(predicate: #Predicate { ($0.weight ?? 0) > 60 })
    #expect(try context.fetchCount(heavy) == 1)
  }

  @Test("a unique encrypted value makes an insertion an update, and an equal one writes nothing")
  func unique() throws {
    try fill()
    let container = try context(key).container
    let batch = try BatchUpsert<Patient>(container)
    #expect(try batch.upsert(Patient(number: 2, name: "Charles Babbage")) == .unchanged)
    #expect(try batch.upsert(Patient(number: 3, name: "Charles Babbage")) == .updated)
    #expect(try batch.upsert(Patient(number: 4, name: "Mary Somerville")) == .inserted)
    try batch.commit()
    #expect(try patients(ModelContext(container)).map(\.number) == [1, 3, 4])
  }

  @Test("edits are saved and rolled back")
  func edit() throws {
    try fill()
    let context = try context(key)
    let ada = try #require(try patients(context).first)
    ada.weight = 70
    context.rollback()
    #expect(ada.weight == 61.5)
    ada.weight = nil
    ada.place?.name = "Ockham"
    try context.save()
    let again = try #require(try patients(try self.context(key)).first)
    #expect(again.weight == nil && again.place?.name == "Ockham")
  }

  @Test("a store in memory encrypts with a key")
  func memory() throws {
    let container = try memoryContainer(Patient.self, encryptionKey: key)
    let batch = try BatchUpsert<Patient>(container)
    try batch.upsert(Patient(number: 1, name: "a"))
    try batch.commit()
    let context = ModelContext(container)
    #expect(try patients(context).map(\.name) == ["a"])
    if StoreKind.tested == .sqlite {
      let forms = try context.rows(sql: "SELECT typeof(name) FROM Patient", as: String.self)
      #expect(forms == ["blob"])
    }
  }

  @Test(
    "a store in memory needs no key: its values are in no file",
    .enabled(if: StoreKind.tested == .sqlite, "stores on PostgreSQL are on a disk"))
  func memoryWithoutKey() throws {
    let container = try memoryContainer(Patient.self)
    let context = ModelContext(container)
    let ada = Patient(number: 1, name: "Ada", scan: Data(repeating: 7, count: 120_000))
    ada.weight = .nan
    ada.place = Location(name: "Marylebone", longitude: -0.15, latitude: 51.5)
    context.insert(ada)
    context.insert(Patient(number: 2, name: "Charles"))
    try context.save()
    let batch = try BatchUpsert<Patient>(container)
    #expect(try batch.upsert(Patient(number: 2, name: "Charles")) == .unchanged)
    #expect(try batch.upsert(Patient(number: 3, name: "Charles")) == .updated)
    try batch.commit()
    let other = ModelContext(container)
    let found = try patients(other)
    #expect(found.map(\.name) == ["Ada", "Charles"])
    #expect(found.map(\.number) == [1, 3])
    #expect(found.first?.weight?.isNaN == true && found.last?.weight == nil)
    #expect(found.map(\.born.timeIntervalSinceReferenceDate) == [1, 3])
    #expect(found.map(\.place?.name) == ["Marylebone", nil])
    #expect(found.map(\.scan.count) == [120_000, 0])
    let sorted = FetchDescriptor<Patient>(
      predicate: #Predicate { $0.name.contains("a") },
      sortBy: [SortDescriptor(\.name, order: .reverse)])
    #expect(try other.fetch(sorted).map(\.number) == [3, 1])
    found.first?.weight = 61.5
    try other.save()
    #expect(try patients(ModelContext(container)).first?.weight == 61.5)
  }

  @Test("destinations of relationships are decrypted, partially loaded ones too")
  func relationships() throws {
    let container = try memoryContainer(Ward.self, encryptionKey: key)
    let context = ModelContext(container)
    let ward = Ward(name: "east")
    context.insert(ward)
    ward.beds = [Bed(note: "a", size: 1), Bed(note: "b", size: 2)]
    try context.save()
    let wards = try ModelContext(container).fetch(FetchDescriptor<Ward>())
    #expect(wards.first?.beds.map(\.note).sorted() == ["a", "b"])
    var sizes = FetchDescriptor<Bed>(sortBy: [SortDescriptor(\.size)])
    sizes.propertiesToFetch = [\.size]
    let other = ModelContext(container)
    let beds = try other.fetch(sizes)
    #expect(beds.map(\.ward?.name) == ["east", "east"])
    #expect(beds[0].ward?.beds.count == 2)
    #expect(beds.map(\.note) == ["a", "b"])
    #expect(beds[0].ward?.beds.count == 2)
  }

  @Test("a key has 32 bytes and doesn't show them")
  func keys() throws {
    #expect(EncryptionKey([1, 2, 3]) == nil)
    #expect(EncryptionKey(key.bytes) == key)
    #expect(EncryptionKey() != key)
    var configuration = ModelConfiguration(url: store.file)
    configuration.encryptionKey = key
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(dumped.contains("EncryptionKey(hidden)") && !dumped.contains("bytes"))
    #expect("\(key)" == "EncryptionKey(hidden)")
  }
}
