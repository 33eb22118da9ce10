import HTTPContent
import QuakesKit
import Synchronization

/// Runs the user's command for each new earthquake, one after the other in the order in which they came.
final class EventRunner: Sendable {
  /// The work that waits.
  private struct Queue: Sendable {
    var events: [Event] = []
    /// The number of events for which there was no room.
    var lost = 0
    var isClosed = false

    mutating func next() -> Step? {
      if !events.isEmpty { return .event(events.removeFirst()) }
      if lost > 0 {
        defer { lost = 0 }
        return .lost(lost)
      }
      return isClosed ? .end : nil
    }
  }

  private enum Step: Sendable {
    case event(Event)
    case lost(Int)
    case end
  }

  /// The maximum number of events that wait.
  static let mostWaiting = 10_000

  private let store: QuakeStore
  private let runCommand: @Sendable (Event) async -> String?
  private let report: @Sendable (String?) -> Void
  private let mostWaiting: Int
  private let earthquakes = Mutex(NewEarthquakes())
  private let queue = Mailbox(Queue())

  /// - Parameters:
  ///   - store: The store that the events come from.
  ///   - mostWaiting: The maximum number of events that wait.
  ///   - run: Runs the command for an event, and returns the reason why it failed, or nil.
  ///   - report: Gets a sentence for the user when something failed, and nil when a command succeeded.
  init(
    _ store: QuakeStore, mostWaiting: Int = EventRunner.mostWaiting,
    run: @escaping @Sendable (Event) async -> String?,
    report: @escaping @Sendable (String?) -> Void
  ) {
    self.store = store
    self.mostWaiting = mostWaiting
    self.runCommand = run
    self.report = report
  }

  /// Records changes. Afterwards, ``start(_:)`` takes their events.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  func note(_ changes: EventChanges) throws {
    if changes.reload {
      report("The store was changed without a history; no command ran for that.")
    }
    let unknown = earthquakes.withLock { $0.unknown(of: changes.inserted) }
    let replaced = try store.replaced(among: unknown)
    earthquakes.withLock {
      $0.note(inserted: changes.inserted, updated: changes.updated, replaced: replaced)
    }
  }

  /// Has the command run for an event, if its earthquake came since the start and has had none.
  /// - Parameter event: An event that meets the user's filters.
  func start(_ event: Event) {
    guard event.withdrawn == nil, earthquakes.withLock({ $0.take(event) }) else { return }
    let mostWaiting = mostWaiting
    queue.put { queue in
      if queue.events.count < mostWaiting { queue.events.append(event) } else { queue.lost += 1 }
    }
  }

  /// Runs commands until the task is cancelled, or until no event waits after ``finish()``.
  func run() async {
    while !Task.isCancelled, let step = await queue.next({ $0.next() }) {
      switch step {
      case .event(let event):
        let failure = await runCommand(event)
        report(failure.map { "The command for \(PlainText.neutralised(event.id)) \($0)." })
      case .lost(let count):
        let events = count == 1 ? "1 event" : "\(count) events"
        report("\(events) came while \(mostWaiting) others waited for the command.")
      case .end: return
      }
    }
  }

  /// Ends ``run()`` after the events that wait.
  func finish() { queue.put { $0.isClosed = true } }

  /// Runs the commands of the events that come during `body`, all of them unless it fails or the task is cancelled.
  func during(_ body: () async throws -> Void) async throws {
    async let commands: Void = run()
    try await body()
    finish()
    await commands
  }

  /// Takes the events of a store until the task is cancelled.
  /// - Parameters:
  ///   - follower: Follows the store.
  ///   - query: The user's filters.
  func follow(
    _ follower: StoreFollower, _ query: @escaping @Sendable () throws -> EventQuery
  ) async {
    var follower = follower
    while !Task.isCancelled {
      do {
        try await follower.run { try self.take($0, query()) }
      } catch {
        guard !Task.isCancelled else { return }
        report("The store cannot be followed: \(error)")
        guard await LiveSource.pause(.seconds(5)) else { return }
        do { follower = try StoreFollower(store, large: .inPieces) } catch {
          report("The store cannot be followed: \(error)")
        }
      }
    }
  }

  /// Takes changes.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  func take(_ changes: EventChanges, _ query: EventQuery) throws {
    try note(changes)
    for events in [changes.inserted, changes.updated] {
      for event in events.sorted(by: { $0.time < $1.time }) where query.includes(event) {
        start(event)
      }
    }
  }
}
