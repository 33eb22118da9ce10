import SwiftData
import Testing

@Suite(
  "Attributes migrate when the store is opened",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct AttributeMigrationTests {
  private typealias First = ParcelForms.First.Parcel

  /// Fills a store with four parcels of the first version, and returns their identifiers in order.
  private func filled(_ store: TemporaryStore) throws -> [PersistentIdentifier] {
    let context = ModelContext(try store.container(First.self))
    let parcels = (1...4).map { First($0, note: $0 == 3 ? "fragile" : nil) }
    for parcel in parcels { context.insert(parcel) }
    try context.save()
    return parcels.map(\.persistentModelID)
  }

  private func expectRefusal(
    _ code: MigrationError.Code, _ property: String, rows: [Int64], of store: TemporaryStore,
    _ type: any PersistentModel.Type
  ) throws {
    let before = try store.values("SELECT sql FROM sqlite_schema ORDER BY rowid")
    #expect {
      _ = try store.container(type)
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.code == code && error.entity == "Parcel" && error.property == property
        && error.rowIDs == rows && error.rowCount == rows.count
        && error.description.contains("Parcel.\(property)".replacing("Parcel.state,", with: ""))
    }
    #expect(try store.values("SELECT sql FROM sqlite_schema ORDER BY rowid") == before)
    #expect(try ModelContext(store.container(First.self)).fetchCount(FetchDescriptor<First>()) == 4)
    #expect(!FileManager.default.fileExists(atPath: store.file.path + ".before-migration"))
  }

  @Test("added, removed, renamed and widened ones, with every row's identity")
  func changes() throws {
    let store = try TemporaryStore()
    let identifiers = try filled(store)
    let context = ModelContext(try store.container(ParcelForms.Second.Parcel.self))
    let parcels = try context.fetch(
      FetchDescriptor<ParcelForms.Second.Parcel>(sortBy: [SortDescriptor(\.number)]))
    #expect(parcels.map(\.persistentModelID) == identifiers)
    #expect(parcels.map(\.title) == ["label 1", "label 2", "label 3", "label 4"])
    #expect(parcels.map(\.note) == [nil, nil, "fragile", nil])
    #expect(parcels.map(\.weight) == [10, 20, 30, 40])
    #expect(parcels.map(\.grams) == [1, 2, 3, 4])
    #expect(parcels.map(\.isHeavy) == [0, 0, 1, 1])
    #expect(parcels.map(\.ratio) == [0.25, 0.5, 0.75, 1])
    #expect(parcels.map(\.state) == [.packed, .sent, .packed, .sent])
    #expect(parcels.map(\.size.width) == [1, 2, 3, 4])
    #expect(parcels.allSatisfy { $0.size.depth == nil && $0.due == nil })
    #expect(parcels.allSatisfy { $0.colour == "brown" && $0.tags == ["new"] })
    parcels[0].size.depth = 7
    try context.save()
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    #expect(try store.value("SELECT typeof(weight) FROM Parcel") == "real")
  }

  @Test("truth values become numbers")
  func truthValues() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    let context = ModelContext(try store.container(ParcelForms.Rated.Parcel.self))
    let parcels = try context.fetch(
      FetchDescriptor<ParcelForms.Rated.Parcel>(sortBy: [SortDescriptor(\.number)]))
    #expect(parcels.map(\.isHeavy) == [0, 0, 1, 1])
    #expect(try store.value("SELECT typeof(isHeavy) FROM Parcel") == "real")
  }

  @Test("added and renamed attributes change the table in place")
  func inPlace() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    let root = try store.value("SELECT rootpage FROM sqlite_schema WHERE name = 'Parcel'")
    _ = try store.container(ParcelForms.Second.Parcel.self)
    #expect(try store.value("SELECT rootpage FROM sqlite_schema WHERE name = 'Parcel'") != root)
    let other = try TemporaryStore()
    let context = ModelContext(try other.container(ParcelForms.Least.Parcel.self))
    context.insert(ParcelForms.Least.Parcel(1))
    try context.save()
    let place = try other.value("SELECT rootpage FROM sqlite_schema WHERE name = 'Parcel'")
    let wide = ModelContext(try other.container(ParcelForms.RequiredWithDefault.Parcel.self))
    #expect(
      try wide.fetch(FetchDescriptor<ParcelForms.RequiredWithDefault.Parcel>())[0].note == "none")
    #expect(try other.value("SELECT rootpage FROM sqlite_schema WHERE name = 'Parcel'") == place)
  }

  @Test("removed ones leave the file, and stay in the copy from before")
  func removal() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    let context = ModelContext(try store.container(ParcelForms.Least.Parcel.self))
    #expect(try context.fetchCount(FetchDescriptor<ParcelForms.Least.Parcel>()) == 4)
    #expect(
      try store.values("SELECT name FROM pragma_table_info('Parcel')") == ["_id", "number"])
    let copy = ModelConfiguration(url: store.file).migrationBackupURL
    let old = try ModelContainer(
      for: First.self, configurations: ModelConfiguration(url: copy))
    let parcels = try ModelContext(old).fetch(
      FetchDescriptor<First>(sortBy: [SortDescriptor(\.number)]))
    #expect(parcels.map(\.label) == ["label 1", "label 2", "label 3", "label 4"])
  }

  @Test("a new one that can't be nil and has no default is refused while there are rows")
  func valueless() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    try expectRefusal(
      .missingValue, "owner", rows: [1, 2, 3, 4], of: store, ParcelForms.Valueless.Parcel.self)
    let empty = try TemporaryStore()
    _ = try empty.container(First.self)
    _ = try empty.container(ParcelForms.Valueless.Parcel.self)
  }

  @Test(
    "one that can't be nil any more is refused for the rows that have nothing, or gets its default")
  func required() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    try expectRefusal(
      .missingValue, "note", rows: [1, 2, 4], of: store, ParcelForms.Required.Parcel.self)
    let context = ModelContext(try store.container(ParcelForms.RequiredWithDefault.Parcel.self))
    let parcels = try context.fetch(
      FetchDescriptor<ParcelForms.RequiredWithDefault.Parcel>(sortBy: [SortDescriptor(\.number)]))
    #expect(parcels.map(\.note) == ["none", "none", "fragile", "none"])
  }

  @Test("one may become optional, structures too")
  func relaxed() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    let context = ModelContext(try store.container(ParcelForms.Relaxed.Parcel.self))
    let parcels = try context.fetch(
      FetchDescriptor<ParcelForms.Relaxed.Parcel>(sortBy: [SortDescriptor(\.number)]))
    #expect(parcels.map(\.number) == [1, 2, 3, 4])
    #expect(parcels.map(\.size?.width) == [1, 2, 3, 4])
    parcels[0].label = nil
    parcels[0].size = nil
    try context.save()
  }

  @Test("a narrower type is refused for values that it can't hold, and taken for others")
  func narrow() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    try store.execute("UPDATE Parcel SET weight = 1000 WHERE _id = 2")
    try expectRefusal(
      .unsuitableValue, "weight", rows: [2], of: store, ParcelForms.Narrow.Parcel.self)
    try store.execute("UPDATE Parcel SET weight = 100 WHERE _id = 2")
    let context = ModelContext(try store.container(ParcelForms.Narrow.Parcel.self))
    #expect(
      Set(try context.fetch(FetchDescriptor<ParcelForms.Narrow.Parcel>()).map(\.weight))
        == [10, 100, 30, 40])
  }

  @Test("an unknown case of an enumeration, and an unrelated type, are refused")
  func unrelated() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    try expectRefusal(
      .unsuitableValue, "state", rows: [1, 3], of: store, ParcelForms.WrongCase.Parcel.self)
    try expectRefusal(
      .notInferable, "label", rows: [1, 2, 3, 4], of: store, ParcelForms.Unrelated.Parcel.self)
  }

  @Test("a constraint is refused when rows share a value, naming them")
  func duplicates() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    #expect {
      _ = try store.container(ParcelForms.Unique.Parcel.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .notUnique && error?.rowCount == 4 && error?.rowIDs.count == 4
        && error?.description.contains("state") == true
    }
    #expect(try ModelContext(store.container(First.self)).fetchCount(FetchDescriptor<First>()) == 4)
  }

  @Test("indices and constraints come and go")
  func indices() throws {
    let store = try TemporaryStore()
    _ = try filled(store)
    let names =
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Parcel' ORDER BY 1"
    _ = try store.container(ParcelForms.Indexed.Parcel.self)
    #expect(
      try store.values(names) == [
        "Parcel_label_index", "Parcel_number_label_index", "Parcel_number_unique",
      ])
    _ = try store.container(ParcelForms.Least.Parcel.self)
    #expect(try store.values(names) == [])
  }
}
