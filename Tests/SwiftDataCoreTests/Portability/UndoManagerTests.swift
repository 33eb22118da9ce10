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

  @Test("a new action forgets what could be done again")
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

  @Test("a group opens by itself and collects until it is closed")
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

  @Test("nothing is recorded while registration is disabled, as often as that was said")
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

  @Test("the steps of one target can be forgotten, and those of one that is gone do nothing")
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
