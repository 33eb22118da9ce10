import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataCore

/// Fetches in place of following: what was committed before them, or brought deleted rows back, isn't lost.
@Suite("A fetch of live results", .timeLimit(.minutes(20)))
struct LiveFetchTests {
  enum Form: CaseIterable { case byNumber, byAmount, window }

  let container: ModelContainer
  let writer: ModelContext

  init() throws {
    container = try memoryContainer(Invoice.self)
    writer = ModelContext(container)
    for number in 0..<5 { writer.insert(Invoice(number)) }
    try writer.save()
  }

  private func observe(
    _ form: Form, _ context: ModelContext
  ) throws -> ResultsObserver<Invoice, Never> {
    var descriptor = FetchDescriptor<Invoice>(sortBy: [SortDescriptor(\.number)])
    switch form {
    case .byNumber: break
    case .byAmount: descriptor.sortBy.insert(SortDescriptor(\.amount), at: 0)
    case .window: descriptor.fetchLimit = 3
    }
    return try ResultsObserver(fetchDescriptor: descriptor, modelContext: context, isolation: nil)
  }

  private func invoice(_ number: Int, in context: ModelContext) throws -> Invoice {
    let found = try context.fetch(
      FetchDescriptor<Invoice>(predicate: #Predicate { $0.number == number }))
    return try #require(found.first)
  }

  // MARK: - Differences

  @Test(
    "for another filter or order names the rows that were written since the last commit followed",
    arguments: [false, true])
  func writtenRows(isSorted: Bool) async throws {
    let observer = try observe(.byNumber, ModelContext(container))
    var mirror = try await LiveResultsTests.Mirror(observer.differences())
    let written = try invoice(2, in: writer)
    written.amount = 7
    try writer.save()
    if isSorted {
      observer.sortBy = [SortDescriptor(\.number, order: .reverse)]
    } else {
      observer.filterBy = #Predicate { $0.number < 4 }
    }
    try await mirror.follow()
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
    #expect(mirror.shown.count == (isSorted ? 5 : 4))
    #expect(mirror.last.changed.map(\.id) == [written.persistentModelID])
    #expect(!mirror.last.reloadsAll)
    // Nothing is told twice.
    written.amount = 8
    try invoice(0, in: writer).amount = 8
    try writer.save()
    observer.filterBy = #Predicate { $0.number > 0 }
    try await mirror.follow()
    #expect(mirror.last.changed.map(\.id) == [written.persistentModelID])
    observer.filterBy = #Predicate { $0.number > 1 }
    try await mirror.follow()
    #expect(mirror.last.changed.isEmpty && !mirror.last.reloadsAll)
  }

  @Test("of a store that doesn't count its commits may have other values after any of them")
  func uncountedCommits() async throws {
    let schema = Schema([Invoice.self])
    let container = try ModelContainer(
      for: schema, configurations: [NotebookConfiguration(schema: schema)])
    let writer = ModelContext(container)
    for number in 0..<4 { writer.insert(Invoice(number)) }
    try writer.save()
    let observer = try observe(.byNumber, ModelContext(container))
    var mirror = try await LiveResultsTests.Mirror(observer.differences())
    writer.insert(Invoice(4))
    try writer.save()
    observer.filterBy = #Predicate { $0.number > 0 }
    try await mirror.follow()
    #expect(mirror.shown.count == 4 && mirror.last.reloadsAll)
    observer.filterBy = #Predicate { $0.number > 1 }
    try await mirror.follow()
    #expect(mirror.shown.count == 3 && !mirror.last.reloadsAll)
  }

  @Test("has the rows of commits that were made while it was being prepared")
  func racingCommits() throws {
    let liveFetch = try LiveFetch<Invoice, Never>(
      FetchDescriptor(sortBy: [SortDescriptor(\.number)]), nil, isEager: false,
      ModelContext(container))
    let earlier = try FetchedResults(liveFetch)
    try invoice(1, in: writer).amount = 1
    try writer.save()
    let followed = try FetchedResults(liveFetch, after: earlier)
    let late = try invoice(3, in: writer)
    late.amount = 1
    try writer.save()
    let newer = try FetchedResults(liveFetch, after: earlier)
    let number = try #require(followed.position).transaction
    let last = try #require(newer.position).transaction
    let change = try newer.written(since: earlier, after: number)
    #expect(!change.isReload)
    #expect(change.written.map(liveFetch.keys.identifier(of:)) == [late.persistentModelID])
    let rest = try newer.written(since: earlier, after: last)
    #expect(!rest.isReload && rest.written.isEmpty)
  }

  // MARK: - Models

  @Test(
    "or a commit exchanges the model of a row that was deleted and stored again",
    arguments: Form.allCases, [true, false])
  func restoredRows(form: Form, merges: Bool) async throws {
    let context = ModelContext(container)
    context.mergesChangesAutomatically = merges
    let observer = try observe(form, context)
    var mirror = try await LiveResultsTests.Mirror(observer.differences())
    let others = Array(observer.results).filter { $0.number != 1 }
    let gone = try #require(observer.results.first { $0.number == 1 })
    let old = observer.results
    // Edited before the deletion, so that the save brings the row back.
    writer.mergePolicy = .propertyObjectTrump
    try invoice(1, in: writer).customer = "Ann"
    context.delete(gone)
    try context.save()
    try writer.save()
    let model = try #require(observer.results.first { $0.number == 1 })
    #expect(model !== gone && gone.isDeleted)
    #expect(!model.isDeleted && model.customer == "Ann")
    #expect(try invoice(1, in: context) === model)
    // Only this model is another one, and a reference to earlier results stays unchanged.
    #expect(old.contains { $0 === gone })
    let kept = observer.results.filter { $0.number != 1 }
    #expect(kept.count == others.count && zip(kept, others).allSatisfy { $0 === $1 })
    try await mirror.follow()
    #expect(mirror.last.changed.map(\.id) == [model.persistentModelID])
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
  }

  @Test("exchanges such a model of a class with subclasses, too", arguments: [true, false])
  func restoredTrucks(merges: Bool) throws {
    let container = try memoryContainer(Garage.self, Truck.self)
    let writer = ModelContext(container)
    let edited = Truck(plate: "1", load: 1)
    writer.insert(edited)
    try writer.save()
    let context = ModelContext(container)
    context.mergesChangesAutomatically = merges
    let observer = try ResultsObserver<Vehicle, Never>(modelContext: context, isolation: nil)
    let gone = try #require(observer.results.first)
    writer.mergePolicy = .propertyObjectTrump
    edited.load = 9
    context.delete(gone)
    try context.save()
    try writer.save()
    let model = try #require(observer.results.first as? Truck)
    #expect(model !== gone && gone.isDeleted)
    #expect(!model.isDeleted && model.load == 9)
  }

  @Test("with an equal result is followed by models that stay up to date")
  func equalResults() throws {
    let context = ModelContext(container)
    context.mergesChangesAutomatically = false
    let observer = try observe(.window, context)
    writer.insert(Invoice(9))
    try writer.save()
    let first = Array(observer.results)
    #expect(first.map(\.amount) == [0, 0, 0])
    try invoice(1, in: writer).amount = 7
    try writer.save()
    #expect(observer.results.map(\.amount) == [0, 7, 0])
    #expect(zip(first, observer.results).allSatisfy { $0 === $1 })
  }

  @Test("with an equal result leaves assigned results as they are")
  func assignedResults() throws {
    let observer = try observe(.window, ModelContext(container))
    observer.results = try observe(.byNumber, ModelContext(container)).results
    writer.insert(Invoice(9))
    try writer.save()
    #expect(observer.results.count == 5)
    writer.delete(try invoice(0, in: writer))
    try writer.save()
    #expect(observer.results.map(\.number) == [1, 2, 3])
  }
}
