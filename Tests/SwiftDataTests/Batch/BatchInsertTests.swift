import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// A subclass without properties of its own.
@Model
private final class PlainVehicle: Vehicle {
  init(plate: String) {
    super.init(plate: plate)
  }
}

@Suite("A batch insertion")
struct BatchInsertTests {
  @Test("requests one model at a time, and reports the outcome of each")
  func closure() throws {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    context.insert(Quake(code: "0"))
    context.insert(Quake(code: "1", magnitude: 5))
    try context.save()
    var codes = (0..<4).makeIterator()
    let summary = try container.batchInsert(author: "import") {
      codes.next().map { Quake(code: "\($0)") }
    }
    #expect(summary.inserted == 2 && summary.updated == 1 && summary.unchanged == 1)
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 4)
    #expect(try context.history().last?.author == "import")
  }

  @Test("refuses a model of a subclass, which would become one of the batch's class")
  func subclass() throws {
    let container = try memoryContainer(Vehicle.self, Truck.self, PlainVehicle.self)
    for other in [PlainVehicle(plate: "b"), Truck(plate: "b", load: 1)] as [Vehicle] {
      do {
        try container.batchInsert([Vehicle(plate: "a"), other])
        Issue.record("a \(type(of: other)) was written")
      } catch let error as SwiftDataError {
        #expect(error == .modelValidationFailure)
        #expect("\(error)".contains("\(type(of: other))"))
      }
      let batch = try BatchUpsert<Vehicle>(container)
      #expect(throws: SwiftDataError.modelValidationFailure) { try batch.upsert(other) }
      batch.rollback()
    }
    try container.batchInsert([PlainVehicle(plate: "c")])
    try container.batchInsert([Vehicle(plate: "a")])
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate, comparator: .lexical)]))
    #expect(stored.map { "\(type(of: $0)) \($0.plate)" } == ["Vehicle a", "PlainVehicle c"])
  }

  @Test("of nothing writes nothing")
  func empty() throws {
    let container = try memoryContainer(Quake.self)
    let summary = try container.batchInsert([Quake]())
    #expect(summary.inserted == 0 && summary.updated == 0 && summary.unchanged == 0)
    #expect(try ModelContext(container).history().isEmpty)
  }

  @Test("is one transaction, and nothing when a model can't be made")
  func failure() throws {
    struct Malformed: Error {}
    let container = try memoryContainer(Quake.self)
    var count = 0
    #expect(throws: Malformed.self) {
      try container.batchInsert { () throws -> Quake? in
        count += 1
        if count > 2 { throw Malformed() }
        return Quake(code: "\(count)")
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 0)
  }

  @Test("in several transactions keeps those that were committed")
  func transactions() throws {
    struct Malformed: Error {}
    let container = try memoryContainer(Quake.self)
    var count = 0
    #expect(throws: Malformed.self) {
      try container.batchInsert(transactions: .every(2)) { () throws -> Quake? in
        count += 1
        if count > 5 { throw Malformed() }
        return Quake(code: "\(count)")
      }
    }
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 4)
    #expect(try context.history().map { $0.summary.count } == [2, 2])
  }

  @Test("of an asynchronous sequence writes models as they come, and lets others write in between")
  func asynchronous() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let (codes, continuation) = AsyncStream.makeStream(of: Int.self)
    for code in 0..<3 { continuation.yield(code) }
    continuation.finish()
    var told: [Int] = []
    let summary = try await container.batchInsert(
      codes.map { code in
        // Another writer between two of the batch's transactions.
        let other = ModelContext(container)
        if code == 2 {
          other.insert(Quake(code: "other"))
          do { try other.save() } catch { Issue.record(error) }
        }
        return Quake(code: "\(code)")
      }, transactions: .every(2), progress: { told.append($0.inserted) })
    #expect(summary.inserted == 3)
    #expect(told == [3])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 4)
  }

  @Test(
    "of an asynchronous sequence has no transaction while the sequence produces a model",
    arguments: [BatchTransactions.one, .every(1_000)])
  func arriving(transactions: BatchTransactions) async throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let (codes, continuation) = AsyncStream.makeStream(of: Int.self)
    for code in 0..<3 { continuation.yield(code) }
    continuation.finish()
    let summary = try await container.batchInsert(
      codes.map { code in
        // With a transaction of the batch, this would wait for it on the batch's thread.
        let other = ModelContext(container)
        other.insert(Quake(code: "other \(code)"))
        do { try other.save() } catch { Issue.record(error) }
        return Quake(code: "\(code)")
      }, transactions: transactions)
    #expect(summary.inserted == 3)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 6)
  }

  @Test(
    "of an asynchronous sequence refuses a save by its progress at once",
    .enabled(if: StoreKind.tested == .sqlite, "a server has a transaction for each writer"))
  func savingProgress() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let (codes, continuation) = AsyncStream.makeStream(of: Int.self)
    for code in 0..<1_000 { continuation.yield(code) }
    continuation.finish()
    var refusals: [SwiftDataError] = []
    try await container.batchInsert(
      codes.map { Quake(code: "\($0)") }, transactions: .every(2_000),
      progress: { _ in
        let other = ModelContext(container)
        other.insert(Quake(code: "other"))
        do { try other.save() } catch let error as SwiftDataError {
          refusals.append(error)
        } catch {
          Issue.record(error)
        }
      })
    // The last report comes after the commit.
    #expect(refusals == [.reentrantOperation])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 1_001)
  }

  @Test("ends when the task is cancelled, without a trace")
  func cancellation() async throws {
    let container = try memoryContainer(Quake.self)
    let task = Task {
      var count = 0
      return try container.batchInsert { () -> Quake? in
        count += 1
        if count == 300 { withUnsafeCurrentTask { $0?.cancel() } }
        return Quake(code: "\(count)")
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 0)
  }
}

@Suite("A batch deletion")
struct ImmediateBatchDeleteTests {
  @Test("deletes the predicate's models and applies the delete rules, in one transaction")
  func deletes() throws {
    let container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    let context = ModelContext(container)
    let books = ["A", "B"].map { Book($0, author: Author("of \($0)")) }
    for book in books {
      book.pages = [Page(1), Page(2)]
      context.insert(book)
    }
    try context.save()
    let count = try container.batchDelete(
      Book.self, where: #Predicate { $0.title == "A" }, author: "cleaner")
    #expect(count == 3)
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["B"])
    #expect(try context.fetchCount(FetchDescriptor<Page>()) == 2)
    #expect(try context.history().last?.author == "cleaner")
  }

  @Test("that a rule denies takes nothing")
  func denied() throws {
    let container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    let context = ModelContext(container)
    let book = Book("A", author: Author("a"))
    context.insert(Loan("reader", book))
    try context.save()
    #expect(throws: (any Error).self) { try container.batchDelete(Book.self) }
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
  }
}
