import Foundation
import SwiftDataCore

/// The translation of some aggregates.
package struct TranslatedAggregates: Sendable {
  /// The SELECT list: the key of the group, if there are groups, then one value per term.
  package let columns: SQLFragment
  /// The GROUP BY list; nil without groups.
  package let grouping: SQLFragment?
}

/// Turns aggregates of one entity into SQL over its table under the alias `t0`.
package struct AggregateTranslator: Sendable {
  /// The aggregate function that adds numbers as ``_NumberTotal`` does. Its result is
  /// ``_NumberTotal/encoded``.
  package static let totalFunction = "osd_total"

  private let plan: EntityPlan
  private let plans: [ObjectIdentifier: EntityPlan]
  private let changed: Set<ObjectIdentifier>

  /// - Parameters:
  ///   - plan: The plan of the entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - changed: Model types with unsaved changes, whose rows don't have the context's values.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], changed: Set<ObjectIdentifier>
  ) {
    self.plan = plan
    self.plans = plans
    self.changed = changed
  }

  /// - Throws: ``Untranslatable`` when the aggregates have to be computed from the models.
  package func translate(
    _ aggregation: StoreAggregation
  ) throws(Untranslatable) -> TranslatedAggregates {
    let paths = KeyPathTerms(plan: plan, plans: plans, changed: changed)
    var columns = SQLFragment("")
    var grouping: SQLFragment?
    if let keyPath = aggregation.groupedBy {
      let key = try paths.value(keyPath)
      columns.append(key.fragment)
      grouping = key.fragment.appending(try groupCollation(of: key.kind, keyPath))
    }
    for term in aggregation.terms {
      if !columns.sql.isEmpty { columns.append(", ") }
      columns.append(try column(term, paths))
    }
    return TranslatedAggregates(columns: columns, grouping: grouping)
  }

  private func column(
    _ aggregate: AggregateTerm, _ paths: KeyPathTerms
  ) throws(Untranslatable) -> SQLFragment {
    guard let keyPath = aggregate.keyPath else { return SQLFragment("count(*)") }
    if aggregate.function == .values {
      let term = try paths.value(keyPath)
      return term.fragment.enclosed("count(", ")")
    }
    let term = try paths.term(keyPath)
    guard aggregate.function == .total else {
      let collation = try order(of: term.kind, aggregate, keyPath)
      let function = aggregate.function == .minimum ? "min(" : "max("
      return term.fragment.enclosed(function, collation + ")")
    }
    guard term.kind.isNumber else {
      throw Untranslatable("\(KeyPathName.path(keyPath)) is no number in its column")
    }
    return term.fragment.enclosed(Self.totalFunction + "(", ")")
  }

  /// The collation with which SQLite finds the same extremes as Swift.
  private func order(
    of kind: TermKind, _ aggregate: AggregateTerm, _ keyPath: AnyKeyPath
  ) throws(Untranslatable) -> String {
    var kind = kind
    if aggregate.isByRawValue {
      kind.isEnumeration = false
      kind.isRawValue = false
    }
    guard kind.isOrdered else {
      throw Untranslatable("the order of \(KeyPathName.path(keyPath)) is known to Swift only")
    }
    switch kind.encoding {
    case .text: return " COLLATE OSD_UNICODE"
    case .decimal: return " COLLATE OSD_DECIMAL"
    default: return ""
    }
  }

  /// The collation with which SQLite finds the same keys equal as Swift.
  private func groupCollation(
    of kind: TermKind, _ keyPath: AnyKeyPath
  ) throws(Untranslatable) -> String {
    switch kind.encoding {
    case .text where !kind.isEnumeration: return " COLLATE OSD_UNICODE"
    case .decimal: return " COLLATE OSD_DECIMAL"
    case .text, .integer, .unsigned, .real, .date, .boolean, .data, .uuid, .url, .reference:
      return ""
    case .json, .presence:
      throw Untranslatable("\(KeyPathName.path(keyPath)) is compared in memory only")
    }
  }
}
