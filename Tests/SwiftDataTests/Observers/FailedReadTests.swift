import Observation
import SwiftData
import Synchronization
import Testing

/// A counter of calls.
private final class CallCount: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func add() { state.withLock { $0 += 1 } }
}

@Suite("A read that failed", .timeLimit(.minutes(20)))
struct FailedReadTests {
  let cover = NotebookCover()
  let container: ModelContainer

  init() throws {
    let schema = Schema([Invoice.self])
    container = try ModelContainer(
      for: schema,
      configurations: [NotebookConfiguration(name: "covered", schema: schema, cover: cover)])
  }

  private func save(_ number: Int) throws {
    let context = ModelContext(container)
    context.insert(Invoice(number))
    try context.save()
  }

  @Test("of live results is repeated by the next read, without another commit")
  func results() throws {
    try save(1)
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: ModelContext(container), isolation: nil)
    cover.isShut = true
    try save(2)
    #expect(observer.results.map(\.number) == [1])
    #expect(observer.fetchError is NotebookCover.Shut)
    cover.isShut = false
    #expect(observer.results.map(\.number) == [1, 2])
    #expect(observer.fetchError == nil)
  }

  @Test("of live results is repeated after a filter was set that couldn't be fetched")
  func filter() throws {
    for number in 1...3 { try save(number) }
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: ModelContext(container), isolation: nil)
    cover.isShut = true
    observer.filterBy = #Predicate { $0.number > 1 }
    #expect(observer.results.map(\.number) == [1, 2, 3])
    #expect(observer.fetchError is NotebookCover.Shut)
    cover.isShut = false
    #expect(observer.results.map(\.number) == [2, 3])
    #expect(observer.fetchError == nil)
  }

  @Test("of live results notifies once of its error however often it is repeated, and of the end")
  func notifications() throws {
    let observer = try ResultsObserver<Invoice, Never>(
      modelContext: ModelContext(container), isolation: nil)
    cover.isShut = true
    try save(1)
    let (errors, changes) = (CallCount(), CallCount())
    func followError() {
      withObservationTracking {
        _ = observer.fetchError
      } onChange: {
        errors.add()
      }
    }
    followError()
    #expect(observer.results.isEmpty)
    #expect(errors.count == 1)
    followError()
    withObservationTracking {
      _ = observer.results.count
    } onChange: {
      changes.add()
    }
    #expect(observer.results.isEmpty)
    #expect(errors.count == 1)
    #expect(changes.count == 0)
    cover.isShut = false
    #expect(observer.results.map(\.number) == [1])
    #expect(errors.count == 2)
    #expect(changes.count == 1)
  }

  @Test("of the history is repeated when the number of transactions is next read")
  func history() throws {
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    cover.isShut = true
    try save(1)
    try save(2)
    #expect(observer.eventCounter == 0)
    let changes = CallCount()
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      changes.add()
    }
    cover.isShut = false
    #expect(observer.eventCounter == 2)
    #expect(changes.count == 1)
    #expect(observer.eventCounter == 2)
  }
}
