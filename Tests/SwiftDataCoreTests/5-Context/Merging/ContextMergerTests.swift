import Testing

@testable import SwiftDataCore

/// A store whose commits the test determines.
private final class TrackedStore: PlainStore, CommitTracking, @unchecked Sendable {
  // Unchecked: one test at a time uses it.
  var position = StorePosition(generation: 1, transaction: 0, unrecorded: 0)
  var changes: [ChangedRows] = []
  var failure: (any Error)?

  /// Adds a transaction by another writer, which inserts a row of each of some entities.
  func commit(_ transaction: Int64, _ plans: EntityPlan...) {
    position.generation += 1
    position.transaction = transaction
    changes += plans.map {
      ChangedRows(transaction: transaction, plan: $0, rowIDs: 1...1, properties: nil)
    }
  }

  func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    if let failure { throw failure }
    for change in changes where change.transaction > number { try body(change) }
    return position.transaction
  }

  func checkForCommits() throws {}
  func stopWatching() {}

  var recordsHistory: Bool { true }
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? { nil }
  func removeHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool { false }
  func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] { [] }
  func lastHistoryToken() throws -> (any HistoryToken)? {
    DefaultHistoryToken(store: identifier, transaction: position.transaction)
  }
  func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction] { [] }
  func historyConsumers() throws -> [StoredHistoryConsumer] { [] }
  func change(
    historyConsumer name: String, _ change: HistoryConsumerChange
  ) throws -> StoredHistoryConsumer? { nil }
}

@Suite("Commits that a context merges") struct ContextMergerTests {
  private static func plan(_ name: String, _ type: any PersistentModel.Type) -> EntityPlan {
    EntityPlan(name: name, type: type, properties: [], columns: [], uniqueness: [], indices: [])
  }

  private let books = Self.plan("Book", TestBook.self)
  private let authors = Self.plan("Author", TestAuthor.self)
  private let store: TrackedStore
  private let link: ContextLink
  private let merger: ContextMerger

  init() {
    store = TrackedStore([books, authors])
    let core = ContainerCore(schema: Schema(), stores: [PlainStore(), store], ownsStores: false)
    link = ContextLink(core: core)
    merger = ContextMerger(core)
  }

  private func outcome(_ transaction: Int64, generation: UInt64) -> StoreSaveOutcome {
    var outcome = StoreSaveOutcome(insertions: [], generation: generation)
    outcome.historyToken = DefaultHistoryToken(store: store.identifier, transaction: transaction)
    return outcome
  }

  @Test("Behind from a commit until its changes are taken") func following() {
    #expect(!merger.isBehind)
    store.commit(1, books)
    #expect(merger.isBehind)
    let (rows, failure) = merger.consumeChanges(in: link)
    #expect(rows.linked == ["Book"])
    #expect(failure == nil)
    #expect(!merger.isBehind)
    #expect(merger.consumeChanges(in: link).rows.isEmpty)
  }

  @Test("The context's own commit leaves it up to date") func ownCommit() {
    store.commit(1, books)
    merger.recordOwnTransaction(
      outcome(1, generation: store.position.generation), in: store)
    #expect(!merger.isBehind)
  }

  @Test("An own commit after another one is left out of the changes") func ownCommitAfterOthers() {
    store.commit(1, books)
    store.commit(2, authors)
    merger.recordOwnTransaction(
      outcome(2, generation: store.position.generation), in: store)
    #expect(merger.isBehind)
    #expect(merger.consumeChanges(in: link).rows.linked == ["Book"])
    #expect(!merger.isBehind)
  }

  @Test(
    "Where single changes aren't known, every entity may have changed", arguments: [true, false])
  func unknownChanges(isExpired: Bool) {
    store.commit(3, books)
    if isExpired {
      store.failure = SwiftDataError.historyTokenExpired
    } else {
      store.position.unrecorded += 1
    }
    let (rows, failure) = merger.consumeChanges(in: link)
    #expect(rows.linked == ["Book", "Author"])
    #expect(failure == nil)
    #expect(!merger.isBehind)
  }

  @Test("Changes that can't be read are found by a later call") func failure() {
    store.commit(1, books)
    store.failure = SwiftDataError.unknownSchema
    #expect(merger.consumeChanges(in: link).failure as? SwiftDataError == .unknownSchema)
    #expect(merger.isBehind)
    store.failure = nil
    #expect(merger.consumeChanges(in: link).rows.linked == ["Book"])
  }
}
