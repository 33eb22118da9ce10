import Foundation
import SwiftDataCore
import Testing

/// A number whose changes can be undone.
private final class Counter {
  let undo: UndoManager
  private(set) var value = 0
  init(_ undo: UndoManager) { self.undo = undo }

  func set(_ newValue: Int) {
    let old = value
    undo.registerUndo(withTarget: self) { $0.set(old) }
    value = newValue
  }
}

@Suite("UndoManager behaves as Foundation's")
struct UndoManagerTests {
  private let undo = UndoManager()
  private let counter: Counter

  init() { counter = Counter(undo) }

  private func step(_ value: Int) {
    undo.beginUndoGrouping()
    counter.set(value)
    undo.endUndoGrouping()
  }

  @Test("undo takes back group by group, redo does them again")
  func undoRedo() {
    for value in 1...3 { step(value) }
    #expect(undo.canUndo && !undo.canRedo)
    undo.undo()
    undo.undo()
    #expect(counter.value == 1)
    undo.redo()
    #expect(counter.value == 2)
    undo.redo()
    undo.redo()
    #expect(counter.value == 3 && !undo.canRedo)
    for _ in 0..<5 { undo.undo() }
    #expect(counter.value == 0 && !undo.canUndo && undo.canRedo)
  }

  @Test("a new action removes all redo actions")
  func redoIsForgotten() {
    step(1)
    undo.undo()
    step(2)
    #expect(!undo.canRedo)
    undo.redo()
    #expect(counter.value == 2)
  }

  @Test("nested groups are undone with the outer one, last step first")
  func nesting() {
    undo.beginUndoGrouping()
    counter.set(1)
    step(2)
    counter.set(3)
    #expect(undo.groupingLevel == 1)
    undo.endUndoGrouping()
    undo.undo()
    #expect(counter.value == 0)
    undo.redo()
    #expect(counter.value == 3)
    undo.undo()
    #expect(counter.value == 0)
  }

  @Test("a nested group can be undone while its outer group is open")
  func undoNested() {
    undo.beginUndoGrouping()
    counter.set(1)
    step(2)
    undo.undoNestedGroup()
    #expect(counter.value == 1 && undo.groupingLevel == 1)
    undo.endUndoGrouping()
    undo.undo()
    #expect(counter.value == 0)
  }

  @Test("a group opens automatically and collects until it is closed")
  func groupsByEvent() {
    counter.set(1)
    counter.set(2)
    #expect(undo.groupingLevel == 1 && undo.canUndo)
    undo.undo()
    #expect(counter.value == 0)
    undo.groupsByEvent = false
    counter.set(5)
    counter.set(6)
    undo.undo()
    #expect(counter.value == 5)
  }

  @Test("at most levelsOfUndo groups are kept")
  func levels() {
    undo.levelsOfUndo = 2
    for value in 1...4 { step(value) }
    for _ in 0..<4 { undo.undo() }
    #expect(counter.value == 2)
  }

  @Test("nothing is recorded until every disabling of the registration has been undone")
  func disabled() {
    undo.disableUndoRegistration()
    undo.disableUndoRegistration()
    undo.enableUndoRegistration()
    counter.set(1)
    #expect(!undo.canUndo && !undo.isUndoRegistrationEnabled)
    undo.enableUndoRegistration()
    counter.set(2)
    undo.undo()
    #expect(counter.value == 1)
  }

  @Test("names follow their groups from undo to redo")
  func names() {
    undo.beginUndoGrouping()
    counter.set(1)
    undo.setActionName("Move")
    undo.endUndoGrouping()
    #expect(undo.undoActionName == "Move" && undo.undoMenuItemTitle == "Undo Move")
    undo.undo()
    #expect(undo.undoActionName == "" && undo.redoActionName == "Move")
    #expect(undo.redoMenuItemTitle == "Redo Move" && undo.undoMenuItemTitle == "Undo")
  }

  @Test("the actions of one target can be removed, and those of a deallocated one do nothing")
  func targets() {
    var other: Counter? = Counter(undo)
    undo.beginUndoGrouping()
    counter.set(1)
    other?.set(1)
    undo.endUndoGrouping()
    other = nil
    undo.undo()
    #expect(counter.value == 0)
    step(2)
    undo.removeAllActions(withTarget: counter)
    #expect(!undo.canUndo)
    step(3)
    undo.removeAllActions()
    #expect(!undo.canUndo && !undo.canRedo && undo.groupingLevel == 0)
  }

  // MARK: Handlers and observers that come back

  /// Calls `action` at each notification of the manager while `body` runs.
  private func observing(
    _ name: Notification.Name, _ action: @escaping () -> Void, during body: () -> Void
  ) {
    nonisolated(unsafe) let action = action
    let token = NotificationCenter.default.addObserver(
      forName: name, object: undo, queue: nil
    ) { _ in action() }
    defer { NotificationCenter.default.removeObserver(token) }
    body()
  }

