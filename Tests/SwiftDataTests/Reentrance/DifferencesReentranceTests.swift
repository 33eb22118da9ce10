import Foundation
import SwiftData
import Testing

/// The loop over a live list's differences × every operation × own or other context × a store in a file or in memory.
@Suite("A loop over differences may do anything", .timeLimit(.minutes(20)))
struct DifferencesReentranceTests {
  @MainActor
  @Test(
    "no difference is missed or repeated, and the loop ends", arguments: ReentrantOperation.allCases
  )
  func loop(_ operation: ReentrantOperation) async throws {
    for inMemory in [false, true] {
      for side in ReentrantSide.allCases {
        let place = Comment("\(side) context, \(inMemory ? "in memory" : "in a file")")
        try await run(operation, side, ReentrantWorld(inMemory: inMemory), place)
      }
    }
  }

  @MainActor
  private func run(
    _ operation: ReentrantOperation, _ side: ReentrantSide, _ world: ReentrantWorld,
    _ place: Comment
  ) async throws {
    let context = try #require(world.own)
    if operation == .undo { world.useUndo() }
    let observer = try ResultsObserver<ReentrantKnot, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: context)
    var iterator = observer.differences().makeAsyncIterator()
    var shown: [PersistentIdentifier] = []
    for round in 0..<4 {
      if round > 0 { try commit("round \(round)", world) }
      let next = await iterator.next(isolation: MainActor.shared)
      let difference = try #require(next, place)
      shown = try #require(difference.applied(to: shown), place)
      world.run(operation, side)
    }
    world.attempt { try context.save() }
    try commit("zz", world)
    // One difference may contain several commits.
    while shown != observer.results.map(\.persistentModelID) {
      let next = await iterator.next(isolation: MainActor.shared)
      let difference = try #require(next, place)
      shown = try #require(difference.applied(to: shown), place)
    }
    for error in world.errors {
      let isTyped = error is SwiftDataError || error is StoreError
      #expect(isTyped, "\(place): \(error)")
    }
    let stored = try ModelContext(world.container).fetch(FetchDescriptor<ReentrantKnot>())
    #expect(Set(shown) == Set(stored.map(\.persistentModelID)), place)
    #expect(shown.count == stored.count, place)
    #expect(observer.results.map(\.name) == stored.map(\.name).sorted(), place)
    #expect(stored.contains { $0.name == "zz" }, place)
    #expect(!context.hasChanges, place)
  }

  private func commit(_ name: String, _ world: ReentrantWorld) throws {
    let writer = ModelContext(world.container)
    writer.insert(ReentrantKnot(name))
    try writer.save()
  }
}
