import SwiftData
import SwiftDataCore
import Testing

@Model
final class UndoShelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \UndoVolume.shelf) var volumes: [UndoVolume] = []
  init(name: String) { self.name = name }
}

@Model
final class UndoVolume {
  var title: String
  var pages = 1
  var shelf: UndoShelf?
  @Relationship(inverse: \UndoTopic.volumes) var topics: [UndoTopic] = []
  init(title: String) { self.title = title }
}

@Model
final class UndoTopic {
  var name: String
  var volumes: [UndoVolume] = []
  init(name: String) { self.name = name }
}

@Suite("Changes of a context can be undone and redone")
struct UndoTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let undo = UndoManager()
  private let upper = UndoShelf(name: "upper")
  private let lower = UndoShelf(name: "lower")
  private let volume = UndoVolume(title: "v")
  private let topic = UndoTopic(name: "t")

  init() throws {
    container = try memoryContainer(UndoShelf.self)
    context = ModelContext(container)
    [upper, lower].forEach(context.insert)
    upper.volumes = [volume]
    volume.topics = [topic]
    try context.save()
    context.undoManager = undo
  }

  /// Makes one undo step, like an action of a user.
  private func step(_ body: () -> Void) {
    undo.beginUndoGrouping()
    body()
    undo.endUndoGrouping()
  }

  /// Returns all visible values, in memory and after a save.
  private func state() -> [String] {
    let shelves = [upper, lower].filter { !$0.isDeleted }.map { shelf in
      "\(shelf.name): " + shelf.volumes.map(\.title).sorted().joined(separator: " ")
    }
    let volumes = volume.isDeleted ? [] : [volume]
    return shelves
      + volumes.map { volume in
        "\(volume.title) \(volume.pages) in \(volume.shelf?.name ?? "-"),"
          + " \(volume.topics.map(\.name).sorted())"
      }
      + (topic.isDeleted ? [] : ["\(topic.name): \(topic.volumes.map(\.title).sorted())"])
  }

  private func stored() throws -> [String] {
    let other = ModelContext(container)
    let shelves = try other.fetch(FetchDescriptor<UndoShelf>(sortBy: [SortDescriptor(\.name)]))
    return shelves.map { shelf in
      let volumes = shelf.volumes.map { volume in
        "\(volume.title)\(volume.pages)\(volume.topics.map(\.name).sorted())"
      }
      return "\(shelf.name): \(volumes.sorted())"
    }
  }

  /// Checks that undo restores the state before a step, and redo the state after it, any number of times, saved or not.
  private func check(
    _ steps: (() -> Void)..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let storedBefore = try stored()
    var states = [state()]
    for body in steps {
      step(body)
      states.append(state())
    }
    for round in 0..<3 {
      for index in steps.indices.reversed() {
        undo.undo()
        #expect(
          state() == states[index], "undo \(index), round \(round)", sourceLocation: sourceLocation)
      }
      #expect(!undo.canUndo, sourceLocation: sourceLocation)
      if round == 1 {
        try context.save()
        #expect(try stored() == storedBefore, sourceLocation: sourceLocation)
      }
      for index in steps.indices {
        undo.redo()
        #expect(
          state() == states[index + 1], "redo \(index), round \(round)",
          sourceLocation: sourceLocation)
      }
      #expect(!undo.canRedo, sourceLocation: sourceLocation)
    }
    let after = state()
    try context.save()
    let storedAfter = try stored()
    for _ in steps { undo.undo() }
    #expect(state() == states[0], sourceLocation: sourceLocation)
    try context.save()
    #expect(try stored() == storedBefore, sourceLocation: sourceLocation)
    for _ in steps { undo.redo() }
    #expect(state() == after, sourceLocation: sourceLocation)
    try context.save()
    #expect(try stored() == storedAfter, sourceLocation: sourceLocation)
  }

  @Test("changes of values, the second of one property too")
  func values() throws {
    try check(
      { volume.pages = 2 },
      {
        volume.pages = 3; volume.title = "w"
      }, { volume.pages = 2 })
  }

  @Test("a to-one relationship, with the lists at its other end")
  func toOne() throws {
    try check({ volume.shelf = lower }, { volume.shelf = nil }, { volume.shelf = upper })
  }

  @Test("a list, with the models that it takes from others")
  func toMany() throws {
    try check(
      { lower.volumes.append(volume) }, { lower.volumes = [] }, { upper.volumes = [volume] })
  }

  @Test("relationships between many and many")
  func manyToMany() throws {
    let other = UndoTopic(name: "u")
    context.insert(other)
    try context.save()
    undo.removeAllActions()
    try check({ volume.topics.append(other) }, { topic.volumes = [] }, { other.volumes = [] })
  }

  @Test("insertions, of whole graphs too")
  func insertion() throws {
    try check({
      let new = UndoVolume(title: "new")
      new.topics = [topic]
      lower.volumes.append(new)
    })
  }

  @Test("deletions, with the changes by delete rules")
  func deletion() throws {
    try check({ context.delete(topic) }, { context.delete(volume) })
  }

  @Test("deletions that cascade")
  func cascade() throws {
    try check({ volume.pages = 9 }, { context.delete(upper) })
  }

  @Test("changes of one event are one step, and a save or processPendingChanges ends the event")
  func events() throws {
    volume.pages = 2
    volume.title = "w"
    context.processPendingChanges()
    volume.pages = 3
    try context.save()
    volume.pages = 4
    undo.undo()
    #expect(volume.pages == 3)
    undo.undo()
    #expect(volume.pages == 2 && volume.title == "w")
    undo.undo()
    #expect(volume.pages == 1 && volume.title == "v")
    #expect(!undo.canUndo)
  }

  @Test("rollback empties the manager")
  func rollback() throws {
    volume.pages = 2
    context.rollback()
    #expect(!undo.canUndo && !undo.canRedo && volume.pages == 1)
  }

  @Test("rollback in a handler empties the manager, with the groups that are open around the undo")
  func rollbackInHandler() {
    undo.beginUndoGrouping()
    volume.pages = 2
    undo.beginUndoGrouping()
    undo.registerUndo(withTarget: undo) { [context] _ in context.rollback() }
    undo.endUndoGrouping()
    undo.undoNestedGroup()
    #expect(volume.pages == 1 && undo.groupingLevel == 0)
    #expect(!undo.canUndo && !undo.canRedo)
  }

  @Test("nothing is recorded while that is disabled, nor without a manager, nor by fetching")
  func notRecorded() throws {
    undo.disableUndoRegistration()
    volume.pages = 2
    undo.enableUndoRegistration()
    context.undoManager = nil
    volume.pages = 3
    context.undoManager = undo
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<UndoVolume>()).first).pages = 7
    try other.save()
    context.rollback()
    _ = try context.fetch(FetchDescriptor<UndoVolume>())
    #expect(volume.pages == 7 && !undo.canUndo)
  }
}
