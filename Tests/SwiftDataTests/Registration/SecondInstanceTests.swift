import Foundation
import Observation
import SwiftData
import Testing

/// After an upsert the context has two objects for one row: the existing one, and the inserted one, which from then on
/// is an alias of the existing one.
@Suite("An inserted model with a registered one's row is an alias of it")
struct SecondInstanceTests {
  let container: ModelContainer
  let context: ModelContext
  let first: CardBox
  let second: CardBox

  init() throws {
    container = try memoryContainer(Card.self, CardBox.self)
    context = ModelContext(container)
    first = CardBox("a", cards: [Card("1")])
    context.insert(first)
    try context.save()
    #expect(first.cards.count == 1)
    second = CardBox("a")
    second.note = "second"
    context.insert(second)
    second.cards = [Card("2")]
    try context.save()
  }

  private func stored() throws -> [CardBox] {
    try ModelContext(container).fetch(FetchDescriptor<CardBox>())
  }

  @Test("both have the same values, and are one to the context")
  func identity() throws {
    #expect(first !== second)
    #expect(first == second)
    #expect(first.persistentModelID == second.persistentModelID)
    #expect(second.modelContext === context)
    #expect(first.note == "second")
    #expect(context.registeredModel(for: second.persistentModelID) as CardBox? === first)
    #expect(
      try context.fetch(FetchDescriptor<CardBox>()).map(ObjectIdentifier.init) == [
        ObjectIdentifier(first)
      ])
    #expect(!context.hasChanges && !second.hasChanges && !second.isDeleted)
  }

  @Test("an edit of either is seen in both and saved")
  func edits() throws {
    second.note = "by the second"
    #expect(first.note == "by the second")
    #expect(first.hasChanges && second.hasChanges)
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try stored().map(\.note) == ["by the second"])
    first.note = "by the first"
    #expect(second.note == "by the first")
    second.note += "!"
    try context.save()
    #expect(try stored().map(\.note) == ["by the first!"])
    second.note = "dropped"
    context.rollback()
    #expect(first.note == "by the first!" && second.note == "by the first!")
  }

  @Test("lists have the store's models, each once")
  func lists() throws {
    #expect(Set(first.cards.map(\.key)) == ["1", "2"])
    #expect(Set(second.cards.map(\.key)) == ["1", "2"])
    #expect(first.cards.allSatisfy { $0.box === first })
    second.cards.append(Card("3"))
    #expect(first.cards.count == 3)
    try context.save()
    #expect(try stored().first?.cards.count == 3)
    #expect(second.cards.count == 3)
  }

  @Test("relating to the one is relating to the other")
  func relating() throws {
    let card = Card("4", box: second)
    context.insert(card)
    #expect(card.box === first)
    #expect(first.cards.contains { $0 === card })
    let other = Card("5")
    context.insert(other)
    other.box = second
    #expect(other.box === first)
    first.cards.removeAll { $0 === card }
    #expect(card.box == nil)
    try context.save()
    #expect(try stored().first?.cards.count == 3)
    let registered = try #require(first.cards.first { $0.key == "1" })
    let friend = Card("1", text: "again")
    context.insert(friend)
    other.friend = friend
    try context.save()
    // The inserted model is in no box.
    #expect(registered.box == nil && !first.cards.contains { $0 === registered })
    #expect(other.friend === registered)
    #expect(registered.text == "again")
  }

  @Test("deleting either deletes the row, once")
  func deletion() throws {
    context.delete(second)
    #expect(first.isDeleted && second.isDeleted)
    #expect(context.deletedModelsArray.contains { $0 === first })
    try context.save()
    #expect(try stored().isEmpty)
    first.note = "late"
    second.note = "later"
    #expect(!context.hasChanges)
    try context.save()
    #expect(try stored().isEmpty)
  }

  @Test("inserting it again changes nothing; after the deletion it calls that off")
  func insertion() throws {
    context.insert(second)
    #expect(!context.hasChanges)
    context.delete(first)
    context.insert(second)
    #expect(!first.isDeleted && !second.isDeleted)
    try context.save()
    #expect(try stored().count == 1)
  }

  @Test("observers of the second one are notified of changes of the first")
  func observation() throws {
    let box = CardBox("a")
    context.insert(box)
    nonisolated(unsafe) var heard = 0
    withObservationTracking {
      _ = box.note
    } onChange: {
      heard += 1
    }
    try context.save()
    #expect(heard == 1)
    withObservationTracking {
      _ = box.note
    } onChange: {
      heard += 1
    }
    first.note = "new"
    #expect(heard == 2)
  }

  @Test("of two insertions with one key in one save the first one stays")
  func twiceInOneSave() throws {
    let (one, two) = (Card("x", text: "one"), Card("x", text: "two"))
    let leading = Card("leading")
    leading.friend = two
    context.insert(one)
    context.insert(two)
    context.insert(leading)
    try context.save()
    #expect(one.text == "two" && two.text == "two")
    #expect(leading.friend === one)
    two.text = "three"
    try context.save()
    #expect(
      try ModelContext(container).fetch(
        FetchDescriptor<Card>(predicate: #Predicate { $0.key == "x" })
      ).map(\.text) == ["three"])
  }

  @Test("with an undo manager, undoing the insertion leaves the row, and edits are undone once")
  func undo() throws {
    context.undoManager = UndoManager()
    let third = CardBox("a")
    context.insert(third)
    try context.save()
    third.note = "edited"
    context.processPendingChanges()
    #expect(first.note == "edited")
    context.undoManager?.undo()
    #expect(first.note == "" && third.note == "")
    while context.undoManager?.canUndo == true { context.undoManager?.undo() }
    try context.save()
    #expect(try stored().count == 1)
  }

  @Test("it may outlive the context, and can be read")
  func orphan() throws {
    var lost: CardBox?
    do {
      let own = ModelContext(container)
      let kept = try own.fetch(FetchDescriptor<CardBox>())
      let made = CardBox("a")
      own.insert(made)
      try own.save()
      lost = made
      withExtendedLifetime(kept) {}
    }
    #expect(lost?.name == "a")
    #expect(lost?.modelContext == nil)
  }
}
