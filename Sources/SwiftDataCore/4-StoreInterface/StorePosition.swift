/// The position up to which a store's commits are known in this process: enough to detect new ones.
package struct StorePosition: Sendable, Equatable {
  /// Grows with every commit that this process learns of.
  package var generation: UInt64
  /// The number of the last transaction that this process knows of.
  package var transaction: Int64
  /// The number of commits that aren't in the history.
  package var unrecorded: UInt64

  package init(generation: UInt64, transaction: Int64, unrecorded: UInt64) {
    self.generation = generation
    self.transaction = transaction
    self.unrecorded = unrecorded
  }
}

/// Rows of one class with consecutive IDs, and their change in one transaction.
package struct ChangedRows: Sendable {
  package let transaction: Int64
  package let plan: EntityPlan
  package let rowIDs: ClosedRange<Int64>
  /// The positions of the changed properties; nil when the rows were inserted or deleted.
  package let properties: [Int]?

  package init(
    transaction: Int64, plan: EntityPlan, rowIDs: ClosedRange<Int64>, properties: [Int]?
  ) {
    self.transaction = transaction
    self.plan = plan
    self.rowIDs = rowIDs
    self.properties = properties
  }
}
