import Foundation
import Observation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

@testable import SwiftDataSQLite

/// A callback of a program that the framework calls because of an edit or a fetch.
enum ReentrantCallback: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case onChange, onChangeOfRelationship, onChangeOfList, onChangeOfOtherEnd, onChangeOfManyToMany
  case onChangeInInsertion, onChangeInDeletion, onChangeInFetch, onChangeInFault, onChangeInMerge
  case onChangeInRollback, onChangeInUndo, onChangeInSave
  case willSave, didSave, willSet, didSet, liveResults, liveFilter
  case undoCheckpoint, undoGroupOpens, undoGroupWillClose, undoGroupCloses, willUndo, didUndo
  case remoteChange, remoteChangeOfBatch, remoteChangeByOther
  case encode, decode, transform, untransform, compare, enumerate, batchSequence, deinitialization

  var testDescription: String { rawValue }

  /// The edit that is being made.
  var edit: ReentrantEdit {
    switch self {
    case .onChange, .willSave, .didSave, .willSet, .didSet, .liveResults, .encode, .transform,
      .undoCheckpoint, .undoGroupOpens, .undoGroupWillClose, .undoGroupCloses, .remoteChange:
      .name
    case .onChangeOfRelationship, .onChangeOfOtherEnd: .parent
    case .onChangeOfList: .children
    case .onChangeOfManyToMany: .rings
    default: .none
    }
  }

  /// Whether the callback runs before any part of the edit is done, so that the callback can't revert the edit.
  var isBeforeEdit: Bool {
    switch self {
    case .onChange, .onChangeOfRelationship, .onChangeOfList, .willSet, .undoGroupOpens: true
    default: false
    }
  }
}

enum ReentrantEdit: Sendable { case name, parent, children, rings, none }

extension ReentrantWorld {
  /// Causes the callback, which performs an operation.
  func provoke(
    _ callback: ReentrantCallback, _ operation: ReentrantOperation, _ side: ReentrantSide
  ) throws {
    let undoes = "\(callback)".lowercased().contains("undo")
    if undoes || operation == .undo {
      useUndo()
      // A change that can be undone.
      parent.number = 5
      own?.processPendingChanges()
      // A model with unsaved changes wouldn't take newer values.
      try own?.save()
    }
    try Hooks.$current.withValue(hooks) { try call(callback, operation, side) }
    hooks.disarm()
  }

