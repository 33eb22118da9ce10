import SwiftData
import SwiftDataCore
import TestSupport
import Testing

@Suite("Capabilities of custom stores") struct AdapterCapabilitiesTests {
  private let schema = Schema([Note.self])

  @Test("A store without a history and without batches has neither") func plain() throws {
    let folder = try TemporaryFolder()
    let found = StoreCapabilities(
      try CustomStoreAdapter<JSONFileStore>(
        JSONFileConfiguration(name: "j", fileURL: folder.newFile("json")), schema: schema,
        migrationPlan: nil))
    #expect(found.wholeModels != nil && found.editingStates != nil)
    #expect(found.history == nil && found.recordedHistory == nil)
    #expect(!found.deletesByPredicate)
    #expect(found.rowIDs == nil && found.commitTracking == nil && found.preparedSaves == nil)
    #expect(found.exclusiveUse != nil)
  }

  @Test("A store with a history and batches has both") func historyAndBatches() throws {
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    let found = StoreCapabilities(
      try CustomStoreAdapter<DefaultStore>(configuration, schema: schema, migrationPlan: nil))
    #expect(found.history != nil && found.recordedHistory != nil)
    #expect(found.deletesByPredicate)
    // The adapter uses the public interface only, which has no numbers.
    #expect(found.numberedHistory == nil)
  }
}
