import Foundation

/// Tells which parts of a query read unsaved changes of related models: the rows of a store don't have them, so the
/// context has to evaluate these parts.
struct QueryReach {
  /// The plan of the fetched entity.
  let plan: EntityPlan
  /// The types of models with unsaved changes, and their superclasses.
  let changed: Set<ObjectIdentifier>

  /// Whether the predicate leads through a relationship to one of the changed types.
  ///
  /// A node of an unknown type may contain a relationship. A key path that a program makes of
  /// several steps by hand, not by `#Predicate`, isn't looked into.
  func meetsChanges<Model: PersistentModel>(_ predicate: Predicate<Model>) -> Bool {
    guard !changed.isEmpty else { return false }
    do {
      return meetsChanges(try LoweredPredicate(predicate).node)
    } catch {
      return true  // The evaluation of the predicate in memory reports the error.
    }
  }

  private func meetsChanges(_ node: PredicateNode) -> Bool {
    switch node {
    case .unknown: return true
    case .keyPath(_, let keyPath):
      if isChanged(type(of: keyPath).valueType) { return true }
    case .conditionalCast(_, let type), .forceCast(_, let type):
      if isChanged(type) { return true }
    case .value, .variable, .conjunction, .disjunction, .negation, .conditional, .composed, .equal,
      .notEqual, .comparison, .typeCheck, .nilCoalesce, .forcedUnwrap, .optionalFlatMap,
      .arithmetic, .division, .unaryMinus, .sequenceContains, .sequenceContainsWhere,
      .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith, .collectionContains,
      .stringOperation, .range, .rangeContains, .inMemory:
      break
    }
    return node.parts.contains(where: meetsChanges)
  }

  /// Whether a value of the type is or has a changed model.
  private func isChanged(_ type: any Any.Type) -> Bool {
    Self.model(in: type).map(changed.contains) ?? false
  }

  /// Whether one of the keys isn't a property of the fetched model itself.
  func meetsChanges<Model: PersistentModel>(_ order: [SortDescriptor<Model>]) -> Bool {
    guard !changed.isEmpty else { return false }
    return order.contains { descriptor in
      guard let keyPath = descriptor.keyPath else { return true }
      return keyPath != \Model.persistentModelID && plan.property(for: keyPath) == nil
    }
  }

  /// The type of the model that a value of the type is or has: itself, optional, or the element of a collection.
  private static func model(in type: any Any.Type) -> ObjectIdentifier? {
    switch type {
    case let model as any PersistentModel.Type: ObjectIdentifier(model)
    case let optional as any OptionalType.Type: model(in: optional.wrappedType)
    case let sequence as any Sequence.Type: model(in: element(of: sequence))
    default: nil
    }
  }

  private static func element<Elements: Sequence>(of type: Elements.Type) -> any Any.Type {
    Elements.Element.self
  }
}
