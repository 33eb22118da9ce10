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
  /// The types of a predicate's nodes show it: a node whose result is a model, or a collection of models, and that isn't
  /// a variable, is a relationship. A node of an unknown type may contain one. A key path that a program makes of several
  /// steps by hand, not by `#Predicate`, isn't looked into.
  func meetsChanges<Model: PersistentModel>(_ predicate: Predicate<Model>) -> Bool {
    guard !changed.isEmpty else { return false }
    var waiting: [any PredicateExpression.Type] = [type(of: predicate.expression)]
    while let next = waiting.popLast() {
      if next is any LeafNode.Type { continue }
      if let model = Self.model(in: Self.output(of: next)), changed.contains(model) { return true }
      guard let node = next as? any CheckedExpression.Type else { return true }
      waiting += node.parts
    }
    return false
  }

  /// Whether one of the keys isn't a property of the fetched model itself.
  func meetsChanges<Model: PersistentModel>(_ order: [SortDescriptor<Model>]) -> Bool {
    guard !changed.isEmpty else { return false }
    return order.contains { descriptor in
      guard let keyPath = descriptor.keyPath else { return true }
      return keyPath != \Model.persistentModelID && plan.property(for: keyPath) == nil
    }
  }

  private static func output<Node: PredicateExpression>(of node: Node.Type) -> any Any.Type {
    Node.Output.self
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

/// A node without parts that reads no stored value by itself.
private protocol LeafNode {}
extension PredicateExpressions.Variable: LeafNode {}
extension PredicateExpressions.Value: LeafNode {}
extension PredicateExpressions.NilLiteral: LeafNode {}
