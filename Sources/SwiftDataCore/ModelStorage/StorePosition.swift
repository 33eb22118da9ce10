/// How far the commits of a store are known in this process: enough to tell that there is something new.
package struct StorePosition: Sendable, Equatable {
  /// Grows with every commit that this process learns of.
  package var generation: UInt64
  /// The number of the last transaction that this process knows of.
  package var transaction: Int64
  /// How often something was committed that isn't in the history.
  package var unrecorded: UInt64

  package init(generation: UInt64, transaction: Int64, unrecorded: UInt64) {
    self.generation = generation
    self.transaction = transaction
    self.unrecorded = unrecorded
  }
}

/// Rows of one class whose ids follow each other, and what one transaction did to them.
package struct ChangedRows: Sendable {
  package let transaction: Int64
  package let plan: EntityPlan
  package let rowIDs: ClosedRange<Int64>
  /// The positions of the properties with other values; nil when the rows came or went.
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
