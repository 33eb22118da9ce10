import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// If a save inserts many models of one class, a separate thread writes the rows, and the indices may be created at the
/// end.
@Suite("Saves of many models")
struct LargeSaveTests {
  @Test("give each model its row, whether that is new or was there")
  func identities() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    try container.batchInsert((0..<300).lazy.map { Sighting("\($0 * 10)", 1, nil) })
    let context = ModelContext(container)
    var random = SeededGenerator(seed: 7)
    let models = (0..<9_000).shuffled(using: &random).map { Sighting("\($0)", 2, nil) }
    for model in models { context.insert(model) }
    try context.save()
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let codes = Dictionary(
      uniqueKeysWithValues: try other.fetch(FetchDescriptor<Sighting>()).map {
        ($0.persistentModelID, $0.code)
      })
    #expect(codes.count == 9_000)
    #expect(models.allSatisfy { codes[$0.persistentModelID] == $0.code })
    #expect(try store.value("SELECT sum(magnitude) FROM \"Sighting\"") == "18000.0")
    guard StoreKind.tested == .sqlite else { return }
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    #expect(
      try store.value("SELECT count(*) FROM sqlite_schema WHERE name = 'Sighting_code_unique'")
        == "1")
  }

  @Test("keep relationships in any order of the models", arguments: 0..<4)
  func relationships(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try TemporaryStore()
    let container = try store.container(Depot.self, Crate.self)
    let context = ModelContext(container)
    let depots = (0..<700).map { Depot("depot \($0)") }
    var crates: [Crate] = []
    // A run of one class, models with relationships to models without a row, and both alternating.
    for number in 0..<700 { crates.append(Crate("alone \(number)")) }
    for number in 0..<300 {
      crates.append(Crate("led \(number)", depots.randomElement(using: &random)))
    }
    let isMixed = seed % 2 == 0
    if isMixed { for depot in depots { context.insert(depot) } }
    for crate in crates {
      context.insert(crate)
      if isMixed { context.insert(Depot("beside \(crate.name)")) }
    }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Crate>())
    #expect(found.count == 1_000)
    func led(_ crates: [Crate]) -> Set<String> {
      Set(crates.map { "\($0.name) \($0.depot?.name ?? "nowhere")" })
    }
    #expect(led(found) == led(crates))
    guard StoreKind.tested == .sqlite else { return }
    #expect(try store.value("PRAGMA foreign_key_check") == nil)
  }

  @Test("write edits that refer to many new models like single saves")
  func edits() throws {
    let store = try TemporaryStore()
    let container = try store.container(Depot.self, Crate.self)
    try container.batchInsert((0..<2_000).lazy.map { Crate("crate \($0)") })
    let context = ModelContext(container)
    for crate in try context.fetch(FetchDescriptor<Crate>()) {
      crate.depot = Depot("depot of \(crate.name)")
      crate.name += "!"
    }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Crate>())
    #expect(found.count == 2_000)
    #expect(found.allSatisfy { $0.name == ($0.depot?.name.dropFirst(9) ?? "") + "!" })
    guard StoreKind.tested == .sqlite else { return }
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("that fail change nothing, and can be made again")
  func failure() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    try store.execute("CREATE UNIQUE INDEX theirs ON \"Sighting\" (alert)")
    let context = ModelContext(container)
    let models = (0..<5_000).map { Sighting("\($0)", 0, $0 % 4_000 == 3 ? "once" : nil) }
    for model in models { context.insert(model) }
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try store.value("SELECT count(*) FROM \"Sighting\"") == "0")
    #expect(context.insertedModelsArray.count == 5_000)
    models[3].alert = nil
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \"Sighting\"") == "5000")
    let other = Sighting("another", 0, nil)
    context.insert(other)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \"Sighting\"") == "5001")
  }
}

@Model
private final class Depot {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
private final class Crate {
  var name: String
  var depot: Depot?

  init(_ name: String, _ depot: Depot? = nil) {
    self.name = name
    self.depot = depot
  }
}
