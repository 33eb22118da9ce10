/// The number of rows per outcome.
package struct WriteSummary: Sendable, Hashable {
  package private(set) var inserted = 0
  package private(set) var updated = 0
  package private(set) var unchanged = 0

  package init() {}

  package mutating func count(_ outcome: WriteOutcome) {
    switch outcome {
    case .inserted: inserted += 1
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .refused: break
    }
  }
}
