import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras

/// An application with a list of earthquakes that imports in the background, like Apple's sample "Loading and
/// displaying a large data feed": one context for the list, another for imports, and the history between them.
@MainActor
final class FeedLibrary {
  let container: ModelContainer
  /// The context of the list; it merges other contexts' changes only on request.
  let viewContext: ModelContext
  /// The list, newest first.
  let list: ResultsObserver<Quake, Never>
  /// A notification for each commit.
  private let notifications: AsyncStream<Void>
  private let observation: Observation
  private var lastToken: DefaultHistoryToken?

  /// Ends the observation when the library is released.
  private final class Observation: @unchecked Sendable {
    // Unchecked: set once, used in deinit.
    private let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    deinit { NotificationCenter.default.removeObserver(token) }
  }

  init(file: URL) throws {
    container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: file))
    viewContext = container.mainContext
    viewContext.mergesChangesAutomatically = false
    list = try ResultsObserver(
      sortBy: [SortDescriptor(\.time, order: .reverse)], modelContext: viewContext)
    let (notifications, continuation) = AsyncStream.makeStream(of: Void.self)
    self.notifications = notifications
    observation = Observation(
      NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: container, queue: nil
      ) { _ in continuation.yield() })
  }

  /// Imports in the background, one record at a time, by its unique key.
  ///
  /// - Returns: The counts of the import, and whether it ran off the main thread.
  @concurrent
  nonisolated func importInBackground(
    _ features: [Event]
  ) async throws -> (summary: BatchUpsert<Quake>.Summary, isInBackground: Bool) {
    var iterator = features.makeIterator()
    var isInBackground = true
    let summary = try container.batchInsert(author: "import") { () -> Quake? in
      isInBackground = isInBackground && !isMainThread()
      return iterator.next().map { Quake($0) }
    }
    return (summary, isInBackground)
  }

  /// Waits for a notification.
  func notified() async { for await _ in notifications { break } }

  /// Reads the history after the last token in a new context.
  func fetchHistory() throws -> [DefaultHistoryTransaction] {
    let taskContext = ModelContext(container)
    guard let lastToken else {
      return try taskContext.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    return try taskContext.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.token > lastToken }))
  }

  /// Merges transactions into the view's context and records the token of the last one.
  func merge(_ history: [DefaultHistoryTransaction]) throws {
    for transaction in history {
      try viewContext.mergeChanges(from: transaction)
      lastToken = transaction.token
    }
  }

  /// Waits until the list meets a condition.
  func wait(until isThere: (ResultsObserver<Quake, Never>) -> Bool) async {
    while true {
      let (changes, continuation) = AsyncStream<Void>.makeStream()
      let isDone = withObservationTracking {
        isThere(list)
      } onChange: {
        continuation.yield()
      }
      if isDone { return }
      for await _ in changes { break }
      await Task.yield()
    }
  }
}

/// A separate synchronous function, because asynchronous ones may not ask this.
private func isMainThread() -> Bool { Thread.isMainThread }
