import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Contexts with autosave", .timeLimit(.minutes(20)))
struct AutosaveTests {
  private func count(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Tally>())
  }

  @Test("a context created explicitly doesn't, unless it is enabled")
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
  @Test("an enabled one on the main thread saves within a few turns of the main run loop")
  func mainThread() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = ModelContext(container)
    context.autosaveEnabled = true
    let tally = Tally("a")
    context.insert(tally)
    for _ in 0..<3 { await Self.turn() }
    #expect(!context.hasChanges)
    #expect(try count(container) == 1)
    // Every kind of change, repeatedly.
    tally.value = 5
    for _ in 0..<3 { await Self.turn() }
    #expect(try ModelContext(container).tally("a")?.value == 5)
    try context.delete(model: Tally.self)
    for _ in 0..<3 { await Self.turn() }
    #expect(try count(container) == 0)
    // Enabled after the changes were made.
    let late = ModelContext(container)
    late.insert(Tally("late"))
    for _ in 0..<3 { await Self.turn() }
    #expect(late.hasChanges)
    late.autosaveEnabled = true
    for _ in 0..<3 { await Self.turn() }
    #expect(!late.hasChanges)
    // Disabled again.
    late.autosaveEnabled = false
    late.insert(Tally("never"))
    for _ in 0..<3 { await Self.turn() }
    #expect(late.hasChanges)
  }

  /// Waits for a turn of the main queue.
  @MainActor
  private static func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    await Task.yield()
  }

  /// An edit after an automatic save that was refused.
  enum NextEdit: String, CaseIterable, Sendable {
    case ofPendingProperty, ofOtherProperty, ofOtherModel, ofInsertedModel, byUndo

    /// Whether the next save is accepted.
    var mends: Bool { [.ofPendingProperty, .ofOtherModel, .byUndo].contains(self) }

    func apply(_ context: ModelContext, _ tallies: [Tally]) {
      switch self {
      case .ofPendingProperty: tallies[1].name = "another"
      case .ofOtherProperty: tallies[1].value = 1
      case .ofOtherModel: tallies[0].name = "another"
      case .ofInsertedModel: tallies[2].value = 2
      case .byUndo: context.undoManager?.undo()
      }
    }
  }

  private final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func rise() { number.withLock { $0 += 1 } }
  }

  @MainActor
  @Test(
    "a refused save keeps the changes, and any edit, of a pending property too, is a reason to try again",
    arguments: NextEdit.allCases, [true, false])
  func refused(_ edit: NextEdit, inMainContext: Bool) async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = inMainContext ? container.mainContext : ModelContext(container)
    context.autosaveEnabled = true
    let tallies = ["one", "two", "three"].map { Tally($0) }
    for tally in tallies.prefix(2) { context.insert(tally) }
    try context.save()
    for _ in 0..<3 { await Self.turn() }
    let saves = Count()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in saves.rise() }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(tallies[2])
    if edit == .byUndo { context.undoManager = UndoManager() }
    tallies[1].name = "one"
    while saves.value == 0 { await Self.turn() }
    for _ in 0..<20 { await Self.turn() }
    #expect(context.hasChanges)
    #expect(saves.value == 1, "nothing is tried again without an edit")
    edit.apply(context, tallies)
    while saves.value == 1 { await Self.turn() }
    #expect(context.hasChanges == !edit.mends)
    if !edit.mends {
      tallies[1].name = "two"
      while saves.value == 2 { await Self.turn() }
      #expect(!context.hasChanges)
    }
    #expect(try count(container) == 3)
  }

  @Test("a model actor's refused save is tried again after an edit of the property that is pending")
  func refusedActor() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = ModelContext(container)
    for name in ["one", "two"] { context.insert(Tally(name)) }
    try context.save()
    let actor = Saver(modelContainer: container)
    let saves = Count()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: nil, queue: nil
    ) { note in
      if (note.object as? ModelContext)?.author == "saver" { saves.rise() }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await actor.rename("two", to: "one")
    while saves.value == 0 { await Task.yield() }
    #expect(await !actor.isClean)
    try await actor.rename("two", to: "another")
    while saves.value == 1 { await Task.yield() }
    #expect(await actor.isClean)
    #expect(try ModelContext(container).tally("another") != nil)
  }

  @Test("a model actor's context with autosave saves on its executor")
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
        // Inserts until the first models are stored.
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
          // Longer than the delay of an automatic save.
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

  /// Renames the model with the original name `name`.
  func rename(_ name: String, to other: String) throws {
    modelContext.autosaveEnabled = true
    modelContext.author = "saver"
    if renamed == nil { renamed = try modelContext.tally(name) }
    renamed?.name = other
  }

  private var renamed: Tally?

  var isClean: Bool { !modelContext.hasChanges }
}
