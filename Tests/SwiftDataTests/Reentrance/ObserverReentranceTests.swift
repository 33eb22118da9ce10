import Foundation
import Observation
import SwiftData
import SwiftDataExtras
import Testing

@Suite("Observers may use the context that notifies them", .timeLimit(.minutes(20)))
struct ObserverReentranceTests {
  /// Counts calls, and stops a recursion that would overflow the stack.
  private final class Calls: @unchecked Sendable {
    // Unchecked: used by one thread.
    var count = 0
    var body: () -> Void = {}
    func call() {
      count += 1
      if count < 100 { body() }
    }
  }

  /// Calls `body` at each change of a value that `read` reads.
  private func observing(_ read: @escaping () -> Void, _ body: @escaping () -> Void) -> Calls {
    let calls = Calls()
    nonisolated(unsafe) let read = read
    @Sendable func track() {
      withObservationTracking {
        read()
      } onChange: {
        calls.call()
      }
    }
    calls.body = {
      track()
      body()
    }
    track()
    return calls
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
  }

  private func world(inMemory: Bool) throws -> (
    ModelContext, ReentrantKnot, ReentrantKnot, TemporaryStore?
  ) {
    let store = inMemory ? nil : try TemporaryStore()
    let container =
      try store?.container(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
      ?? memoryContainer(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
    let context = ModelContext(container)
    let (knot, parent) = (ReentrantKnot("old"), ReentrantKnot("parent"))
    context.insert(knot)
    context.insert(parent)
    try context.save()
    return (context, knot, parent, store)
  }

  @Test("an edit isn't lost when its observer saves", arguments: [true, false])
  func savingObserver(hasOtherEdit: Bool) throws {
    let (context, knot, _, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    if hasOtherEdit { knot.number = 5 }
    let calls = observing({ _ = knot.name }) { attempt { try context.save() } }
    knot.name = "new"
    #expect(calls.count == 1)
    #expect(knot.name == "new")
    #expect(context.hasChanges)
    try context.save()
    let stored = try ModelContext(context.container).find("new")
    #expect(stored.number == (hasOtherEdit ? 5 : 0))
  }

  @Test("an edit isn't lost when its observer rolls back, and can be rolled back afterwards")
  func rollingBackObserver() throws {
    let (context, knot, _, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    knot.number = 5
    let calls = observing({ _ = knot.name }) { context.rollback() }
    knot.name = "new"
    #expect(calls.count == 1)
    #expect(knot.name == "new")
    #expect(knot.number == 0)
    #expect(context.hasChanges)
    context.rollback()
    #expect(knot.name == "old")
    knot.name = "newer"
    try context.save()
    _ = try ModelContext(context.container).find("newer")
  }

  @Test("a relationship that is set is there at both ends when its observers save or roll back")
  func relationshipObservers() throws {
    let (context, knot, parent, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    let calls = observing({ _ = knot.parent }) { attempt { try context.save() } }
    knot.parent = parent
    #expect(calls.count == 1)
    #expect(context.hasChanges)
    #expect(parent.children.map(\.name) == ["old"])
    try context.save()
    #expect(try ModelContext(context.container).find("old").parent?.name == "parent")
    // The other end's observer is notified when both ends have changed: it rolls back both or none.
    let others = observing({ _ = parent.children }) { context.rollback() }
    knot.parent = nil
    #expect(others.count > 0)
    #expect(knot.parent === parent)
    #expect(parent.children.map(\.name) == ["old"])
    #expect(!context.hasChanges)
  }

  @Test(
    "an observer that fetches ends, when a fetch or a merge brings newer values",
    arguments: [true, false])
  func fetchingObserver(byMerge: Bool) throws {
    let (context, knot, _, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    let other = ModelContext(context.container)
    try other.find("old").number = 7
    try other.save()
    let calls = observing({ _ = knot.number }) {
      attempt { _ = try context.fetch(FetchDescriptor<ReentrantKnot>()) }
    }
    if byMerge {
      context.processPendingChanges()
    } else {
      _ = try context.fetch(FetchDescriptor<ReentrantKnot>())
    }
    #expect(calls.count == 1)
    #expect(knot.number == 7)
  }

  @Test("an observer of a list of many to many that rolls back ends", arguments: [true, false])
  func rollingBackListObserver(byMerge: Bool) throws {
    let (context, knot, _, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    let ring = ReentrantRing("ring")
    context.insert(ring)
    try context.save()
    let calls = observing({ _ = ring.knots }) { context.rollback() }
    if byMerge {
      let other = ModelContext(context.container)
      try other.find("old").rings = other.fetch(FetchDescriptor<ReentrantRing>())
      try other.save()
      context.processPendingChanges()
      #expect(ring.knots.map(\.name) == ["old"])
    } else {
      ring.knots.append(knot)
      #expect(ring.knots.map(\.name) == ["old"])
      knot.rings = []
    }
    #expect((1..<10).contains(calls.count))
  }

  @Test("a store in memory is saved by an observer of a fetch at once")
  func savingObserverOfFetchInMemory() throws {
    let (context, knot, parent, store) = try world(inMemory: true)
    defer { withExtendedLifetime(store) {} }
    let other = ModelContext(context.container)
    try other.find("old").number = 7
    try other.save()
    let started = ContinuousClock.now
    let calls = observing({ _ = knot.number }) {
      parent.number = 3
      attempt { try context.save() }
    }
    _ = try context.fetch(FetchDescriptor<ReentrantKnot>())
    #expect(calls.count == 1)
    // A deadlock would take ten seconds to resolve.
    #expect(ContinuousClock.now - started < .seconds(9))
    #expect(try ModelContext(context.container).find("parent").number == 3)
  }

  @Test("observers of saves that save without end get an error, and the change stays pending")
  func endlessSaves() throws {
    let (context, knot, _, store) = try world(inMemory: true)
    defer { withExtendedLifetime(store) {} }
    let calls = Calls()
    var errors: [any Error] = []
    calls.body = {
      knot.number += 1
      do { try context.save() } catch { errors.append(error) }
    }
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in calls.call() }
    defer { NotificationCenter.default.removeObserver(token) }
    knot.number = 1
    try context.save()
    #expect(errors.count == 1)
    #expect(errors.allSatisfy { $0 as? SwiftDataError == .reentrantOperation })
    #expect(calls.count < 100)
    #expect(context.hasChanges)
  }

  @Test(
    "committing in each notification of a commit gets an error before the stack overflows",
    arguments: [true, false])
  func endlessCommits(inMemory: Bool) throws {
    let (context, _, _, store) = try world(inMemory: inMemory)
    defer { withExtendedLifetime(store) {} }
    let container = context.container
    let calls = Calls()
    var errors: [any Error] = []
    calls.body = {
      // A new context each time, so that no context is re-entered.
      let other = ModelContext(container)
      other.insert(Crumb(calls.count))
      do { try other.save() } catch { errors.append(error) }
      do { try container.batchInsert([Crumb(0)]) } catch { errors.append(error) }
    }
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { _ in if calls.count < 20 { calls.call() } }
    context.insert(Crumb(-1))
    try context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(!errors.isEmpty)
    #expect(errors.allSatisfy { ($0 as? SwiftDataError) == .reentrantOperation })
    // The container still works.
    context.insert(Crumb(-2))
    try context.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Crumb>()).contains { $0.number == -2 })
  }

  @Test(
    "a commit of a task created while a save encodes is reported, also after the save")
  func commitsOfInheritingTasks() async throws {
    let (context, knot, _, store) = try world(inMemory: false)
    defer { withExtendedLifetime(store) {} }
    let container = context.container
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    let (orders, order) = AsyncStream.makeStream(of: Void.self)
    let hooks = Hooks()
    var task: Task<Void, any Error>?
    hooks.arm(.encoding) {
      guard task == nil else { return }
      task = Task {
        for await _ in orders {}
        let other = ModelContext(container)
        other.insert(Crumb(1))
        try other.save()
      }
    }
    knot.note = Note("encoded")
    try Hooks.$current.withValue(hooks) { try context.save() }
    #expect(observer.eventCounter == 1)
    order.finish()
    try await #require(task).value
    #expect(observer.eventCounter == 2)
  }
}
