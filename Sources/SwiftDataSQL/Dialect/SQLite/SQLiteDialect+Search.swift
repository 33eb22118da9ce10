import SwiftDataCore

/// Searches in ``SearchTables``.
extension SQLiteDialect {
  package func rows(
    of plan: EntityPlan, _ columns: [Int], within bounds: [Bounds]
  ) -> SQLFragment? {
    var terms: [String] = []
    var bindings: [SQLValue] = []
    for (dimension, bound) in bounds.enumerated() {
      if let lower = bound.lower {
        terms.append("max\(dimension) >= ?")
        bindings.append(coordinate(lower, towards: -1))
      }
      if let upper = bound.upper {
        terms.append("min\(dimension) <= ?")
        bindings.append(coordinate(upper, towards: 1))
      }
    }
    let name = SQLIdentifier.quoted(SearchTables.rtreeName(plan, columns))
    return SQLFragment(
      "SELECT id FROM \(name) WHERE \(terms.joined(separator: " AND "))", bindings)
  }

  /// A bound as a coordinate, slightly wider than the number: SQLite's outward rounding to 32 bits doesn't move the
  /// smallest numbers (rtreeValueDown in rtree.c multiplies, which leaves denormal numbers unchanged).
  private func coordinate(_ number: Double, towards sign: Double) -> SQLValue {
    let largest = SearchTables.largestCoordinate
    let bounded = min(max(number, -largest), largest)
    return .real(bounded + sign * (abs(bounded) * 0x1p-20 + 0x1p-120))
  }

  /// The rows that contain the trigrams covering `part`; nil for a part that has no trigram.
  package func rows(
    of plan: EntityPlan, _ column: Int, containing part: String
  ) -> SQLFragment? {
    let scalars = Array(PortableString.fold(part).unicodeScalars)
    guard scalars.count >= 3 else { return nil }
    var terms: [String] = []
    // Adjacent trigrams and the last one: each posting list is read completely, and the trigrams between these exclude
    // hardly any further rows.
    let last = scalars.count - 3
    for start in Array(stride(from: 0, to: last, by: 3)) + [last] {
      let trigram = scalars[start..<start + 3]
      // The query is a C string, which ends at a NUL.
      guard !trigram.contains("\0") else { continue }
      var text = ""
      for scalar in trigram {
        text.unicodeScalars.append(contentsOf: scalar == "\"" ? ["\"", "\""] : [scalar])
      }
      let term = "\"\(text)\""
      if !terms.contains(term) { terms.append(term) }
      // More trigrams than this make the search longer and the result hardly smaller.
      if terms.count == 16 { break }
    }
    guard !terms.isEmpty else { return nil }
    let name = SQLIdentifier.quoted(SearchTables.trigramsName(plan, column))
    return SQLFragment(
      "SELECT rowid FROM \(name) WHERE \(name) MATCH ?"
        + " UNION ALL \(SearchTables.staleRows(plan, column))",
      [.text(terms.joined(separator: " AND "))])
  }
}
