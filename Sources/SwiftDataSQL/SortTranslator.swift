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
  private let changed: Set<ObjectIdentifier>

  /// - Parameters:
  ///   - plan: The plan of the fetched entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - changed: Model types with unsaved changes, by whose rows nothing is sorted.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], changed: Set<ObjectIdentifier> = []
  ) {
    names = EntityNames.names(of: plan)
    self.plans = plans
    self.changed = changed
  }

  package func translate<Model: PersistentModel>(
    _ sort: [SortDescriptor<Model>]
  ) throws -> TranslatedOrder {
    if sort.isEmpty { return TranslatedOrder(terms: nil, isExact: true) }
    var terms = SQLFragment("")
    for descriptor in sort {
      if descriptor.keyPath == \Model.persistentModelID {
        if !terms.sql.isEmpty { terms.append(", ") }
        terms.append("t0.\"_id\"" + (descriptor.order == .reverse ? " DESC" : ""))
        continue
      }
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
    let model = ModelReference(names, row: "t0")
    if let index = names.plan.property(for: keyPath) {
      let property = names.plan.properties[index]
      guard case .scalar = property.shape, property.storage.isComparable else { return nil }
      return scalar(property, of: model)
    }
    do {
      return try member(keyPath, of: model)
    } catch {
      return nil  // The rows are sorted in memory then, which the answer says.
    }
  }

  private func scalar(_ property: PropertyPlan, of model: ModelReference) -> Term {
    let column = property.columns.lowerBound
    return Term(
      model.column(column), model.names.kinds[column],
      isOptional: model.isOptional || property.isOptional)
  }

  /// The value behind a key path of two or more steps: through structures and through relationships
  /// to one.
  private func member(
    _ keyPath: AnyKeyPath, of model: ModelReference
  ) throws(Untranslatable) -> Term? {
    let type = Swift.type(of: keyPath).valueType
    for property in model.names.plan.properties where property.storage.isComparable {
      switch property.shape {
      case .composite:
        guard let members = KeyPathNames.names(of: keyPath, below: property.keyPath) else {
          continue
        }
        return try self.member(members, of: property, in: model, type)
      case .toOne:
        guard let rest = KeyPathNames.text(of: keyPath, below: property.keyPath) else { continue }
        return try value(at: rest, behind: property, of: model, type)
      case .scalar, .json, .toMany: continue
      }
    }
    return nil
  }

  private func member(
    _ members: [String], of property: PropertyPlan, in model: ModelReference, _ type: any Any.Type
  ) throws(Untranslatable) -> Term? {
    let column = model.names.plan.columns[property.columns.lowerBound]
    let composite = CompositeReference(
      model: model, property: column.property, members: [], isOptional: false)
    guard case .term(let term) = try composite.member(members, type: type) else { return nil }
    return term
  }

  /// - Parameter path: The steps after the relationship, as key paths describe them.
  private func value(
    at path: Substring, behind property: PropertyPlan, of model: ModelReference,
    _ type: any Any.Type
  ) throws(Untranslatable) -> Term? {
    let translation = Translation(
      names: names, plans: plans, storeIdentifier: nil, changed: changed,
      root: PredicateExpressions.Variable<Bool>().key)
    let destination = try model.destination(of: property, in: translation)
    for next in destination.names.plan.properties where next.storage.isComparable {
      switch next.shape {
      case .scalar:
        guard KeyPathNames.steps(of: next.keyPath) == path else { continue }
        return scalar(next, of: destination)
      case .composite:
        guard let members = KeyPathNames.names(in: path, below: next.keyPath) else { continue }
        return try member(members, of: next, in: destination, type)
      case .toOne:
        guard let rest = KeyPathNames.text(in: path, below: next.keyPath) else { continue }
        return try value(at: rest, behind: next, of: destination, type)
      case .json, .toMany: continue
      }
    }
    return nil
  }
}
