import SwiftDataCore
import Testing

/// A store with the required interface only.
private class PlainStore: RowStore, @unchecked Sendable {
  // Unchecked: nothing in it changes.
  let identifier = "plain"
  let configurationName = "plain"
  let plans: [EntityPlan] = []
  let commits = StoreCommits()

  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery {
    throw DataStoreError.unsupportedFeature
  }

  func prepare(rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?) throws -> StoreQuery {
    throw DataStoreError.unsupportedFeature
  }

  func forEachRow(of query: StoreQuery, _ body: (UInt64, RowView) throws -> Void) throws {}
  func rowIDs(of query: StoreQuery) throws -> [Int64] { [] }
  func count(of query: StoreQuery) throws -> Int { 0 }

  func withRow(
    _ rowID: Int64, of plan: EntityPlan, _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool { false }

  func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, RowView) throws -> Void
  ) throws {}

  func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome { StoreSaveOutcome(insertions: [], generation: 0) }

  func erase() throws {}
}

/// A store that counts the contexts which use it, and that can prepare saves.
private final class CountingStore: PlainStore, EditingStateTracking, PreparedSaving,
  @unchecked Sendable
{
  // Unchecked: one test at a time uses it.
  nonisolated(unsafe) var contexts = 0
  var jointSaveIdentifier: String? { identifier }

  func initializeState(for editingState: EditingState) { contexts += 1 }
  func invalidateState(for editingState: EditingState) { contexts -= 1 }
}

@Suite("Capabilities of stores") struct StoreCapabilitiesTests {
  @Test("A store with the required interface only has none") func requiredOnly() {
    let found = StoreCapabilities(PlainStore())
    #expect(found.queryReuse == nil)
    #expect(found.snapshots == nil)
    #expect(found.aggregates == nil)
    #expect(found.explanations == nil)
    #expect(found.rowIDs == nil)
    #expect(found.wholeModels == nil)
    #expect(found.editingStates == nil)
    #expect(!found.deletesByPredicate)
    #expect(found.preparedSaves == nil)
    #expect(found.commitTracking == nil)
    #expect(found.readTransactions == nil)
    #expect(found.history == nil && found.numberedHistory == nil && found.recordedHistory == nil)
    #expect(!found.hasRelationships)
  }

  @Test("A container finds those of each store, in order") func order() {
    let core = ContainerCore(
      schema: Schema(), stores: [PlainStore(), CountingStore()], ownsStores: false)
    #expect(core.capabilities.map { $0.store === core.stores[0] } == [true, false])
    #expect(core.capabilities.map { $0.preparedSaves != nil } == [false, true])
    #expect(core.capabilities.map { $0.editingStates != nil } == [false, true])
  }

  @Test("Only stores that keep a state for contexts are told of them") func editingStates() {
    let store = CountingStore()
    do {
      let container = ModelContainer(
        schema: Schema(), migrationPlan: nil, stores: [PlainStore(), store])
      let context = ModelContext(container)
      #expect(store.contexts == 1)
      withExtendedLifetime(context) {}
    }
    #expect(store.contexts == 0)
  }

  @Test("Without a recorded history there are neither tokens nor consumers") func noHistory() throws
  {
    let container = ModelContainer(schema: Schema(), migrationPlan: nil, stores: [PlainStore()])
    #expect(try container.currentHistoryToken() == nil)
    #expect(try container.historyConsumers().isEmpty)
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.registerHistoryConsumer("reader")
    }
  }
}
