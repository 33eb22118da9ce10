import Foundation

/// The entities whose rows a fetch's answer depends on: the fetched one with its subclasses, and those that the
/// predicate or the order looks at through relationships.
enum QueriedEntities {
  static func names<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, in core: ContainerCore
  ) -> Set<String> {
    var mentioned: [any Any.Type] = [Model.self]
    if let predicate = descriptor.predicate {
      collect(predicate.expression, into: &mentioned, depth: 0)
    }
    let plans = core.stores.flatMap(\.plans)
    if let plan = plans.first(where: { $0.type == Model.self }) {
      // A longer path may lead through any of the entity's relationships.
      let isOwn = descriptor.sortBy.compactMap(\.keyPath).allSatisfy { keyPath in
        plan.property(for: keyPath) != nil || keyPath == \Model.persistentModelID
      }
      if !isOwn {
        mentioned += plan.relationships.compactMap { plan.properties[$0].relationship?.destination }
      }
    }
    let looked = plans.filter { plan in
      mentioned.contains { type in
        guard let type = type as? any PersistentModel.Type else { return false }
        return isSubclass(plan.type, of: type)
      }
    }
    return Set(looked.map(\.name))
  }

  static func isSubclass(
    _ type: any PersistentModel.Type, of base: any PersistentModel.Type
  ) -> Bool {
    func open<Base: PersistentModel>(_ base: Base.Type) -> Bool { type is Base.Type }
    return open(base)
  }

  /// Notes the models that the nodes of an expression come from or lead to.
  private static func collect(_ value: Any, into types: inout [any Any.Type], depth: Int) {
    // Deeper than any predicate that the compiler takes.
    guard depth < 1_000 else { return }
    if let keyPath = value as? AnyKeyPath {
      types.append(type(of: keyPath).rootType)
      types.append(contentsOf: models(in: type(of: keyPath).valueType))
      return
    }
    guard value is any PredicateExpression else { return }
    for child in Mirror(reflecting: value).children {
      collect(child.value, into: &types, depth: depth + 1)
    }
  }

  /// A model's type, or that of the models in a list or an optional.
  private static func models(in type: any Any.Type) -> [any Any.Type] {
    let (wrapped, _) = PropertyShape.unwrapped(type)
    if wrapped is any PersistentModel.Type { return [wrapped] }
    if let list = wrapped as? any RelationshipCollection.Type { return [element(of: list)] }
    return []
  }

  private static func element<List: RelationshipCollection>(of list: List.Type) -> any Any.Type {
    List.PersistentElement.self
  }
}
