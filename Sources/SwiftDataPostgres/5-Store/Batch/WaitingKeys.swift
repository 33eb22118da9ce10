import SwiftDataCore

/// The unique values of the rows of a batch that wait to be written together, by their hashes. Different values with
/// one hash count as equal, which only makes the rows be written in two steps.
struct WaitingKeys {
  /// The columns of each uniqueness constraint.
  private let constraints: [[Int]]
  /// The hashes of the values of each constraint.
  private var hashes: [Set<Int>]

  init(_ plan: EntityPlan) {
    constraints = plan.uniqueness
    hashes = Array(repeating: [], count: plan.uniqueness.count)
  }

  /// Adds the values of a row, unless another row has some of them. NULL is equal to nothing.
  ///
  /// - Returns: Whether they were added.
  mutating func insert(_ row: _RowWriter) -> Bool {
    for place in constraints.indices {
      guard let hash = Self.hash(of: row, constraints[place]),
        !hashes[place].insert(hash).inserted
      else { continue }
      for earlier in 0..<place {
        if let hash = Self.hash(of: row, constraints[earlier]) { hashes[earlier].remove(hash) }
      }
      return false
    }
    return true
  }

  mutating func removeAll() {
    for place in hashes.indices { hashes[place].removeAll(keepingCapacity: true) }
  }

  /// The hash of a row's values; nil where one of them is NULL.
  private static func hash(of row: _RowWriter, _ columns: [Int]) -> Int? {
    var hasher = Hasher()
    for column in columns {
      let cell = row.cells[column]
      switch cell.kind {
      case .null: return nil
      case .integer: hasher.combine(cell.bits)
      case .real:
        // -0 and 0 are one value for an index.
        hasher.combine(Double(bitPattern: UInt64(bitPattern: cell.bits)))
      case .text, .blob:
        hasher.combine(cell.count)
        row.arena.withUnsafeBytes { arena in
          let start = Int(cell.bits)
          hasher.combine(bytes: .init(rebasing: arena[start..<start + cell.count]))
        }
      }
    }
    return hasher.finalize()
  }
}
