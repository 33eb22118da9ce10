import Foundation
import SwiftDataCore

/// The translation of a list of sort descriptors.
package struct TranslatedOrder: Sendable {
  /// The terms of ORDER BY on the table under the alias `t0`; nil when there are no descriptors or
  /// the order can't be translated.
  package let terms: SQLFragment?
  /// Whether the terms are the whole order. Otherwise rows must be sorted in memory.
  package var isExact: Bool { reason == nil }
  /// The reason for sorting rows in memory; nil when the terms are the whole order.
  package let reason: String?
}

/// Turns sort descriptors on one entity into terms of ORDER BY.
///
/// nil comes first in ascending order, as with Foundation's descriptors; strings are sorted by
/// `localizedStandard` unless the descriptor says `.lexical`.
package struct SortTranslator: Sendable {
  private let paths: KeyPathTerms
  private let dialect: any SQLDialect

  /// - Parameters:
  ///   - plan: The plan of the fetched entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - changed: Model types with unsaved changes, whose rows can't be used for sorting.
  ///   - dialect: The database's SQL.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], changed: Set<ObjectIdentifier> = [],
    dialect: any SQLDialect
  ) {
    paths = KeyPathTerms(
      plan: plan, plans: plans, changed: changed, allowsForced: true, dialect: dialect)
    self.dialect = dialect
  }

  package func translate<Model: PersistentModel>(
    _ sort: [SortDescriptor<Model>]
  ) throws -> TranslatedOrder {
    var terms = SQLFragment("")
    for descriptor in sort {
      if !terms.sql.isEmpty { terms.append(", ") }
      do {
        try append(descriptor, to: &terms)
      } catch {
        return TranslatedOrder(terms: nil, reason: error.reason)
      }
    }
    return TranslatedOrder(terms: sort.isEmpty ? nil : terms, reason: nil)
  }

  private func append<Model: PersistentModel>(
    _ descriptor: SortDescriptor<Model>, to terms: inout SQLFragment
  ) throws(Untranslatable) {
    let isDescending = descriptor.order == .reverse
    if descriptor.keyPath == \Model.persistentModelID {
      terms.append("t0.\(SQLIdentifier.rowID)")
      if isDescending { terms.append(" DESC") }
      return
    }
    guard let keyPath = descriptor.keyPath else {
      throw Untranslatable("a sort descriptor has no key path")
    }
    let term = try paths.term(keyPath)
    guard let collation = collation(of: term.kind, descriptor.stringComparator),
      let ordered = dialect.orderTerm(term.fragment, by: collation, isDescending: isDescending)
    else {
      throw Untranslatable("the order of \(KeyPathName.path(keyPath)) is known to Swift only")
    }
    terms.append(ordered)
  }

  private func collation(
    of kind: TermKind, _ comparator: String.StandardComparator?
  ) -> SQLCollation? {
    guard kind.isOrdered else { return nil }
    if kind.encoding == .text { return StringOrder(comparator).map { .text($0) } }
    return kind.collation
  }
}
