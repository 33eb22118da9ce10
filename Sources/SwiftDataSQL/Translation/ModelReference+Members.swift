import Foundation
import SwiftDataCore

extension ModelReference {
  /// The SQL operand for the property at `index`.
  func property(_ index: Int, in translation: inout Translation) throws(Untranslatable) -> Operand {
    let plan = names.plan
    let property = plan.properties[index]
    guard property.storage.isComparable else {
      throw Untranslatable(
        "\(plan.name).\(property.name) is stored in a form that SQL can't compare")
    }
    let first = property.columns.lowerBound
    switch property.shape {
    case .scalar, .json:
      return .term(
        Term(column(first), names.kinds[first], isOptional: property.isOptional, isColumn: true))
    case .composite(_, let isOptional):
      return .composite(
        CompositeReference(model: self, property: index, members: [], isOptional: isOptional))
    case .toMany: return .elements(try list(property, in: &translation))
    case .toOne: return .model(try destination(of: property, in: translation))
    }
  }

  /// The model's identity, where `keyPath` is the identity and not a property declared by the
  /// model.
  func identifier(_ keyPath: AnyKeyPath) throws(Untranslatable) -> Term {
    guard isIdentity(keyPath, of: names.plan.type) else {
      throw Untranslatable("\(names.plan.name) has computed properties, which SQL doesn't know")
    }
    return identity
  }

  /// The row ID as a value.
  var identity: Term {
    var term = Term(rowID, .identifier, isOptional: isOptional, isColumn: true)
    term.entity = names.plan
    return term
  }

  private func isIdentity<Model: PersistentModel>(_ keyPath: AnyKeyPath, of type: Model.Type)
    -> Bool
  {
    if keyPath == \Model.persistentModelID { return true }
    // The type annotation selects the property that all models share over the requirement of
    // `Identifiable`.
    let identity: KeyPath<Model, PersistentIdentifier> = \Model.id
    return keyPath == identity
  }
}

extension CompositeReference {
  /// The member at the end of `names`.
  func member(_ names: [String], type: any Any.Type) throws(Untranslatable) -> Operand {
    let plan = model.names.plan
    let path = members + names
    if let index = plan.column(property: property, members: path) {
      let column = plan.columns[index]
      let isOptional = type is any OptionalType.Type
      return .term(
        Term(
          model.column(index), TermKind(encoding: column.kind, type: type),
          isOptional: isOptional, isColumn: true))
    }
    let isInner = plan.properties[property].columns.contains {
      plan.columns[$0].members.count > path.count && plan.columns[$0].members.starts(with: path)
    }
    guard isInner else {
      throw Untranslatable("\(path.joined(separator: ".")) is no column of \(plan.name)")
    }
    return .composite(
      CompositeReference(model: model, property: property, members: path, isOptional: false))
  }
}