  @Test("a handler that removes all actions also removes the groups that are open around the undo")
  func removalByHandler() {
    undo.beginUndoGrouping()
    counter.set(1)
    undo.beginUndoGrouping()
    counter.set(2)
    undo.registerUndo(withTarget: undo) { $0.removeAllActions() }
    undo.endUndoGrouping()
    undo.undoNestedGroup()
    #expect(counter.value == 2)
    #expect(undo.groupingLevel == 0 && !undo.canUndo && !undo.canRedo)
    undo.undo()
    #expect(counter.value == 2)
    step(3)
    undo.undo()
    #expect(counter.value == 2)
  }

  @Test("a handler that removes a target's actions also removes those around the undo and in it")
  func targetRemovalByHandler() {
    let other = Counter(undo)
    undo.beginUndoGrouping()
    counter.set(1)
    other.set(1)
    undo.beginUndoGrouping()
    counter.set(2)
    step(3)
    undo.registerUndo(withTarget: other) { [undo, counter] _ in
      undo.removeAllActions(withTarget: counter)
    }
    undo.endUndoGrouping()
    undo.undoNestedGroup()
    #expect(counter.value == 3 && undo.groupingLevel == 1)
    undo.undo()
    #expect(counter.value == 3 && other.value == 0)
  }

  @Test("an observer that removes all actions when an undo or redo is announced leaves none to do")
  func removalByObserver() {
    step(1)
    step(2)
    observing(.NSUndoManagerWillUndoChange, { undo.removeAllActions() }) { undo.undo() }
    #expect(counter.value == 2 && !undo.canUndo && !undo.canRedo)
    step(3)
    undo.undo()
    observing(.NSUndoManagerWillRedoChange, { undo.removeAllActions() }) { undo.redo() }
    #expect(counter.value == 2 && !undo.canUndo && !undo.canRedo)
  }

  @Test("an observer that undoes when an undo is announced doesn't undo another step first")
  func undoByObserver() {
    step(1)
    step(2)
    observing(.NSUndoManagerWillUndoChange, { undo.undo() }) { undo.undo() }
    #expect(counter.value == 1)
    observing(.NSUndoManagerWillRedoChange, { undo.undo() }) { undo.redo() }
    #expect(counter.value == 2)
    undo.undo()
    undo.undo()
    #expect(counter.value == 0)
  }

  @Test("an observer that opens a group at the end of an undo loses nothing of the redo")
  func groupByObserver() {
    step(1)
    observing(
      .NSUndoManagerCheckpoint, { if undo.isUndoing { undo.beginUndoGrouping() } }
    ) { undo.undo() }
    #expect(counter.value == 0 && undo.groupingLevel == 0)
    undo.redo()
    #expect(counter.value == 1)
  }

  @Test("an object that only actions keep alive may use the manager when it ends")
  func endings() {
    final class Ends { var count = 0 }
    final class Guest {
      private let undo: UndoManager
      private let ends: Ends
      init(_ undo: UndoManager, _ ends: Ends) {
        self.undo = undo
        self.ends = ends
      }
      deinit {
        ends.count += 1
        undo.removeAllActions(withTarget: ends)
      }
    }
    let ends = Ends()
    /// A step whose undo and redo keep a guest alive.
    func record() {
      let guest = Guest(undo, ends)
      undo.beginUndoGrouping()
      undo.registerUndo(withTarget: counter) { [undo] counter in
        undo.registerUndo(withTarget: counter) { _ in withExtendedLifetime(guest) {} }
      }
      undo.endUndoGrouping()
    }
    record()
    undo.removeAllActions()
    #expect(ends.count == 1)
    record()
    undo.removeAllActions(withTarget: counter)
    #expect(ends.count == 2)
    record()
    undo.undo()
    #expect(ends.count == 2)
    step(1)
    #expect(ends.count == 3)
    undo.levelsOfUndo = 1
    record()
    record()
    #expect(ends.count == 4)
  }

  @Test("undo and redo are announced, with their state visible meanwhile")
  func notifications() {
    final class Log { var lines: [String] = [] }
    let log = Log()
    let center = NotificationCenter.default
    let names: [Notification.Name] = [
      .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
      .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      nonisolated(unsafe) let log = log
      return center.addObserver(forName: name, object: undo, queue: nil) { note in
        log.lines.append(note.name.rawValue)
      }
    }
    defer { tokens.forEach { center.removeObserver($0) } }
    undo.beginUndoGrouping()
    undo.registerUndo(withTarget: log) { [undo] log in
      log.lines.append(undo.isUndoing ? "undoing" : "wrong")
      undo.registerUndo(withTarget: log) { [undo] log in
        log.lines.append(undo.isRedoing ? "redoing" : "wrong")
      }
    }
    undo.endUndoGrouping()
    undo.undo()
    undo.redo()
    #expect(
      log.lines == [
        "NSUndoManagerWillUndoChangeNotification", "undoing",
        "NSUndoManagerDidUndoChangeNotification", "NSUndoManagerWillRedoChangeNotification",
        "redoing", "NSUndoManagerDidRedoChangeNotification",
      ])
  }
}
