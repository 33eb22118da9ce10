import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

/// Deletions beside other writes of the same transaction, which will refer to the deleted objects.
@Suite struct PlannedReferenceTests {
  private let storage: ModelSyncStorage

  init() throws {
    let container = try memoryContainer(Shelf.self, Jar.self, Label.self, Lid.self)
    let context = ModelContext(container)
    for name in ["s", "t"] { context.insert(Shelf(name)) }
    try context.save()
    storage = try ModelSyncStorage(
      container,
      [
        SyncedModel(Shelf.self, key: \.name), SyncedModel(Jar.self, key: \.number),
        SyncedModel(Label.self, key: \.text), SyncedModel(Lid.self, key: \.number),
      ])
  }

  private typealias Write = (object: SyncObjectID, values: SyncValues?)

  private func deletion(_ name: String) -> Write { (SyncObjectID("Shelf", name), nil) }

  private func jar(_ number: Int64, on shelf: SyncValue) -> Write {
    (
      SyncObjectID("Jar", "\(number)"),
      ["number": .integer(number), "shelf": shelf, "lid": .null]
    )
  }

  private func label(_ text: String, on shelves: String...) -> Write {
    (
      SyncObjectID("Label", text),
      ["text": .text(text), "shelves": .list(shelves.map { .text($0) })]
    )
  }

  private func deniers(_ writes: [Write]) throws -> [String: String] {
    var deniers: [String: String] = [:]
    for (object, obstacle) in try storage.obstacles(to: writes) {
      if case .denied(let other) = obstacle { deniers[object.key] = other.key }
    }
    return deniers
  }

  @Test func theFirstObjectThatWillReferToADeletedOneDeniesIt() throws {
    let (s, t) = (SyncValue.text("s"), SyncValue.text("t"))
    let both = [deletion("s"), deletion("t")]
    #expect(try deniers(both) == [:])
    #expect(try deniers(both + [jar(1, on: .null)]) == [:])
    #expect(try deniers(both + [jar(2, on: s), jar(1, on: s)]) == ["s": "2"])
    #expect(
      try deniers([jar(3, on: t), jar(1, on: t)] + both + [jar(2, on: s)]) == ["s": "2", "t": "3"])
    // The last values of an object count.
    #expect(
      try deniers([jar(3, on: t)] + both + [jar(1, on: t), jar(3, on: s)]) == ["s": "3", "t": "1"])
  }

  @Test func anObjectThatIsDeletedTooDeniesNothing() throws {
    let jars = [jar(2, on: .text("s")), jar(1, on: .text("s")), (SyncObjectID("Jar", "2"), nil)]
    #expect(try deniers([deletion("s")] + jars) == ["s": "1"])
  }

  @Test func aListDeniesTheDeletionOfEachOfItsElements() throws {
    let labels = [label("b", on: "t"), label("a", on: "s", "t")]
    #expect(try deniers([deletion("s"), deletion("t")] + labels) == ["s": "a", "t": "b"])
  }
}
