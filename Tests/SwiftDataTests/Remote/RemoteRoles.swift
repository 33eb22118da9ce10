import Foundation
import SwiftData

/// The roles of processes in a test with many processes.
enum RemoteRoles {
  static let names = (0..<16).map { "counter \($0)" }

  static func container(_ place: String) throws -> ModelContainer {
    try TemporaryStore.container(at: place, Counter.self)
  }

  /// Writes one transaction with the counters.
  static func seed(_ path: String) throws {
    let context = ModelContext(try container(path))
    for name in names { context.insert(Counter(name)) }
    try context.save()
  }

  /// Increments counters, chosen at random.
  ///
  /// - Parameter pause: The seconds between two saves: the speed of a writer, not a wait for a condition.
  /// - Returns: The number of conflicts with other writers.
  static func write(_ path: String, saves: Int, author: String, pause: Double = 0) throws -> Int {
    let context = ModelContext(try container(path))
    context.author = author
    context.mergePolicy = .error
    var conflicts = 0
    for number in 0..<saves {
      if pause > 0 { Thread.sleep(forTimeInterval: pause) }
      let name = names[Int.random(in: names.indices)]
      while true {
        guard let counter = try context.counter(name) else { throw Failure("\(name) is missing") }
        counter.value += 1
        counter.note = "\(author) \(number)"
        do {
          try context.save()
          break
        } catch is MergeConflictError {
          context.rollback()
          conflicts += 1
        }
      }
    }
    return conflicts
  }

  /// Follows the store until a number of transactions have arrived.
  ///
  /// - Returns: The seconds from each transaction's end to its arrival here.
  @MainActor
  static func read(_ path: String, transactions: Int) async throws -> [Double] {
    let container = try container(path)
    let start = try DefaultHistoryToken.beginning(container)
    // From the beginning, as other processes may already be writing.
    let tokens = start.map { [$0.storeIdentifier: $0 as any HistoryToken] }
    let observer = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    let results = try ResultsObserver<Counter, Never>(modelContext: container.mainContext)
    var delays: [Double] = []
    var next: Int64 = 1
    for try await transaction in container.remoteChanges(after: start) {
      delays.append(Date.now.timeIntervalSince(transaction.timestamp))
      guard transaction.id == next else {
        throw Failure("transaction \(transaction.id) came in place of \(next)")
      }
      next += 1
      if next > transactions { break }
    }
    // The observers reach the same state, at their own pace.
    while observer.eventCounter < transactions {
      await Self.change { _ = observer.eventCounter }
    }
    guard observer.eventCounter == transactions else {
      throw Failure("the observer counted \(observer.eventCounter) of \(transactions)")
    }
    while results.results.reduce(0, { $0 + $1.value }) < transactions - 1 {
      await Self.change { for counter in results.results { _ = counter.value } }
    }
    return delays
  }

  @MainActor
  private static func change(_ read: () -> Void) async {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    withObservationTracking(read) { continuation.yield() }
    for await _ in changes { break }
    await Task.yield()
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

extension DefaultHistoryToken {
  /// Returns the position before the first transaction of a container's stores.
  static func beginning(_ container: ModelContainer) throws -> DefaultHistoryToken? {
    guard let token = try container.currentHistoryToken(), let values = token.tokenValue else {
      return nil
    }
    let zeros = values.mapValues { _ in Int64(0) }
    return try JSONDecoder().decode(
      Self.self, from: JSONEncoder().encode(["tokenValue": zeros]))
  }
}
