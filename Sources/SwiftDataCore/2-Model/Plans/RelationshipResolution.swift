/// Finds the inverse and the storage of each relationship between the given model classes.
///
/// An explicit inverse (`inverse: \B.a`) holds for both ends. Two relationships between the same classes become
/// inverses of each other when there is exactly one candidate at each end. `inverse: nil` in the source makes a
/// relationship one-way.
package struct RelationshipResolution {
  /// The plans, by entity and property name.
  package private(set) var plans: [String: [String: RelationshipPlan]] = [:]
  /// Messages about relationships without an inverse for which there are several candidates.
  package private(set) var ambiguities: [String] = []
  /// The contradictions; a container rejects a schema that has any.
  package private(set) var errors: [SchemaError] = []

  private struct End {
    let entity: String
    let name: String
    /// The position among the entity's persisted properties.
    let index: Int
    let isToMany: Bool
    let isOptional: Bool
    let destination: any PersistentModel.Type
    let destinationEntity: String
    let declared: Schema.Relationship?
    var isOrdered: Bool { declared?.isOrdered ?? false }
    var inverse: Int?
  }

  private var ends: [End] = []

  package init(_ types: [any PersistentModel.Type]) {
    for type in types { ends += Self.ends(of: type) }
    for index in ends.indices { pairExplicitly(index) }
    for index in ends.indices { pairByInference(index) }
    ambiguities = ends.indices.compactMap(ambiguity)
    for end in ends where end.isOrdered && !end.isToMany {
      errors.append(.orderedToOne(entity: end.entity, property: end.name))
    }
    for end in ends { plans[end.entity, default: [:]][end.name] = plan(for: end) }
    let own = plans
    for type in types {
      var ancestor = ModelInheritance.superclass(of: type)
      while let current = ancestor {
        let inherited = own[Self.name(of: current)] ?? [:]
        plans[Self.name(of: type), default: [:]].merge(inherited) { own, _ in own }
        ancestor = ModelInheritance.superclass(of: current)
      }
    }
  }

  private static func name(of type: any PersistentModel.Type) -> String {
    func open<Model: PersistentModel>(_ type: Model.Type) -> String { Schema.entityName(for: type) }
    return open(type)
  }

  /// The relationships that a class itself declares.
  private static func ends(of type: any PersistentModel.Type) -> [End] {
    let properties = type.schemaMetadata.filter { !($0.metadata is any PropertyPaths) }
    let own = properties.enumerated().dropFirst(ModelInheritance.inheritedCount(of: type))
    return own.compactMap { index, property in
      let valueType = Swift.type(of: property.keypath).valueType
      guard let destination = Schema.destination(of: valueType) else { return nil }
      let (wrapped, isOptional) = PropertyShape.unwrapped(valueType)
      return End(
        entity: name(of: type), name: property.name, index: index,
        isToMany: !(wrapped is any PersistentModel.Type), isOptional: isOptional,
        destination: destination, destinationEntity: name(of: destination),
        declared: property.metadata as? Schema.Relationship)
    }
  }

  // MARK: - Inverses

  private mutating func pairExplicitly(_ index: Int) {
    let end = ends[index]
    guard let keyPath = end.declared?.inverseKeyPath else { return }
    let name = KeyPathName.path(keyPath)
    let found = position(of: name, in: end.destination)
    guard let found, ends[found].destinationEntity == end.entity else {
      errors.append(.unsuitableInverse(entity: end.entity, property: end.name, inverse: name))
      return
    }
    let isFree = [(index, found), (found, index)].allSatisfy { one, other in
      ends[one].inverse == nil || ends[one].inverse == other
    }
    guard isFree else {
      errors.append(.inverseClash(entity: end.entity, property: end.name, inverse: name))
      return
    }
    ends[index].inverse = found
    ends[found].inverse = index
  }

  /// The position in `ends` of a relationship that a class or one of its superclasses declares.
  private func position(of name: String, in type: any PersistentModel.Type) -> Int? {
    var current: (any PersistentModel.Type)? = type
    while let type = current {
      let entity = Self.name(of: type)
      if let found = ends.firstIndex(where: { $0.entity == entity && $0.name == name }) {
        return found
      }
      current = ModelInheritance.superclass(of: type)
    }
    return nil
  }

  private mutating func pairByInference(_ index: Int) {
    guard let partner = onlyCandidate(for: index), onlyCandidate(for: partner) == index else {
      return
    }
    ends[index].inverse = partner
    ends[partner].inverse = index
  }

  /// The only relationship that could be the inverse; nil when there is none or more than one, or when this
  /// relationship isn't open to inference.
  private func onlyCandidate(for index: Int) -> Int? {
    let end = ends[index]
    guard isOpen(index) else { return nil }
    let candidates = candidates(for: index)
    guard candidates.count == 1, let candidate = candidates.first else { return nil }
    // Between models of one class, only a to-one and a to-many relationship (parent and children) certainly belong
    // together.
    if end.entity == end.destinationEntity, ends[candidate].isToMany == end.isToMany { return nil }
    return candidate
  }

  /// The relationships that lead back and have no inverse yet.
  private func candidates(for index: Int) -> [Int] {
    ends.indices.filter { other in
      other != index && isOpen(other) && ends[other].entity == ends[index].destinationEntity
        && ends[other].destinationEntity == ends[index].entity
    }
  }

  /// A message about a relationship that stays without an inverse because there are several candidates; nil for any
  /// other.
  private func ambiguity(at index: Int) -> String? {
    let end = ends[index]
    guard isOpen(index), end.entity != end.destinationEntity else { return nil }
    let names = candidates(for: index).map { "\(ends[$0].entity).\(ends[$0].name)" }
    guard names.count > 1 else { return nil }
    return
      "\(end.entity).\(end.name) has no inverse: \(names.joined(separator: " and ")) could be it."
      + " Name one by @Relationship(inverse:), or write inverse: nil where none is meant."
  }

  private func isOpen(_ index: Int) -> Bool {
    ends[index].inverse == nil && ends[index].declared?.isOneWay != true
      && ends[index].declared?.inverseKeyPath == nil
  }

  // MARK: - Storage

  private func plan(for end: End) -> RelationshipPlan {
    let inverse = end.inverse.map { ends[$0] }
    return RelationshipPlan(
      destination: end.destination, destinationEntity: end.destinationEntity,
      isToMany: end.isToMany, isOptional: end.isOptional,
      deleteRule: end.declared?.deleteRule ?? .nullify,
      minimumModelCount: max(0, end.declared?.minimumModelCount ?? 0),
      maximumModelCount: max(0, end.declared?.maximumModelCount ?? 0),
      inverse: inverse?.index, inverseName: inverse?.name, isOrdered: end.isOrdered,
      isInverseOrdered: inverse?.isOrdered ?? false, storage: storage(of: end, inverse),
      inverseRule: inverse.map { $0.declared?.deleteRule ?? .nullify })
  }

  private func storage(of end: End, _ inverse: End?) -> RelationshipPlan.Storage {
    guard let inverse else { return end.isToMany ? .joinTable(joinTable(of: end, nil)) : .column }
    switch (end.isToMany, inverse.isToMany) {
    case (false, true): return .column
    case (true, false): return .inverseColumn
    case (false, false): return isFirst(end, inverse) ? .column : .inverseColumn
    case (true, true):
      let isMine = isFirst(end, inverse)
      let table = isMine ? joinTable(of: end, inverse) : joinTable(of: inverse, end)
      return .joinTable(isMine ? table : table.reversed)
    }
  }

  /// Whether `end` stores the link: only one end of a pair does. The choice depends on names only, so that a store file
  /// still fits after a delete rule or the order of the classes changes.
  private func isFirst(_ end: End, _ inverse: End) -> Bool {
    (end.entity, end.name) <= (inverse.entity, inverse.name)
  }

  private func joinTable(of end: End, _ inverse: End?) -> RelationshipPlan.JoinTable {
    let (owner, destination) = ("owner", "destination")
    let isInverseOrdered = inverse?.isOrdered ?? false
    return RelationshipPlan.JoinTable(
      name: "\(end.entity)_\(end.name)", ownerColumn: owner, destinationColumn: destination,
      ownerOrderColumn: end.isOrdered ? RelationshipPlan.orderColumn(beside: owner) : nil,
      destinationOrderColumn: isInverseOrdered
        ? RelationshipPlan.orderColumn(beside: destination) : nil)
  }
}

extension RelationshipPlan.JoinTable {
  fileprivate var reversed: RelationshipPlan.JoinTable {
    RelationshipPlan.JoinTable(
      name: name, ownerColumn: destinationColumn, destinationColumn: ownerColumn,
      ownerOrderColumn: destinationOrderColumn, destinationOrderColumn: ownerOrderColumn)
  }
}
