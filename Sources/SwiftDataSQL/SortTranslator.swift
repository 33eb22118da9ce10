import Foundation
import SwiftDataCore

/// What became of a list of sort descriptors.
package struct TranslatedOrder: Sendable {
  /// The terms of ORDER BY on the table under the alias `t0`; nil: no order is asked for or none is
  /// exact.
  package let terms: SQLFragment?
  /// Whether the terms are the whole order. Otherwise rows must be sorted in memory.
  package let isExact: Bool
}

/// Turns sort descriptors on one entity into terms of ORDER BY.
///
/// nil comes first in ascending order, as with Foundation's descriptors; texts are in the order of
/// `localizedStandard` unless the descriptor says `.lexical`.
package struct SortTranslator: Sendable {
  private let names: EntityNames
  private let plans: [ObjectIdentifier: EntityPlan]

  package init(plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan]) {
    names = EntityNames.names(of: plan)
    self.plans = plans
  }

  package func translate<Model: PersistentModel>(
    _ sort: [SortDescriptor<Model>]
  ) throws -> TranslatedOrder {
    if sort.isEmpty { return TranslatedOrder(terms: nil, isExact: true) }
    var terms = SQLFragment("")
    for descriptor in sort {
      guard let keyPath = descriptor.keyPath, let term = term(keyPath),
        let collation = collation(of: term.kind, descriptor.stringComparator)
      else { return TranslatedOrder(terms: nil, isExact: false) }
      if !terms.sql.isEmpty { terms.append(", ") }
      terms.append(term.fragment)
      terms.append(collation)
      if descriptor.order == .reverse { terms.append(" DESC") }
    }
    return TranslatedOrder(terms: terms, isExact: true)
  }

  private func collation(of kind: TermKind, _ comparator: String.StandardComparator?) -> String? {
    if kind.isEnumeration || kind.isRawValue { return nil }
    switch kind.encoding {
    case .text: return StringOrder(comparator).map { " COLLATE " + $0.collation }
    case .decimal: return " COLLATE OSD_DECIMAL"
    case .integer, .unsigned, .date, .real, .uuid: return ""
    case .boolean, .data, .url, .json, .reference, .presence: return nil
    }
  }

  private func term(_ keyPath: AnyKeyPath) -> Term? {
    let model = ModelReference(
      names: names, rowID: SQLFragment("t0.\"_id\""), depth: 0, isOptional: false)
    if let index = names.plan.property(for: keyPath) {
      let property = names.plan.properties[index]
      guard case .scalar = property.shape, property.storage.isComparable else { return nil }
      let column = property.columns.lowerBound
      return Term(model.column(column), names.kinds[column], isOptional: property.isOptional)
    }
    let type = Swift.type(of: keyPath).valueType
    for property in names.plan.properties {
      guard case .composite = property.shape, property.storage.isComparable,
        let members = KeyPathNames.names(of: keyPath, below: property.keyPath)
      else { continue }
      let first = property.columns.lowerBound
      let composite = CompositeReference(
        model: model, property: names.plan.columns[first].property, members: [], isOptional: false)
      guard case .term(let term)? = try? composite.member(members, type: type) else { return nil }
      return term
    }
    return nil
  }
}
