import Foundation
import SwiftDataCore

/// Finds the conjuncts of a predicate that an R*Tree or a text index can answer beforehand.
///
/// The resulting conditions hold for every row that the predicate selects, and for others: they are added to the
/// predicate's own condition, and change only the speed.
package struct IndexSearch: Sendable {
  private let plan: EntityPlan
  private let plans: [ObjectIdentifier: EntityPlan]

  /// - Parameters:
  ///   - plan: The plan of the fetched entity.
  ///   - plans: The plans of the whole schema, by model type.
  package init(plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan]) {
    self.plan = plan
    self.plans = plans
  }

  /// - Returns: Queries for row IDs. Each of them returns all rows that the predicate selects.
  package func queries<Model: PersistentModel>(
    for predicate: Predicate<Model>
  ) -> [SQLFragment] {
    let textColumns = SearchTables.textColumns(of: plan)
    guard !plan.spatialIndices.isEmpty || !textColumns.isEmpty,
      let root = predicate.expression as? any Conjunct
    else { return [] }
    let names = EntityNames.names(of: plan)
    var conjuncts = Conjuncts(
      names: names,
      translation: Translation(
        names: names, plans: plans, storeIdentifier: nil, changed: [],
        root: predicate.variable.key))
    root.record(in: &conjuncts)
    return plan.spatialIndices.compactMap { box($0, conjuncts.bounds) }
      + conjuncts.searches.compactMap { search in
        textColumns.contains(search.column) ? trigrams(search.column, search.part) : nil
      }
  }

  /// The rows whose point is in the box; nil unless every column has a bound.
  private func box(_ columns: [Int], _ bounds: [Int: Bounds]) -> SQLFragment? {
    var terms: [String] = []
    var bindings: [SQLValue] = []
    for (dimension, column) in columns.enumerated() {
      // A comparison with an optional value isn't always false when the value is nil.
      guard let bound = bounds[column], !plan.columns[column].isOptional else { return nil }
      if let lower = bound.lower {
        terms.append("max\(dimension) >= ?")
        bindings.append(Self.coordinate(lower, towards: -1))
      }
      if let upper = bound.upper {
        terms.append("min\(dimension) <= ?")
        bindings.append(Self.coordinate(upper, towards: 1))
      }
    }
    let name = SQLIdentifier.quoted(SearchTables.rtreeName(plan, columns))
    return SQLFragment(
      "SELECT id FROM \(name) WHERE \(terms.joined(separator: " AND "))", bindings)
  }

  /// A bound as a coordinate, slightly wider than the number: SQLite's outward rounding to 32 bits doesn't move the
  /// smallest numbers (rtreeValueDown in rtree.c multiplies, which leaves denormal numbers unchanged).
  private static func coordinate(_ number: Double, towards sign: Double) -> SQLValue {
    let largest = SearchTables.largestCoordinate
    let bounded = min(max(number, -largest), largest)
    return .real(bounded + sign * (abs(bounded) * 0x1p-20 + 0x1p-120))
  }

  /// The rows that contain the trigrams covering `part`; nil for a part that has no trigram.
  private func trigrams(_ column: Int, _ part: String) -> SQLFragment? {
    guard !plan.columns[column].isOptional else { return nil }
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

/// The bounds a number is compared with, both inclusive.
struct Bounds {
  var lower: Double?
  var upper: Double?
}

/// The conditions that the conjuncts of a predicate place on columns of the fetched entity.
struct Conjuncts {
  let names: EntityNames
  var translation: Translation
  /// The bounds by column position.
  var bounds: [Int: Bounds] = [:]
  var searches: [(column: Int, part: String)] = []

  func operand(_ expression: some PredicateExpression) -> Operand? {
    var translation = translation
    do { return try translation.operand(expression) } catch {
      return nil  // An operand that SQL can't express isn't a bound.
    }
  }

  /// The position of the column that an operand consists of.
  func column(_ operand: Operand?) -> Int? {
    guard case .term(let term) = operand, term.isColumn else { return nil }
    return names.rootColumns.firstIndex(of: term.fragment.sql)
  }

  func number(_ operand: Operand?) -> Double? {
    guard case .constant(let value) = operand else { return nil }
    return Self.number(value)
  }

  static func number(_ value: Any) -> Double? {
    switch value {
    case let value as Double: value.isNaN ? nil : value
    case let value as Float: value.isNaN ? nil : Double(value)
    // Rounding preserves the order, so a bound holds for rounded numbers too.
    case let value as any BinaryInteger: Double(value)
    default: nil
    }
  }

  mutating func record(_ column: Int, lower: Double) {
    bounds[column, default: Bounds()].lower = max(bounds[column]?.lower ?? lower, lower)
  }

  mutating func record(_ column: Int, upper: Double) {
    bounds[column, default: Bounds()].upper = min(bounds[column]?.upper ?? upper, upper)
  }
}
