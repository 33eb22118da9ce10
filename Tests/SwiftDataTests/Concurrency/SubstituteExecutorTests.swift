import SwiftData
import Testing

@Suite("A model actor whose executor isn't serial") struct SubstituteExecutorTests {
  @Model
  final class Ticket {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  /// Would run jobs at any time on any thread.
  private final class UnorderedExecutor: ModelExecutor, @unchecked Sendable {
    let modelContext: ModelContext
    init(_ context: ModelContext) { modelContext = context }
    func enqueue(_ job: consuming ExecutorJob) {}
  }

  private actor Counter: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    private var count = 0

    init(_ container: ModelContainer) {
      modelContainer = container
      modelExecutor = UnorderedExecutor(ModelContext(container))
    }

    func add() -> Int {
      modelContext.insert(Ticket(count))
      count += 1
      return count
    }

    func save() throws { try modelContext.save() }
  }

  @Test("runs one job at a time") func isolation() async throws {
    let container = try memoryContainer(Ticket.self)
    let counter = Counter(container)
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<200 { group.addTask { await counter.add() } }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(counts == Set(1...200))
    try await counter.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ticket>()) == 200)
  }
}
