import SwiftData
import SwiftDataCore
import SwiftDataSQLite
import Testing

@Suite("Capabilities of the SQLite store") struct SQLiteStoreCapabilitiesTests {
  @Test("Every capability of a store with row IDs") func all() throws {
    let configuration = ModelConfiguration(schema: Schema(), isStoredInMemoryOnly: true)
    let found = StoreCapabilities(
      try configuration.makeRowStore(schema: Schema(), migrationPlan: nil))
    #expect(found.store is DefaultStore)
    #expect(found.queryReuse != nil)
    #expect(found.snapshots != nil)
    #expect(found.aggregates != nil)
    #expect(found.explanations != nil)
    #expect(found.rowIDs != nil)
    #expect(found.deletesByPredicate)
    #expect(found.preparedSaves != nil)
    #expect(found.commitTracking != nil)
    #expect(found.readTransactions != nil)
    #expect(found.keyedRows != nil)
    #expect(found.numberedHistory != nil && found.recordedHistory != nil)
    // Relationships are in the rows of one end, and no state is kept for a context.
    #expect(found.wholeModels == nil)
    #expect(found.editingStates == nil)
  }
}
