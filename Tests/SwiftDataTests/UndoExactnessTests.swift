import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Model
final class UndoneNote {
  @Attribute(.unique) var title: String
  var edits = 0
  var text: String { didSet { edits += 1 } }
  @Attribute(.ephemeral) var isOpen = false { didSet { openings += 1 } }
  @Transient var openings = 0
  init(title: String, text: String = "") {
    self.title = title
    self.text = text
  }
}

@Model
class UndoneLid {
  @Attribute(.ephemeral) var isOpen = false
  @Attribute(.ephemeral) var mark: String?
  init() {}
}

/// A class that observes properties of its superclass.
@Model
final class UndoneFlap: UndoneLid {
  override var isOpen: Bool { didSet { calls += 1 } }
  override var mark: String? { didSet { calls += 1 } }
  @Transient var calls = 0
  override init() { super.init() }
}

@Model
final class UndoneCase {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: nil) var lining: UndoneLining
  init(name: String, lining: UndoneLining) {
    self.name = name
    self.lining = lining
  }
}

@Model
final class UndoneLining {
  var name: String
  init(name: String) { self.name = name }
}

/// Each test covers one root cause of incorrect undos.
@Suite("Undoing restores the exact state")
struct UndoExactnessTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws {
    container = try memoryContainer(
      Town.self, UndoneNote.self, UndoneLid.self, UndoneFlap.self, UndoneCase.self)
    context = ModelContext(container)
    context.undoManager = undo
  }

  private func step(_ body: () -> Void) {
    undo.beginUndoGrouping()
    body()
    undo.endUndoGrouping()
  }

  private func saved(_ models: any PersistentModel...) throws {
    func insert<Model: PersistentModel>(_ model: Model) { context.insert(model) }
    models.forEach { insert($0) }
    try context.save()
    undo.removeAllActions()
  }

  private func fresh<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
    try ModelContext(container).fetch(FetchDescriptor<Model>())
  }

  // MARK: Insertions

  @Test("an insertion undone after its save keeps the destinations of a one-way cascade")
  func oneWayCascade() throws {
    let host = Town(key: 1)
    try saved(host)
    let (owner, treasure) = (Town(key: 2), Ticket(key: 3, town: host))
    try saved(treasure)
    step {
      owner.treasures = [treasure]
      context.insert(owner)
    }
    try context.save()
    undo.undo()
    try context.save()
    #expect(try fresh(Town.self).map(\.key) == [1])
    #expect(try fresh(Ticket.self).map(\.key) == [3])
    undo.redo()
    try context.save()
    #expect(owner.treasures.map(\.key) == [3])
    let stored = try #require(try fresh(Town.self).first { $0.key == 2 })
    #expect(stored.treasures.map(\.key) == [3])
  }

  @Test("so does one whose cascading relationship can't be nil")
  func requiredCascade() throws {
    let lining = UndoneLining(name: "silk")
    try saved(lining)
    let box = UndoneCase(name: "box", lining: lining)
    step { context.insert(box) }
    try context.save()
    undo.undo()
    try context.save()
    #expect(try fresh(UndoneCase.self).isEmpty)
    #expect(try fresh(UndoneLining.self).map(\.name) == ["silk"])
    undo.redo()
    #expect(box.lining === lining)
    undo.undo()
    undo.redo()
    try context.save()
    #expect(try fresh(UndoneCase.self).map(\.lining.name) == ["silk"])
  }

  @Test("an insertion that met a row by its unique value leaves the row when it is undone")
  func upsert() throws {
    try saved(UndoneNote(title: "a", text: "old"))
    step { context.insert(UndoneNote(title: "a", text: "new")) }
    try context.save()
    undo.undo()
    try context.save()
    #expect(try fresh(UndoneNote.self).map(\.title) == ["a"])
  }

  // MARK: Attributes

  @Test("observers of properties don't run when a value comes back")
  func propertyObservers() throws {
    let note = UndoneNote(title: "a")
    try saved(note)
    let edits = note.edits
    step { note.text = "b" }
    #expect(note.edits == edits + 1)
    undo.undo()
    #expect(note.text == "" && note.edits == edits)
    undo.redo()
    #expect(note.text == "b" && note.edits == edits + 1)
  }

  @Test("values without a column come back too, and their observers don't run")
  func ephemeral() throws {
    let note = UndoneNote(title: "a")
    try saved(note)
    step { note.isOpen = true }
    undo.undo()
    #expect(!note.isOpen)
    undo.redo()
    #expect(note.isOpen)
    context.rollback()
    #expect(!note.isOpen && note.openings == 1)
    note.isOpen = true
    #expect(note.openings == 2)
  }

  @Test("values without a column come back past the observers in a subclass")
  func overriddenEphemeral() throws {
    let flap = UndoneFlap()
    try saved(flap)
    step {
      flap.isOpen = true
      flap.mark = "x"
    }
    #expect(flap.calls == 2)
    undo.undo()
    #expect(!flap.isOpen && flap.mark == nil)
    undo.redo()
    #expect(flap.isOpen && flap.mark == "x")
    context.rollback()
    #expect(!flap.isOpen && flap.mark == nil && !context.hasChanges)
    #expect(flap.calls == 2)
    flap.isOpen = true
    #expect(flap.calls == 3)
  }

  // MARK: Relationships

  @Test("a destination reassigned to its former value, before it was loaded, is no step")
  func setAgain() throws {
    let town = Town(key: 1)
    let thing = Thing(key: 2)
    thing.guardian = town
    try saved(town, thing)
    thing.guardian = town
    #expect(!undo.canUndo)
    #expect(town.guarded.map(\.key) == [2])
  }

  @Test("a destination that wasn't loaded when it was replaced comes back")
  func unloadedDestination() throws {
    let (town, thing) = (Town(key: 1), Thing(key: 2))
    town.seen = thing
    try saved(town, thing)
    let other = ModelContext(container)
    other.undoManager = undo
    let found = try #require(try other.fetch(FetchDescriptor<Town>()).first)
    found.seen = nil
    undo.undo()
    #expect(found.seen?.key == 2)
  }

  @Test("a list read while a destination's deletion was pending has it again")
  func readMeanwhile() throws {
    let (town, house, favourite) = (Town(key: 1), Thing(key: 2), Thing(key: 3))
    town.houses = [house]
    town.favourites = [favourite]
    town.seen = favourite
    try saved(town)
    let other = ModelContext(container)
    other.undoManager = undo
    for thing in try other.fetch(FetchDescriptor<Thing>()) { other.delete(thing) }
    let found = try #require(try other.fetch(FetchDescriptor<Town>()).first)
    #expect(found.houses.isEmpty && found.seen == nil)
    _ = found.favourites
    undo.undo()
    #expect(found.houses.map(\.key) == [2] && found.seen?.key == 3)
    #expect(found.favourites.map(\.key) == [3])
  }

  @Test("the unread end of a one-to-one relationship is restored")
  func unreadEnd() throws {
    let (town, thing) = (Town(key: 1), Thing(key: 2))
    town.crest = thing
    try saved(town)
    let other = ModelContext(container)
    other.undoManager = undo
    let found = try #require(try other.fetch(FetchDescriptor<Thing>()).first)
    let owner = try #require(try other.fetch(FetchDescriptor<Town>()).first)
    for change in [{ other.delete(found) }, { found.crowns = nil }] {
      change()
      #expect(owner.crest == nil)
      undo.undo()
      #expect(owner.crest === found && found.crowns === owner)
      try other.save()
      #expect(try fresh(Town.self).first?.crest?.key == 2)
    }
  }

  @Test("a pair taken out and put back again and again is stored as it was left")
  func pairs() throws {
    let (town, tag) = (Town(key: 1), Thing(key: 2))
    town.tags = [tag]
    tag.tagged = [town]
    context.insert(town)
    town.tags = []
    try context.save()
    #expect(try fresh(Thing.self).first?.tagged.isEmpty == true)
    step { town.tags = [tag] }
    undo.undo()
    undo.redo()
    undo.undo()
    try context.save()
    #expect(try fresh(Town.self).first?.tags.isEmpty == true)
    undo.redo()
    try context.save()
    #expect(try fresh(Town.self).first?.tags.map(\.key) == [2])
  }

  // MARK: Deletions

  @Test("a deletion undone after its save restores one-way references to the model, loaded or not")
  func lostLinks() throws {
    let (town, thing) = (Town(key: 1), Thing(key: 2))
    (town.seen, town.favourites) = (thing, [thing])
    town.loose = [thing]
    try saved(town, thing)
    let other = ModelContext(container)
    other.undoManager = undo
    let found = try #require(try other.fetch(FetchDescriptor<Thing>()).first)
    other.delete(found)
    try other.save()
    #expect(try fresh(Town.self).first?.seen == nil)
    undo.undo()
    try other.save()
    let stored = try #require(try fresh(Town.self).first)
    #expect(stored.seen?.key == 2 && stored.favourites.map(\.key) == [2])
    #expect(stored.loose.map(\.key) == [2])
  }

  @Test("references left by noAction refer to the model again when it is restored after its save")
  func noAction() throws {
    let (town, thing) = (Town(key: 1), Thing(key: 2))
    town.loose = [thing]
    try saved(town, thing)
    step { context.delete(town) }
    try context.save()
    #expect(thing.place == nil)
    undo.undo()
    #expect(thing.place === town)
    try context.save()
    #expect(try fresh(Town.self).first?.loose.map(\.key) == [2])
  }

  @Test("a deletion done again is denied again, one whose obstacle has moved away isn't")
  func denied() throws {
    let (town, other, thing) = (Town(key: 1), Town(key: 2), Thing(key: 3))
    town.guarded = [thing]
    try saved(town, other)
    step { context.delete(town) }
    undo.undo()
    undo.redo()
    #expect(throws: SwiftDataError.self) { try context.save() }
    step { thing.guardian = other }
    try context.save()
    #expect(try fresh(Town.self).map(\.key) == [2])
    undo.undo()
    undo.undo()
    try context.save()
    #expect(town.guarded.map(\.key) == [3])
    #expect(try fresh(Town.self).first { $0.key == 1 }?.guarded.map(\.key) == [3])
  }

  @Test("a deletion of something new, undone and saved, can be done again")
  func newThenStored() throws {
    let town = Town(key: 1)
    town.guarded = [Thing(key: 2)]
    step { context.insert(town) }
    step { context.delete(town) }
    undo.undo()
    try context.save()
    undo.redo()
    try context.save()
    #expect(try fresh(Town.self).isEmpty)
    #expect(try fresh(Thing.self).map(\.guardian?.key) == [nil])
  }
}
