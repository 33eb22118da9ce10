import Foundation
import Testing

@testable import SwiftDataCore

@Suite("Recorder of undo actions") struct UndoRecorderTests {
  @Test("Enabled with a manager that takes registrations") func enabling() {
    let recorder = UndoRecorder()
    #expect(!recorder.isEnabled)
    let manager = UndoManager()
    recorder.manager = manager
    #expect(recorder.isEnabled)
    manager.disableUndoRegistration()
    #expect(!recorder.isEnabled)
    manager.enableUndoRegistration()
    #expect(recorder.isEnabled)
  }

  @Test("Removed models are known as long as something can restore them") func removedStates()
    throws
  {
    let recorder = UndoRecorder()
    let (book, owner) = (TestBook(), TestAuthor())
    var state: RemovedModelState? = RemovedModelState(
      book, isUndoneInsertion: false, links: [])
    recorder.removedStates.insert(try #require(state))
    recorder.recordLostLink(of: owner, at: 2, to: book)
    recorder.recordLostLink(of: book, at: 0, to: owner)
    #expect(recorder.removedStates[book]?.lost.map(\.index) == [2])
    state = nil
    #expect(recorder.removedStates[book] == nil)
  }

  @Test("Removing all empties the manager too") func removal() {
    let recorder = UndoRecorder()
    let manager = UndoManager()
    recorder.manager = manager
    let book = TestBook()
    manager.registerUndo(withTarget: recorder) { _ in }
    let state = RemovedModelState(book, isUndoneInsertion: false, links: [])
    recorder.removedStates.insert(state)
    recorder.endEvent()
    #expect(manager.canUndo)
    recorder.removeAll()
    #expect(!manager.canUndo)
    #expect(recorder.removedStates[book] == nil)
    withExtendedLifetime(state) {}
  }
}
