import Synchronization

/// Counts the models that one kind of work examines, for tests of the cost of many operations.
package final class WorkCounter: Sendable {
  package enum Kind: Sendable {
    /// Models without a context that an insertion visits, because they had been related to inserted ones.
    case detachedModels
    /// Models that a save searches for links to deleted ones.
    case linkOwners
    /// Models in the undo records of ordered lists.
    case undoneOrder
  }

  /// The count of the operations that this task calls; nil outside of tests.
  @TaskLocal package static var current: WorkCounter?

  private let kind: Kind
  private let sum = Atomic<Int>(0)

  package init(of kind: Kind) { self.kind = kind }

  package var models: Int { sum.load(ordering: .relaxed) }

  static func add(_ models: Int, to kind: Kind) {
    guard let current, current.kind == kind else { return }
    current.sum.wrappingAdd(models, ordering: .relaxed)
  }
}
