import Foundation
import SwiftDataCore

/// The translation of some aggregates.
package struct TranslatedAggregates: Sendable {
  /// The SELECT list: the key of the group, if there are groups, then one value per term.
  package let columns: SQLFragment
  /// The kinds of the values in the list that are values of properties; nil for counts and totals.
  package let kinds: [ColumnKind?]
  /// The GROUP BY list; nil without groups.
  package let grouping: SQLFragment?
}

/// Turns aggregates of one entity into SQL over its table under the alias `t0`.
package struct AggregateTranslator: Sendable {
  private let plan: EntityPlan
  private let plans: [ObjectIdentifier: EntityPlan]
  private let changed: Set<ObjectIdentifier>
  private let dialect: any SQLDialect

  /// - Parameters:
  ///   - plan: The plan of the entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - changed: Model types with unsaved changes, whose rows don't have the context's values.
  ///   - dialect: The database's SQL.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], changed: Set<ObjectIdentifier>,
    dialect: any SQLDialect
  ) {
    self.plan = plan
    self.plans = plans
    self.changed = changed
    self.dialect = dialect
  }

  /// - Throws: ``Untranslatable`` when the aggregates have to be computed from the models.
  package func translate(
    _ aggregation: StoreAggregation
  ) throws(Untranslatable) -> TranslatedAggregates {
    let paths = KeyPathTerms(plan: plan, plans: plans, changed: changed, dialect: dialect)
    var columns = SQLFragment("")
    var kinds: [ColumnKind?] = []
    var grouping: SQLFragment?
    if let keyPath = aggregation.groupedBy {
      let key = try paths.value(keyPath)
      let collation = collation(of: key)
      kinds.append(key.kind.encoding)
      columns.append(dialect.groupKey(key.fragment, by: collation))
      grouping = try group(key, collation, keyPath)
    }
    for term in aggregation.terms {
      if !columns.sql.isEmpty { columns.append(", ") }
      columns.append(try column(term, paths))
      kinds.append(try kind(of: term, paths))
    }
    return TranslatedAggregates(columns: columns, kinds: kinds, grouping: grouping)
  }

  private func kind(
    of aggregate: AggregateTerm, _ paths: KeyPathTerms
  ) throws(Untranslatable) -> ColumnKind? {
    switch aggregate.function {
    case .models, .values, .total: return nil
    case .minimum, .maximum:
      guard let keyPath = aggregate.keyPath else { return nil }
      return try paths.term(keyPath).kind.encoding
    }
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
      return try extreme(term, aggregate, keyPath)
    }
    guard term.kind.isNumber else {
      throw Untranslatable("\(KeyPathName.path(keyPath)) is no number in its column")
    }
    guard let total = dialect.total(term.fragment, of: term.kind.encoding) else {
      throw Untranslatable("the database doesn't add numbers as Swift does")
    }
    return total
  }

  /// The least or greatest value in the order of Swift.
  private func extreme(
    _ term: Term, _ aggregate: AggregateTerm, _ keyPath: AnyKeyPath
  ) throws(Untranslatable) -> SQLFragment {
    var kind = term.kind
    if aggregate.isByRawValue {
      kind.isEnumeration = false
      kind.isRawValue = false
    }
    guard kind.isOrdered,
      let extreme = dialect.extreme(
        aggregate.function == .minimum ? .least : .greatest, of: term.fragment, by: kind.collation)
    else {
      throw Untranslatable("the order of \(KeyPathName.path(keyPath)) is known to Swift only")
    }
    return extreme
  }

  /// The equality of keys in Swift.
  private func collation(of key: Term) -> SQLCollation {
    switch key.kind.encoding {
    case .text where key.kind.isEnumeration: .stored
    case .text, .decimal: key.kind.collation
    case .integer, .unsigned, .real, .date, .boolean, .data, .uuid, .url, .reference, .json,
      .presence:
      .stored
    }
  }

  /// The groups of keys that are equal in Swift.
  private func group(
    _ key: Term, _ collation: SQLCollation, _ keyPath: AnyKeyPath
  ) throws(Untranslatable) -> SQLFragment {
    let isCompared = key.kind.encoding == .json || key.kind.encoding == .presence
    guard !isCompared, let group = dialect.groupTerm(key.fragment, by: collation) else {
      throw Untranslatable("\(KeyPathName.path(keyPath)) is compared in memory only")
    }
    return group
  }
}
