import Foundation

/// The rows on which a fetch's result depends.
struct QueriedEntities {
  /// The entities: the fetched one with its subclasses, and those that the predicate or the order reads through
  /// relationships.
  private(set) var names: Set<String> = []
  /// The positions of the fetched entity's properties that determine whether and where a row is in the result; nil when
  /// they aren't known.
  private(set) var placing: Set<Int>? = []
  /// Whether a row's position may depend on other rows of the fetched entity, for example a person's on the parent's
  /// name.
  private(set) var isCircular = false

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for
  ///   the thread's stack.
  init<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, in core: ContainerCore
  ) throws {
    let plans = core.stores.flatMap(\.plans)
    var mentioned: [any PersistentModel.Type] = [Model.self]
    var keyPaths = try descriptor.predicate.map(PredicateKeyPaths.all) ?? []
    for sort in descriptor.sortBy {
      guard let keyPath = sort.keyPath else {
        placing = nil
        continue
      }
      keyPaths.append(keyPath)
    }
    let identifier: AnyKeyPath = \Model.persistentModelID
    for keyPath in keyPaths where keyPath != identifier {
      guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { continue }
      mentioned.append(root)
      let plan = plans.first { $0.type == root }
      var reached = Self.models(in: type(of: keyPath).valueType)
      let property = plan?.property(for: keyPath)
      let first =
        property ?? plan?.propertiesByName[String(KeyPathName.path(keyPath).prefix { $0 != "." })]
      if root == Model.self {
        if let first { placing?.insert(first) } else { placing = nil }
      }
      if property == nil, let plan, let first,
        let relationship = plan.properties[first].relationship
      {
        // A longer path may lead anywhere from this relationship.
        reached += Self.reachable(from: relationship.destination, plans)
        if reached.contains(where: { $0 == Model.self }) { placing = nil }
      }
      isCircular = isCircular || reached.contains { $0 == Model.self }
      mentioned += reached
    }
    let looked = plans.filter { plan in
      mentioned.contains { Self.isSubclass(plan.type, of: $0) }
    }
    names = Set(looked.map(\.name))
  }

  /// The class and all classes that can be reached from it through relationships.
  private static func reachable(
    from type: any PersistentModel.Type, _ plans: [EntityPlan]
  ) -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = [type]
    var next = 0
    while next < found.count {
      let plan = plans.first { $0.type == found[next] }
      next += 1
      for property in plan?.relationships ?? [] {
        guard let destination = plan?.properties[property].relationship?.destination,
          !found.contains(where: { $0 == destination })
        else { continue }
        found.append(destination)
      }
    }
    return found
  }

  static func isSubclass(
    _ type: any PersistentModel.Type, of base: any PersistentModel.Type
  ) -> Bool {
    func open<Base: PersistentModel>(_ base: Base.Type) -> Bool { type is Base.Type }
    return open(base)
  }

  /// The type of a model, or of the models in a list or an optional.
  private static func models(in type: any Any.Type) -> [any PersistentModel.Type] {
    let (wrapped, _) = PropertyShape.unwrapped(type)
    if let model = wrapped as? any PersistentModel.Type { return [model] }
    if let list = wrapped as? any RelationshipCollection.Type { return [element(of: list)] }
    return []
  }

  private static func element<List: RelationshipCollection>(
    of list: List.Type
  ) -> any PersistentModel.Type {
    List.PersistentElement.self
  }
}

/// The key paths that a predicate reads.
enum PredicateKeyPaths {
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for
  ///   the thread's stack.
  static func all<Model>(in predicate: Predicate<Model>) throws -> [AnyKeyPath] {
    var found: [AnyKeyPath] = []
    add(of: try LoweredPredicate(predicate).node, to: &found)
    return found
  }

  private static func add(of node: PredicateNode, to found: inout [AnyKeyPath]) {
    switch node {
    case .keyPath(_, let keyPath): found.append(keyPath)
    case .unknown(let expression): add(ofFields: expression, to: &found)
    case .value, .variable, .conjunction, .disjunction, .negation, .conditional, .composed, .equal,
      .notEqual, .comparison, .typeCheck, .conditionalCast, .forceCast, .nilCoalesce,
      .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus, .sequenceContains,
      .sequenceContainsWhere, .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith,
      .collectionContains, .stringOperation, .range, .rangeContains, .inMemory:
      break
    }
    for part in node.parts { add(of: part, to: &found) }
  }

  /// Finds the key paths in the stored properties of a node of an unknown type.
  private static func add(ofFields expression: Any, to found: inout [AnyKeyPath]) {
    // Pending nodes are in this list rather than on the stack: predicates may be deeply nested.
    var waiting: [Any] = [expression]
    while let value = waiting.popLast() {
      if let keyPath = value as? AnyKeyPath {
        found.append(keyPath)
        continue
      }
      let mirror = Mirror(reflecting: value)
      guard value is any PredicateExpression || mirror.displayStyle == .tuple else { continue }
      waiting += mirror.children.map(\.value).reversed()
    }
  }
}
