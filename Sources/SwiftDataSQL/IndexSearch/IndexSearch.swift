import Foundation
import SwiftDataCore

/// Finds the conjuncts of a predicate that an index over several columns or over texts can answer beforehand.
///
/// The resulting conditions hold for every row that the predicate selects, and for others: they are added to the
/// predicate's own condition, and change only the speed.
package struct IndexSearch: Sendable {
  private let plan: EntityPlan
  private let plans: [ObjectIdentifier: EntityPlan]
  private let dialect: any SQLDialect

  /// - Parameters:
  ///   - plan: The plan of the fetched entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - dialect: The database's SQL.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) {
    self.plan = plan
    self.plans = plans
    self.dialect = dialect
  }

  /// - Returns: Queries for row IDs. Each of them returns all rows that the predicate selects.
  package func queries(for predicate: LoweredPredicate) -> [SQLFragment] {
    let textColumns = SearchTables.textColumns(of: plan)
    guard dialect.features.hasSearchTables,
      !plan.spatialIndices.isEmpty || !textColumns.isEmpty
    else { return [] }
    let names = EntityNames.names(of: plan)
    var conjuncts = Conjuncts(
      names: names,
      translation: Translation(
        names: names, plans: plans, storeIdentifier: nil, changed: [],
        root: predicate.variable, dialect: dialect))
    conjuncts.record(predicate.node)
    return plan.spatialIndices.compactMap { box($0, conjuncts.bounds) }
      + conjuncts.searches.compactMap { search in
        textColumns.contains(search.column) ? texts(search.column, search.part) : nil
      }
  }

  /// The rows whose point is in the box; nil unless every column has a bound.
  private func box(_ columns: [Int], _ bounds: [Int: Bounds]) -> SQLFragment? {
    var box: [Bounds] = []
    for column in columns {
      // A comparison with an optional value isn't always false when the value is nil.
      guard let bound = bounds[column], !plan.columns[column].isOptional else { return nil }
      box.append(bound)
    }
    return dialect.rows(of: plan, columns, within: box)
  }

  /// The rows that may contain `part`; nil when no index helps.
  private func texts(_ column: Int, _ part: String) -> SQLFragment? {
    guard !plan.columns[column].isOptional else { return nil }
    return dialect.rows(of: plan, column, containing: part)
  }
}

/// The bounds a number is compared with, both inclusive.
package struct Bounds: Sendable {
  package var lower: Double?
  package var upper: Double?

  package init(lower: Double? = nil, upper: Double? = nil) {
    self.lower = lower
    self.upper = upper
  }
}

/// The conditions that the conjuncts of a predicate place on columns of the fetched entity.
struct Conjuncts {
  let names: EntityNames
  var translation: Translation
  /// The bounds by column position.
  var bounds: [Int: Bounds] = [:]
  var searches: [(column: Int, part: String)] = []

  func operand(_ node: PredicateNode) -> Operand? {
    var translation = translation
    do { return try translation.operand(node) } catch {
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
