import Dispatch
import Foundation
import SwiftData
import Testing

@Suite("The ends of containers, contexts and models", .timeLimit(.minutes(20)))
struct LifeCycleTests {
  /// Passes a value that isn't Sendable from one thread to another.
  private final class Handed<Value>: @unchecked Sendable {
    // Unchecked: one thread uses it at a time.
    var value: Value?
    init(_ value: Value?) { self.value = value }
  }

  /// A value that records where it was encoded.
  struct Witness: Codable {
    static let places = Places()
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
    }
    func encode(to encoder: any Encoder) throws {
      Self.places.note(number, isMain: Thread.isMainThread || Places.isOnMainQueue)
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  final class Places: @unchecked Sendable {
    // Unchecked: the mutable state is protected by the lock.
    private static let key = DispatchSpecificKey<Bool>()
    static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)
    static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == true }

    private let lock = NSLock()
    private var found: [Int: Bool] = [:]
    func note(_ number: Int, isMain: Bool) { lock.withLock { found[number] = isMain } }
    func isMain(_ number: Int) -> Bool? { lock.withLock { found[number] } }
  }

  @Test(
    "the main context makes its last save on the main actor, wherever the container is released")
  func mainContextEndsOnMainActor() async throws {
    Places.mark
    let store = try TemporaryStore()
    let handed = Handed<ModelContainer>(try store.container(Witnessed.self))
    await MainActor.run {
      handed.value?.mainContext.insert(Witnessed(Witness(4711)))
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        handed.value = nil
        continuation.resume()
      }
    }
    // After the work that releasing the container has put on the queue.
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(Witness.places.isMain(4711) == true)
    let again = ModelContext(try store.container(Witnessed.self))
    #expect(try again.fetch(FetchDescriptor<Witnessed>()).map(\.witness.number) == [4711])
  }

  @Test("a model without its context reads properties that its fetch left out from its row")
  func partialModelOutlivesContext() throws {
    let store = try TemporaryStore()
    let container = try store.container(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
    try {
      let context = ModelContext(container)
      let knot = ReentrantKnot("name", number: 42)
      knot.dye = Dye(code: 3)
      context.insert(knot)
      try context.save()
    }()
    let knots = try {
      var descriptor = FetchDescriptor<ReentrantKnot>()
      descriptor.propertiesToFetch = [\.name]
      return try ModelContext(container).fetch(descriptor)
    }()
    let knot = try #require(knots.first)
    #expect(knot.modelContext == nil)
    #expect(knot.name == "name")
    #expect(knot.number == 42)
    #expect(knot.dye == Dye(code: 3))
  }

  @Test("a model has no context any more when its deletion is saved")
  func deletedModelHasNoContext() throws {
    let context = ModelContext(
      try memoryContainer(ReentrantKnot.self, ReentrantRing.self, Crumb.self))
    let knot = ReentrantKnot("a")
    context.insert(knot)
    try context.save()
    context.delete(knot)
    #expect(knot.modelContext === context)
    try context.save()
    #expect(knot.modelContext == nil)
    #expect(knot.isDeleted)
    // The model can be inserted again.
    context.insert(knot)
    #expect(knot.modelContext === context)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<ReentrantKnot>()) == 1)
  }

  /// Uses its context before its initialiser has finished and others can access the actor.
  private actor Keeper: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    let seen: Int

    init(_ container: ModelContainer, _ commitElsewhere: () throws -> Void) throws {
      modelContainer = container
      let context = ModelContext(container)
      modelExecutor = DefaultSerialModelExecutor(modelContext: context)
      let knots = try context.fetch(FetchDescriptor<ReentrantKnot>())
      try commitElsewhere()
      // A follower on the executor's queue would be running at this point.
      seen = knots.reduce(0) { $0 + $1.number }
    }

    func numbers() throws -> [Int] {
      try modelContext.fetch(FetchDescriptor<ReentrantKnot>()).map(\.number)
    }
    func registeredNumber(_ identifier: PersistentIdentifier) -> Int? {
      (modelContext.registeredModel(for: identifier) as ReentrantKnot?)?.number
    }
  }

  @Test("a model actor's context follows others from the first job on, not during its initialiser")
  func actorFollowsFromFirstJob() async throws {
    let container = try memoryContainer(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
    let context = ModelContext(container)
    let knot = ReentrantKnot("a", number: 1)
    context.insert(knot)
    try context.save()
    let keeper = try Keeper(container) {
      for _ in 0..<50 {
        knot.number += 1
        try context.save()
      }
    }
    #expect(keeper.seen == 1)
    #expect(try await keeper.numbers() == [51])
  }
}

@Model
final class Witnessed {
  @Attribute(.codable) var witness: LifeCycleTests.Witness
  init(_ witness: LifeCycleTests.Witness) { self.witness = witness }
}
