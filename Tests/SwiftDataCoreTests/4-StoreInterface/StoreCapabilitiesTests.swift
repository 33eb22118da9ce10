import SwiftDataCore
import Testing

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
    #expect(found.exclusiveUse == nil)
    #expect(found.commitTracking == nil)
    #expect(found.readTransactions == nil)
    #expect(found.keyedRows == nil)
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