  private func call(
    _ callback: ReentrantCallback, _ operation: ReentrantOperation, _ side: ReentrantSide
  ) throws {
    func act() { run(operation, side) }
    /// Observes again before it acts, as a view does that shows a value.
    func observe(_ read: @escaping () -> Void) {
      nonisolated(unsafe) let read = read
      @Sendable func track() {
        withObservationTracking {
          read()
        } onChange: { [hooks] in
          // Not the world itself, which the observed models would keep then, with the store's connections.
          hooks.pass(.observed)
        }
      }
      hooks.arm(.observed) {
        // An action that changes the list that it observes would be notified of its own change endlessly, by
        // Observation itself.
        if operation == .unrelate, self.hooks.depth > 1 { return }
        // Only one further observation per level: with more, the observers of all levels would be notified at the next
        // one, twice as many each time.
        if operation != .unrelate, self.hooks.depth < 3 { track() }
        self.run(operation, side)
      }
      track()
    }
    func observing(_ name: Notification.Name, _ object: AnyObject?, _ body: () throws -> Void)
      throws
    {
      let token = NotificationCenter.default.addObserver(
        forName: name, object: object, queue: nil
      ) { _ in self.hooks.pass(.notified) }
      defer { NotificationCenter.default.removeObserver(token) }
      hooks.arm(.notified, act)
      attempt(body)
    }
    func makeNewer() throws {
      let writer = ModelContext(container)
      try writer.find("a").number = 9
      try writer.find("p").number = 9
      try writer.save()
    }
    switch callback {
    case .onChange:
      observe { _ = self.edited.name }
      edited.name = "edited"
    case .onChangeOfRelationship:
      observe { _ = self.edited.parent }
      edited.parent = parent
    case .onChangeOfList:
      observe { _ = self.parent.children }
      parent.children.append(edited)
    case .onChangeOfOtherEnd:
      observe { _ = self.parent.children }
      edited.parent = parent
    case .onChangeOfManyToMany:
      observe { _ = self.ring.knots }
      edited.rings.append(ring)
    case .onChangeInInsertion:
      observe { _ = self.parent.children }
      let child = ReentrantKnot("child")
      child.parent = parent
      own?.insert(child)
    case .onChangeInDeletion:
      edited.parent = parent
      try own?.save()
      observe { _ = self.edited.parent }
      own?.delete(parent)
    case .onChangeInFetch:
      try makeNewer()
      observe { _ = (self.edited.number, self.parent.number) }
      attempt { _ = try own?.fetch(FetchDescriptor<ReentrantKnot>()) }
    case .onChangeInFault:
      edited.parent = parent
      ring.knots = [edited]
      try own?.save()
      let rings = try ModelContext(container).fetch(FetchDescriptor<ReentrantRing>())
      try makeNewer()
      observe { _ = (self.edited.number, self.parent.number) }
      // Unloads the lists, so that reading a list reads rows.
      edited.number = 1
      own?.rollback()
      _ = (parent.children.count, ring.knots.count, rings.count)
      attempt { _ = try own?.fetch(FetchDescriptor<ReentrantKnot>()) }
    case .onChangeInMerge:
      try makeNewer()
      observe { _ = (self.edited.number, self.parent.number) }
      own?.processPendingChanges()
    case .onChangeInRollback:
      edited.number = 3
      edited.rings = [ring]
      observe { _ = (self.edited.number, self.ring.knots, self.edited.rings) }
      own?.rollback()
    case .onChangeInUndo:
      observe { _ = self.parent.number }
      own?.undoManager?.undo()
    case .onChangeInSave:
      try makeNewer()
      observe { _ = self.parent.number }
      edited.name = "saved"
      attempt { try own?.save() }
    case .willSave, .didSave:
      edited.name = "edited"
      try observing(callback == .willSave ? ModelContext.willSave : ModelContext.didSave, own) {
        try own?.save()
      }
    case .remoteChange:
      edited.name = "edited"
      try observing(ModelContainer.remoteChange, container) { try own?.save() }
    case .remoteChangeOfBatch:
      try observing(ModelContainer.remoteChange, container) {
        try container.batchInsert([Crumb(5)])
      }
    case .remoteChangeByOther: try whenOtherCommits(act)
    case .willSet, .didSet:
      hooks.arm(callback == .willSet ? .willSet : .didSet, act)
      edited.name = "edited"
    case .liveResults, .liveFilter:
      guard let own else { return }
      let observer = try ResultsObserver<ReentrantKnot, Never>(modelContext: own, isolation: nil)
      observe { _ = observer.results.count }
      if callback == .liveFilter {
        observer.filterBy = #Predicate { $0.number > 100 }
      } else {
        edited.name = "edited"
        attempt { try own.save() }
      }
    case .undoCheckpoint: try observeEditing(.NSUndoManagerCheckpoint)
    case .undoGroupOpens: try observeEditing(.NSUndoManagerDidOpenUndoGroup)
    case .undoGroupWillClose: try observeEditing(.NSUndoManagerWillCloseUndoGroup)
    case .undoGroupCloses: try observeEditing(.NSUndoManagerDidCloseUndoGroup)
    case .willUndo, .didUndo:
      let name: Notification.Name =
        callback == .willUndo ? .NSUndoManagerWillUndoChange : .NSUndoManagerDidUndoChange
      try observing(name, own?.undoManager) { own?.undoManager?.undo() }
    case .encode, .transform:
      edited.name = "edited"
      edited.note = Note("written")
      edited.dye = Dye(code: 9)
      hooks.arm(callback == .encode ? .encoding : .transforming, act)
      attempt { try own?.save() }
    case .decode, .untransform:
      hooks.arm(callback == .decode ? .decoding : .untransforming, act)
      attempt { _ = try ModelContext(container).fetch(FetchDescriptor<ReentrantKnot>()).map(\.dye) }
    case .compare:
      let note = Note("")
      bystander.number = 2
      hooks.arm(.comparing, act)
      attempt {
        _ = try own?.fetch(
          FetchDescriptor<ReentrantKnot>(predicate: #Predicate { $0.note == note }))
      }
    case .enumerate:
      hooks.arm(.enumerating, act)
      attempt {
        try own?.enumerate(
          FetchDescriptor<ReentrantKnot>(), batchSize: 1, allowEscapingMutations: true
        ) {
          _ in Hooks.pass(.enumerating)
        }
      }
    case .batchSequence:
      hooks.arm(.batch, act)
      var number = 10
      attempt {
        try container.batchInsert { () -> Crumb? in
          number += 1
          Hooks.pass(.batch)
          return number < 14 ? Crumb(number) : nil
        }
      }
    case .deinitialization:
      var model: ReentrantKnot? = ReentrantKnot("short")
      hooks.arm(.ending, act)
      _ = model
      model = nil
    }

    func observeEditing(_ name: Notification.Name) throws {
      try observing(name, own?.undoManager) {
        edited.name = "edited"
        own?.processPendingChanges()
      }
    }
  }

  /// Makes another container commit, or another thread if there can't be another container, and waits until the
  /// observer of that commit has returned. The observer runs on the thread that noticed the commit.
  private func whenOtherCommits(_ act: @escaping () -> Void) throws {
    let returned = DispatchSemaphore(value: 0)
    let isFirst = Atomic<Bool>(true)
    hooks.arm(.notified, act)
    let elsewhere =
      try store?.container(ReentrantKnot.self, ReentrantRing.self, Crumb.self) ?? container
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { [self] _ in
      let isOutermost = isFirst.exchange(false, ordering: .acquiringAndReleasing)
      hooks.pass(.notified)
      if isOutermost { returned.signal() }
    }
    let failure = Mutex<(any Error)?>(nil)
    Thread.detachNewThread {
      do {
        let writer = ModelContext(elsewhere)
        writer.insert(ReentrantKnot("elsewhere"))
        try writer.save()
      } catch { failure.withLock { $0 = error } }
    }
    let outcome = returned.wait(timeout: .now() + 20)
    NotificationCenter.default.removeObserver(token)
    // Notifications in progress finish before the test continues.
    for case let store as DefaultStore in container.core.stores {
      store.tracker.watcher.withLock { $0 }?.finish()
    }
    if let error = failure.withLock({ $0 }) { throw error }
    guard outcome == .success else { throw CocoaError(.userCancelled) }
  }
}
