import Foundation
import SwiftData
import Testing

/// Every context writes and follows: none waits forever, and all end with the store's contents.
@MainActor
@Suite("Many contexts that write and follow", .timeLimit(.minutes(20)))
struct ConvergenceTests {
  @ModelActor
  actor Writer {
    private var known: [Counter] = []

    func begin() throws { known = try modelContext.fetch(FetchDescriptor<Counter>()) }

    func write(_ saves: Int, _ policy: MergePolicy) throws {
      modelContext.mergePolicy = policy
      for number in 0..<saves {
        guard let counter = known.randomElement() else { return }
        counter.value = number
        if number.isMultiple(of: 3) { counter.note = "\(policy) \(number)" }
        do { try modelContext.save() } catch is MergeConflictError { modelContext.rollback() }
      }
    }

    /// Returns the current values of the models, after processing pending changes.
    func values() -> [String: String] {
      modelContext.processPendingChanges()
      return Dictionary(
        known.map { ($0.name, "\($0.value) \($0.note)") }, uniquingKeysWith: { first, _ in first })
    }
  }

  @Test(
    "with every policy, over two containers, with observers",
    arguments: [
      [MergePolicy.propertyObjectTrump, .propertyObjectTrump, .overwrite],
      [.error, .propertyStoreTrump, .rollback],
    ])
  func writers(policies: [MergePolicy]) async throws {
    let store = try TemporaryStore()
    let containers = try (0..<2).map { _ in try store.container(Counter.self) }
    let seeding = ModelContext(containers[0])
    for number in 0..<10 { seeding.insert(Counter("\(number)")) }
    try seeding.save()
    let main = containers[1].mainContext
    let shown = try main.fetch(FetchDescriptor<Counter>())
    let observer = try HistoryObserver(modelContainer: containers[1])
    let results = try ResultsObserver<Counter, Never>(
      sortBy: [SortDescriptor(\.value)], modelContext: main)
    let writers = policies.enumerated().map { index, _ in
      Writer(modelContainer: containers[index % 2])
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (writer, policy) in zip(writers, policies) {
        try await writer.begin()
        group.addTask { try await writer.write(60, policy) }
      }
      for number in 0..<20 {
        shown.randomElement()?.remark = "\(number)"
        try main.save()
        await Task.yield()
      }
      try await group.waitForAll()
    }
    let stored = try values(in: ModelContext(store.container(Counter.self)))
    for writer in writers { #expect(await writer.values() == stored) }
    main.processPendingChanges()
    #expect(
      Dictionary(uniqueKeysWithValues: shown.map { ($0.name, "\($0.value) \($0.note)") }) == stored)
    #expect(results.results.count == 10 && observer.eventCounter >= 0)
  }

  private func values(in context: ModelContext) throws -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: try context.fetch(FetchDescriptor<Counter>()).map {
        ($0.name, "\($0.value) \($0.note)")
      })
  }
}
