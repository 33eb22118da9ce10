import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Contexts that save by themselves", .timeLimit(.minutes(2)))
struct AutosaveTests {
  private func count(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Tally>())
  }

  @Test("a context made by hand doesn't, unless it is told to")
  func preset() throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    do {
      let context = ModelContext(container)
      #expect(!context.autosaveEnabled)
      context.insert(Tally("a"))
    }
    #expect(try count(container) == 0)
  }

  @MainActor
  @Test("one that is told to, on the main thread, saves within a few turns of the main run loop")
  func mainThread() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = ModelContext(container)
    context.autosaveEnabled = true
    let tally = Tally("a")
    context.insert(tally)
    for _ in 0..<3 { await Self.turn() }
    #expect(!context.hasChanges)
    #expect(try count(container) == 1)
    // Every kind of change, again and again.
    tally.value = 5
    for _ in 0..<3 { await Self.turn() }
    #expect(try ModelContext(container).tally("a")?.value == 5)
    try context.delete(model: Tally.self)
    for _ in 0..<3 { await Self.turn() }
    #expect(try count(container) == 0)
    // Told afterwards, with changes there already.
    let late = ModelContext(container)
    late.insert(Tally("late"))
    for _ in 0..<3 { await Self.turn() }
    #expect(late.hasChanges)
    late.autosaveEnabled = true
    for _ in 0..<3 { await Self.turn() }
    #expect(!late.hasChanges)
    // And told not to.
    late.autosaveEnabled = false
    late.insert(Tally("never"))
    for _ in 0..<3 { await Self.turn() }
    #expect(late.hasChanges)
  }

  /// A turn of the main queue.
  @MainActor
  private static func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    await Task.yield()
  }

  @MainActor
  @Test("a refused save keeps the changes, and the next change tries again")
  func refused() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = ModelContext(container)
    context.autosaveEnabled = true
    let (one, two) = (Tally("one"), Tally("two"))
    context.insert(one)
    context.insert(two)
    for _ in 0..<3 { await Self.turn() }
    two.name = "one"
    for _ in 0..<3 { await Self.turn() }
    #expect(context.hasChanges)
    two.name = "three"
    context.insert(Tally("four"))
    for _ in 0..<3 { await Self.turn() }
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).tally("three") != nil)
  }

  @Test("a model actor's context that is told to saves on its executor")
  func modelActor() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let actor = Saver(modelContainer: container)
    await actor.insert("a")
    while try count(container) == 0 { await Task.yield() }
    #expect(await actor.isClean)
  }

  @Test("on another thread it saves when it is used again a while later, and at its end")
  func otherThread() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    try await Task.detached {
      do {
        let context = ModelContext(container)
        context.autosaveEnabled = true
        var number = 0
        // Inserting goes on until the first ones are there.
        while try ModelContext(container).fetchCount(FetchDescriptor<Tally>()) == 0 {
          context.insert(Tally("\(number)"))
          number += 1
        }
        #expect(number > 1)
        context.insert(Tally("last"))
      }
      #expect(try ModelContext(container).tally("last") != nil)
    }.value
  }

  @Test("a transaction is saved at its end and not before")
  func transaction() async throws {
    struct Failure: Error {}
    let container = try memoryContainer(Tally.self, CountMark.self)
    try await Task.detached { () throws -> Void in
      let context = ModelContext(container)
      context.autosaveEnabled = true
      #expect(throws: Failure.self) {
        try context.transaction {
          context.insert(Tally("a"))
          let start = ContinuousClock.now
          // Longer than a save by itself waits.
          while start.duration(to: .now) < .milliseconds(250) {
            #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 1)
          }
          throw Failure()
        }
      }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tally>()) == 0)
      context.rollback()
    }.value
    #expect(try count(container) == 0)
  }
}

@ModelActor
private actor Saver {
  func insert(_ name: String) {
    modelContext.autosaveEnabled = true
    modelContext.insert(Tally(name))
  }

  var isClean: Bool { !modelContext.hasChanges }
}
