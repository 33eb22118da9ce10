import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Suite("Live results of several isolations", .timeLimit(.minutes(20)))
struct LiveIsolationTests {
  /// Follows the differences of an observer that it creates itself.
  @ModelActor
  actor Follower {
    private var observer: ResultsObserver<Counter, Never>?

    func begin(_ least: Int) throws -> ResultsDifferences {
      let observer = try ResultsObserver<Counter, Never>(
        filterBy: #Predicate { $0.value >= least }, sortBy: [SortDescriptor(\.value)],
        modelContext: modelContext)
      self.observer = observer
      return observer.differences()
    }

    func shown() -> [PersistentIdentifier] {
      observer?.results.map(\.persistentModelID) ?? []
    }

    func stop() { observer = nil }

    func write(_ saves: Int) throws {
      for number in 0..<saves {
        let counters = try modelContext.fetch(FetchDescriptor<Counter>())
        counters.randomElement()?.value = .random(in: 0..<50)
        if number.isMultiple(of: 5) {
          modelContext.insert(Counter(UUID().uuidString, value: .random(in: 0..<50)))
        }
        try modelContext.save()
      }
    }
  }

  @Test("come to the same end in many actors that write and follow, with a process that writes")
  func everybody() async throws {
    let store = try TemporaryStore()
    let path = try store.place
    try RemoteRoles.seed(path)
    let containers = try (0..<2).map { _ in try store.container(Counter.self) }
    let followers = (0..<8).map { Follower(modelContainer: containers[$0 % 2]) }
    var sequences: [ResultsDifferences] = []
    for (number, follower) in followers.enumerated() {
      sequences.append(try await follower.begin(number * 3))
    }
    let readers = sequences.map { differences in
      Task {
        var shown: [PersistentIdentifier] = []
        for await difference in differences {
          guard let later = difference.applied(to: shown) else {
            return nil as [PersistentIdentifier]?
          }
          shown = later
        }
        return shown
      }
    }
    async let child = #expect(processExitsWith: .success) { [path = path as String] in
      _ = try RemoteRoles.write(path, saves: 40, author: "child")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for follower in followers.prefix(4) { group.addTask { try await follower.write(25) } }
      try await group.waitForAll()
    }
    _ = await child
    for (number, follower) in followers.enumerated() {
      let least = number * 3
      let expected = try ModelContext(containers[0]).fetchIdentifiers(
        FetchDescriptor<Counter>(
          predicate: #Predicate { $0.value >= least },
          sortBy: [SortDescriptor(\.value), SortDescriptor(\.persistentModelID)]))
      while await follower.shown() != expected { await Task.yield() }
      await follower.stop()
      // The reader's sequence ends, with all values.
      #expect(await readers[number].value == expected)
    }
  }

  @Test("report each commit to an actor's task, with its insertions")
  func actors() async throws {
    let container = try memoryContainer(Counter.self)
    let follower = Follower(modelContainer: container)
    var iterator = try await follower.begin(10).makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.isEmpty && first.count == 0)
    let context = ModelContext(container)
    let counter = try context.saveCounter("a", value: 20)
    let second = try #require(await iterator.next())
    #expect(second.inserted.map(\.id) == [counter.persistentModelID])
    counter.value = 30
    try context.save()
    let third = try #require(await iterator.next())
    #expect(third.changed.map(\.id) == [counter.persistentModelID] && third.moved.isEmpty)
    counter.value = 1
    try context.save()
    let fourth = try #require(await iterator.next())
    #expect(fourth.removed.map(\.id) == [counter.persistentModelID])
    await follower.stop()
    #expect(await iterator.next() == nil)
  }

  @Test("end their differences when the task is cancelled, and begin them at the request")
  func cancellation() async throws {
    let container = try memoryContainer(Counter.self)
    let context = ModelContext(container)
    _ = try context.saveCounter("a")
    let observer = try ResultsObserver<Counter, Never>(modelContext: context, isolation: nil)
    let differences = observer.differences(initial: false)
    let reader = Task {
      var count = 0
      for await _ in differences { count += 1 }
      return count
    }
    reader.cancel()
    #expect(await reader.value == 0)
    var iterator = differences.makeAsyncIterator()
    _ = try context.saveCounter("b")
    #expect(observer.results.count == 2)
    let difference = try #require(await iterator.next())
    #expect(difference.inserted.map(\.position) == [1] && difference.earlierCount == 1)
  }

  @Test("notify observers even when the newest results have already been read")
  @MainActor func readersBetween() async throws {
    let container = try memoryContainer(Counter.self)
    let context = ModelContext(container)
    let observer = try ResultsObserver<Counter, Never>(modelContainer: container)
    let count = try await value({ observer.results.count }) {
      _ = try context.saveCounter("a")
      #expect(observer.results.count == 1)
    }
    #expect(count == 1)
  }

  @Test("have a new filter's answer as a difference")
  @MainActor func settings() async throws {
    let container = try memoryContainer(Counter.self)
    let context = ModelContext(container)
    for number in 0..<5 { _ = try context.saveCounter("\(number)", value: number) }
    let observer = try ResultsObserver<Counter, Never>(
      sortBy: [SortDescriptor(\.value)], modelContext: context)
    var iterator = observer.differences(initial: false).makeAsyncIterator()
    observer.filterBy = #Predicate { $0.value % 2 == 0 }
    observer.filterBy = #Predicate { $0.value != 1 }
    observer.sortBy = [SortDescriptor(\.value, order: .reverse)]
    let difference = try #require(await iterator.next())
    #expect(difference.removed.map(\.position) == [1])
    #expect(difference.moved.count == 3 && difference.changed.isEmpty && !difference.reloadsAll)
    #expect(observer.results.map(\.value) == [4, 3, 2, 0])
  }
}
