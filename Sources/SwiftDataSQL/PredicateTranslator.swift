import Foundation
import SwiftDataCore

/// The translation of a predicate.
package struct TranslatedPredicate: Sendable {
  /// The condition on rows of the table under the alias `t0`; nil for all rows.
  package let condition: SQLFragment?
  /// Whether the condition is the whole predicate. Otherwise it holds for more rows, each of which must also pass
  /// `predicate.evaluate`.
  package let isExact: Bool
  /// The parts left out of the condition, with the reason: one sentence per part.
  package let reasons: [String]
}

/// Turns predicates on one entity into SQL that gives the same result as `predicate.evaluate`.
///
/// No truth value in the SQL is NULL.
package struct PredicateTranslator: Sendable {
  private let names: EntityNames
  private let plans: [ObjectIdentifier: EntityPlan]
  private let storeIdentifier: String?
  private let changed: Set<ObjectIdentifier>
  private let dialect: any SQLDialect

  /// - Parameters:
  ///   - plan: The plan of the fetched entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - storeIdentifier: The store that the SQL is for: identifiers of other stores match no row. With nil, the caller
  ///     checks that.
  ///   - changed: Model types with unsaved changes: the rows don't contain what a predicate tests about them through a
  ///     relationship, so these parts are evaluated in memory.
  ///   - dialect: The database's SQL.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], storeIdentifier: String? = nil,
    changed: Set<ObjectIdentifier> = [], dialect: any SQLDialect
  ) {
    names = EntityNames.names(of: plan)
    self.plans = plans
    self.storeIdentifier = storeIdentifier
    self.changed = changed
    self.dialect = dialect
  }

  package func translate(_ predicate: LoweredPredicate) -> TranslatedPredicate {
    var translation = Translation(
      names: names, plans: plans, storeIdentifier: storeIdentifier, changed: changed,
      root: predicate.variable, dialect: dialect)
    do {
      let condition = try translation.condition(predicate.node)
      return TranslatedPredicate(
        condition: condition.constant == true ? nil : condition.fragment,
        isExact: translation.reasons.isEmpty, reasons: translation.reasons)
    } catch {
      return TranslatedPredicate(condition: nil, isExact: false, reasons: [error.reason])
    }
  }
}
