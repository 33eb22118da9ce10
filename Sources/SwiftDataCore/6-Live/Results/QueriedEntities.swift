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
    let plans = core.plans
    var mentioned: [any PersistentModel.Type] = [Model.self]
    var keyPaths: [AnyKeyPath] = []
    // Nodes of an unknown type and orders without a key path may read whatever can be reached.
    var isKnown = true
    if let predicate = descriptor.predicate {
      let read = try PredicateKeyPaths(predicate)
      keyPaths = read.found
      isKnown = read.isComplete
    }
    for sort in descriptor.sortBy {
      guard let keyPath = sort.keyPath else {
        isKnown = false
        continue
      }
      keyPaths.append(keyPath)
    }
    if !isKnown {
      placing = nil
      addAnything(of: Self.behind(Model.self, plans), to: &mentioned, for: Model.self)
    }
    for keyPath in keyPaths {
      guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else {
        // A computed property of a list of models, or of an optional one, may read whatever can be reached from them.
        for model in Self.models(in: type(of: keyPath).rootType)
        where CollectionMember(keyPath) == nil {
          addAnything(
            of: [model] + Self.behind(model, plans), to: &mentioned, for: Model.self)
        }
        continue
      }
      mentioned.append(root)
      if Self.isIdentity(keyPath, of: root) { continue }
      let plan = plans.first { $0.type == root }
      let reached = Self.models(in: type(of: keyPath).valueType)
      mentioned += reached
      isCircular = isCircular || Self.concern(reached, Model.self)
      let property = plan?.property(for: keyPath)
      let first =
        property ?? plan?.propertiesByName[String(KeyPathName.path(keyPath).prefix { $0 != "." })]
      if root == Model.self {
        if let first { placing?.insert(first) } else { placing = nil }
      }
      if first == nil {
        // A computed property.
        addAnything(of: Self.behind(root, plans), to: &mentioned, for: Model.self)
      } else if property == nil, let plan, let first,
        let relationship = plan.properties[first].relationship
      {
        // A longer path may lead anywhere from this relationship.
        let destination = relationship.destination
        addAnything(
          of: [destination] + Self.behind(destination, plans), to: &mentioned, for: Model.self)
      }
    }
    let looked = plans.filter { plan in
      mentioned.contains { Self.isSubclass(plan.type, of: $0) }
    }
    names = Set(looked.map(\.name))
  }

  /// Adds classes of which any property may be read.
  private mutating func addAnything(
    of reached: [any PersistentModel.Type], to mentioned: inout [any PersistentModel.Type],
    for model: any PersistentModel.Type
  ) {
    mentioned += reached
    guard Self.concern(reached, model) else { return }
    isCircular = true
    placing = nil
  }

  /// Whether rows of one of the classes may be rows of another class.
  private static func concern(
    _ reached: [any PersistentModel.Type], _ model: any PersistentModel.Type
  ) -> Bool {
    reached.contains { isSubclass($0, of: model) || isSubclass(model, of: $0) }
  }

  /// Whether a key path leads to the identity of a model, which no commit changes.
  private static func isIdentity(
    _ keyPath: AnyKeyPath, of type: any PersistentModel.Type
  ) -> Bool {
    func open<Root: PersistentModel>(_ root: Root.Type) -> Bool {
      // The type annotation selects the property that all models share over the requirement of `Identifiable`.
      let identity: KeyPath<Root, PersistentIdentifier> = \Root.id
      return keyPath == \Root.persistentModelID || keyPath == identity
    }
    return open(type)
  }

  /// The classes that can be reached from a class and its subclasses through relationships.
  private static func behind(
    _ type: any PersistentModel.Type, _ plans: [EntityPlan]
  ) -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = []
    var waiting = [type]
    while let next = waiting.popLast() {
      for plan in plans where isSubclass(plan.type, of: next) {
        for property in plan.relationships {
          guard let destination = plan.properties[property].relationship?.destination,
            !found.contains(where: { $0 == destination })
          else { continue }
          found.append(destination)
          waiting.append(destination)
        }
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
struct PredicateKeyPaths {
  private(set) var found: [AnyKeyPath] = []
  /// Whether all nodes are of known types. Others may read more.
  private(set) var isComplete = true

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for
  ///   the thread's stack.
  init<Model>(_ predicate: Predicate<Model>) throws {
    add(try LoweredPredicate(predicate).node)
  }

  private mutating func add(_ node: PredicateNode) {
    switch node {
    case .keyPath(_, let keyPath): found.append(keyPath)
    case .unknown(let expression):
      isComplete = false
      add(fieldsOf: expression)
    case .value, .variable, .conjunction, .disjunction, .negation, .conditional, .composed, .equal,
      .notEqual, .comparison, .typeCheck, .conditionalCast, .forceCast, .nilCoalesce,
      .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus, .sequenceContains,
      .sequenceContainsWhere, .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith,
      .collectionContains, .stringOperation, .range, .rangeContains, .inMemory:
      break
    }
    for part in node.parts { add(part) }
  }

  /// Finds the key paths in the stored properties of a node of an unknown type.
  private mutating func add(fieldsOf expression: Any) {
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
