/// The outcome of writing one row: the only type in which saves, batches, imports and a synchronization's arrivals
/// report it. Several outcomes are in the order in which the rows were passed.
///
/// The ID of a row that existed is 0 when the writer wasn't asked for it.
package enum WriteOutcome: Sendable {
  /// No row had the unique values, and one was inserted.
  case inserted(Int64)
  /// The row with the unique values had other values, and has the new ones now.
  case updated(Int64)
  /// The row with the unique values was equal, or is left alone; nothing was written.
  case unchanged(Int64)
  /// The row can't be written; the transaction can continue without it.
  case refused(any Error)

  /// Whether a row was inserted.
  @inlinable package var isInserted: Bool {
    if case .inserted = self { true } else { false }
  }

  /// The row's ID.
  ///
  /// - Throws: The error of a refused row.
  @inlinable
  package func rowID() throws -> Int64 {
    switch self {
    case .inserted(let rowID), .updated(let rowID), .unchanged(let rowID): return rowID
    case .refused(let error): throw error
    }
  }
}

extension [WriteOutcome] {
  /// Throws the error of the first row that was refused.
  @inlinable
  package func requireNoRefusal() throws {
    for case .refused(let error) in self { throw error }
  }
}
