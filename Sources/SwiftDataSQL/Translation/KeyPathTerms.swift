import Foundation
import SwiftDataCore

/// Finds the SQL value of a key path from the fetched model: a property, a member of a structure in columns, and both
/// through to-one relationships.
struct KeyPathTerms {
  private let names: EntityNames
  private let plans: [ObjectIdentifier: EntityPlan]
  private let changed: Set<ObjectIdentifier>
  private let dialect: any SQLDialect
  /// Whether values that a key path unwraps by force may be nil, and the whole value is NULL then.
  private let allowsForced: Bool

  init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], changed: Set<ObjectIdentifier>,
    allowsForced: Bool = false, dialect: any SQLDialect
  ) {
    self.allowsForced = allowsForced
    names = EntityNames.names(of: plan)
    self.plans = plans
    self.changed = changed
    self.dialect = dialect
  }

  func term(_ keyPath: AnyKeyPath) throws(Untranslatable) -> Term {
    let model = ModelReference(names, row: "t0")
    if let index = names.plan.property(for: keyPath) {
      let property = names.plan.properties[index]
      if case .scalar = property.shape, property.storage.isComparable {
        return scalar(property, of: model)
      }
    } else if let term = try member(keyPath, of: model) {
      return term
    }
    throw Untranslatable("\(KeyPathName.path(keyPath)) is no value that a column holds as it is")
  }

  /// The row ID of a to-one relationship's destination; nil where `keyPath` is not such a relationship.
  func reference(_ keyPath: AnyKeyPath) throws(Untranslatable) -> Term? {
    guard let index = names.plan.property(for: keyPath),
      case .toOne = names.plan.properties[index].shape
    else { return nil }
    let model = ModelReference(names, row: "t0")
    return try model.destination(of: names.plan.properties[index], in: translation).identity
  }

  /// The value of a property or the row ID of a relationship's destination.
  func value(_ keyPath: AnyKeyPath) throws(Untranslatable) -> Term {
    if let reference = try reference(keyPath) { return reference }
    return try term(keyPath)
  }

  private var translation: Translation {
    Translation(
      names: names, plans: plans, storeIdentifier: nil, changed: changed,
      root: PredicateExpressions.Variable<Bool>().key, dialect: dialect)
  }

  private func scalar(_ property: PropertyPlan, of model: ModelReference) -> Term {
    let column = property.columns.lowerBound
    return Term(
      model.column(column), model.names.kinds[column],
      isOptional: model.isOptional || property.isOptional)
  }

  /// The value of a key path of two or more steps: through structures and through to-one relationships.
  private func member(
    _ keyPath: AnyKeyPath, of model: ModelReference
  ) throws(Untranslatable) -> Term? {
    guard let path = steps(of: keyPath) else { return nil }
    return try value(at: path, of: model, Swift.type(of: keyPath).valueType)
  }

  /// The steps of a key path, with `?` for every unwrapping; nil where it has none, or unwraps by force and mustn't.
  private func steps(of keyPath: AnyKeyPath) -> Substring? {
    guard let steps = KeyPathNames.steps(of: keyPath) else { return nil }
    guard steps.contains("!") else { return steps }
    return allowsForced ? KeyPathNames.withoutForce(steps) : nil
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

  /// - Parameter path: The steps after the relationship, in the form of a key path's description.
  private func value(
    at path: Substring, behind property: PropertyPlan, of model: ModelReference,
    _ type: any Any.Type
  ) throws(Untranslatable) -> Term? {
    let destination = try model.destination(of: property, in: translation)
    return try value(at: path, of: destination, type)
  }

  private func value(
    at path: Substring, of model: ModelReference, _ type: any Any.Type
  ) throws(Untranslatable) -> Term? {
    for property in model.names.plan.properties where property.storage.isComparable {
      switch property.shape {
      case .scalar:
        guard KeyPathNames.steps(of: property.keyPath) == path else { continue }
        return scalar(property, of: model)
      case .composite:
        guard let members = KeyPathNames.names(in: path, below: property.keyPath) else { continue }
        return try member(members, of: property, in: model, type)
      case .toOne:
        guard let rest = KeyPathNames.text(in: path, below: property.keyPath) else { continue }
        return try value(at: rest, behind: property, of: model, type)
      case .json, .toMany: continue
      }
    }
    return nil
  }
}
