import SwiftData
import Testing

@Suite(
  "A store recognizes the schema that it was made for",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct SchemaRecognitionTests {
  private typealias Old = ParcelForms.First.Parcel
  private typealias New = ParcelForms.Second.Parcel

  private static let forms = "SELECT value FROM _metadata WHERE key = 'schema.forms'"

  private func filled() throws -> TemporaryStore {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Old.self))
    for number in 1...3 { context.insert(Old(number)) }
    try context.save()
    return store
  }

  private func count<Model: PersistentModel>(
    _ store: TemporaryStore, _ type: Model.Type, allowsSave: Bool = true
  ) throws -> Int {
    try ModelContext(store.container(type, allowsSave: allowsSave)).fetchCount(
      FetchDescriptor<Model>())
  }

  @Test("by the forms of its entities, which a migration replaces")
  func byForms() throws {
    let store = try filled()
    let forms = try #require(try store.value(Self.forms))
    #expect(try count(store, Old.self) == 3)
    #expect(try store.value(Self.forms) == forms)
    #expect(try count(store, New.self) == 3)
    #expect(try store.value(Self.forms) != forms)
  }

  @Test("by hashes where an earlier version made it, which kept no forms")
  func byHashes() throws {
    let store = try filled()
    try store.execute("DELETE FROM _metadata WHERE key = 'schema.forms'")
    #expect(try count(store, Old.self, allowsSave: false) == 3)
    #expect(try count(store, Old.self) == 3)
    // Nothing was migrated.
    #expect(try store.value(Self.forms) == nil)
    #expect(try count(store, New.self) == 3)
    #expect(try store.value(Self.forms) != nil)
  }

  @Test("and not by forms that an earlier version left when it migrated it")
  func staleForms() throws {
    let store = try filled()
    let forms = try #require(try store.value(Self.forms))
    #expect(try count(store, New.self) == 3)
    try store.execute(
      "UPDATE _metadata SET value = '\(forms.replacing("'", with: "''"))' WHERE key = 'schema.forms'"
    )
    #expect(try count(store, New.self, allowsSave: false) == 3)
    // The tables are the new ones, so a reader of the old models would read the wrong columns.
    #expect(throws: MigrationError.self) { try count(store, Old.self, allowsSave: false) }
    #expect(try count(store, New.self) == 3)
  }

  @Test("and reads its forms as far as they are undamaged")
  func damagedForms() throws {
    for damage in ["''", "NULL", "x'ff00fe'", "'9223372036854775807 a b' || char(10)", "7"] {
      let store = try filled()
      try store.execute("UPDATE _metadata SET value = \(damage) WHERE key = 'schema.forms'")
      #expect(try count(store, Old.self) == 3, "\(damage)")
      #expect(try count(store, New.self) == 3, "\(damage)")
    }
  }
}
