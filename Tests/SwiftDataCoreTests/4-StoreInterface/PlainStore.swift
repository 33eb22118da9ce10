import SwiftDataCore

/// A store with the required interface only.
class PlainStore: RowStore, @unchecked Sendable {
  // Unchecked: nothing in it changes.
  let identifier = "plain"
  let configurationName = "plain"
  let plans: [EntityPlan]
  let commits = StoreCommits()

  init(_ plans: [EntityPlan] = []) { self.plans = plans }

  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery {
    throw DataStoreError.unsupportedFeature
  }

  func prepare(rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?) throws -> StoreQuery {
    throw DataStoreError.unsupportedFeature
  }

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
