import SwiftDataCore

/// A model that is deleted, or prevents that: a synchronized object, or a row of a class that isn't synchronized.
enum ModelNode: Hashable, Comparable {
  case object(SyncObjectID)
  case row(Int64, entity: String)

  var entity: String {
    switch self {
    case .object(let object): object.entity
    case .row(_, let entity): entity
    }
  }

  var object: SyncObjectID? { if case .object(let object) = self { object } else { nil } }

  /// The object's ID; for a row, which has no key, an empty one.
  var name: SyncObjectID { object ?? SyncObjectID(entity, "") }

  /// Objects in the order of their IDs, then rows.
  static func < (left: ModelNode, right: ModelNode) -> Bool {
    switch (left, right) {
    case (.object(let left), .object(let right)): left < right
    case (.row(let left, let entity), .row(let right, let other)):
      (entity, left) < (other, right)
    case (.object, .row): true
    case (.row, .object): false
    }
  }
}

/// Finds the objects that are deleted together with objects.
extension ModelAccess {
  /// Returns the objects that the delete rule `cascade` deletes together with each of the objects.
  ///
  /// - Parameter planned: The values that will be stored together with the deletions, and count instead of the stored
  ///   ones.
  func dependents(
    of objects: [SyncObjectID], _ planned: PlannedValues = PlannedValues([])
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    try cascades(from: objects, planned).compactMapValues { nodes in
      let found = Set(nodes.compactMap(\.object))
      return found.isEmpty ? nil : found
    }
  }

  /// Returns the same with the rows of classes that aren't synchronized.
  func cascades(
    from objects: [SyncObjectID], _ planned: PlannedValues = PlannedValues([])
  ) throws -> [SyncObjectID: Set<ModelNode>] {
    let cascades = forms.values.contains { form in
      form.plan.relationships.contains {
        form.plan.properties[$0].relationship?.deleteRule == .cascade
      }
    }
    guard cascades, !objects.isEmpty else { return [:] }
    // All models of one distance from the given objects are looked up together.
    var children: [ModelNode: Set<ModelNode>] = [:]
    try store.readRows { transaction in
      var next = Set(objects.map { ModelNode.object($0) })
      while !next.isEmpty {
        let found = try self.children(of: next, planned, transaction)
        for node in next { children[node] = found[node] ?? [] }
        next = Set(found.values.joined()).filter { children[$0] == nil }
      }
    }
    return objects.reduce(into: [:]) { dependents, object in
      let reached = Self.reached(from: object, children)
      if !reached.isEmpty { dependents[object] = reached }
    }
  }

  private static func reached(
    from object: SyncObjectID, _ children: [ModelNode: Set<ModelNode>]
  ) -> Set<ModelNode> {
    var reached: Set<ModelNode> = []
    var next = [ModelNode.object(object)]
    while let owner = next.popLast() {
      for child in children[owner] ?? []
      where child != .object(object) && reached.insert(child).inserted {
        next.append(child)
      }
    }
    return reached
  }

  /// Returns the class of an object or row.
  func plan(ofEntity name: String) -> EntityPlan? { forms[name]?.plan ?? plans[name] }

  /// Returns the rows of models, but for objects without one.
  func rows(
    of nodes: some Collection<ModelNode>, _ transaction: any RowReadTransaction
  ) throws -> [ModelNode: Int64] {
    let found = try rows(of: nodes.compactMap(\.object), transaction)
    var rows: [ModelNode: Int64] = [:]
    for node in nodes {
      switch node {
      case .object(let object): rows[node] = found[object]
      case .row(let row, _): rows[node] = row
      }
    }
    return rows
  }

  /// Returns the models that are deleted directly with each of the owners.
  private func children(
    of owners: Set<ModelNode>, _ planned: PlannedValues, _ transaction: any RowReadTransaction
  ) throws -> [ModelNode: Set<ModelNode>] {
    var children: [ModelNode: Set<ModelNode>] = [:]
    let rows = try rows(of: owners, transaction)
    for (entity, members) in Dictionary(grouping: owners, by: \.entity) {
      guard let plan = plan(ofEntity: entity) else { continue }
      var nodes: [Int64: ModelNode] = [:]
      for node in members { if let row = rows[node] { nodes[row] = node } }
      for index in plan.relationships {
        guard let relationship = plan.properties[index].relationship,
          relationship.deleteRule == .cascade,
          let destination = plans[relationship.destinationEntity]
        else { continue }
        let found = try destinations(
          of: Array(nodes.keys), relationship, plan, index, destination, transaction)
        var pairs: [(SyncObjectID, SyncObjectID)] = []
        for pair in found {
          guard let owner = nodes[pair.owner] else { continue }
          if case (.object(let owner), .object(let child)) = (owner, pair.node) {
            pairs.append((owner, child))
          } else {
            children[owner, default: []].insert(pair.node)
          }
        }
        if !planned.order.isEmpty {
          change(
            &pairs, of: members.compactMap(\.object), relationship, plan.properties[index].name,
            planned)
        }
        for (owner, child) in pairs { children[.object(owner), default: []].insert(.object(child)) }
      }
    }
    return children
  }

  /// Changes the pairs of a relationship's owners and destinations to those that will be stored.
  private func change(
    _ pairs: inout [(SyncObjectID, SyncObjectID)], of owners: [SyncObjectID],
    _ relationship: RelationshipPlan, _ name: String, _ planned: PlannedValues
  ) {
    /// Returns the planned value of a relationship; nil for one that stays as it is.
    func value(_ name: String, of object: SyncObjectID) -> SyncValue? {
      guard case .some(.some(let values)) = planned[object],
        forms[object.entity]?.holds(name) ?? false
      else { return nil }
      return values[name]
    }
    func keys(_ value: SyncValue) -> [String] {
      if case .list(let elements) = value { return elements.compactMap(SyncSchema.key) }
      return SyncSchema.key(value).map { [$0] } ?? []
    }
    let inverse = relationship.inverseName
    pairs.removeAll { owner, child in
      if let value = value(name, of: owner) { return !Self.refers(value, to: child.key) }
      guard let inverse, let value = value(inverse, of: child) else { return false }
      return !Self.refers(value, to: owner.key)
    }
    let destination = relationship.destinationEntity
    for owner in owners {
      for key in value(name, of: owner).map(keys) ?? [] {
        pairs += candidates(for: SyncObjectID(destination, key)).map { (owner, $0) }
      }
    }
    guard let inverse, let entity = owners.first?.entity else { return }
    let (owners, classes) = (Set(owners), Set(families.members(of: destination)))
    for child in planned.order where classes.contains(child.entity) {
      for key in value(inverse, of: child).map(keys) ?? [] {
        let owner = SyncObjectID(entity, key)
        if owners.contains(owner) { pairs.append((owner, child)) }
      }
    }
  }

  /// Returns the destinations of a relationship, with the owners' rows.
  private func destinations(
    of owners: [Int64], _ relationship: RelationshipPlan, _ plan: EntityPlan, _ index: Int,
    _ destination: EntityPlan, _ transaction: any RowReadTransaction
  ) throws -> [(owner: Int64, node: ModelNode)] {
    guard !owners.isEmpty else { return [] }
    var pairs: [(owner: Int64, destination: Int64)] = []
    let values = owners.map { ColumnValue.integer($0) }
    switch relationship.storage {
    case .inverseColumn:
      guard let inverse = relationship.inverse,
        let position = destination.properties[inverse].columns.first
      else { return [] }
      let column = RowColumn.column(position)
      try transaction.forEachRow(
        RowRequest(destination, [column, .rowID]), where: column, in: values
      ) { pairs.append(($0[0].bits, $0[1].bits)) }
    case .column:
      guard let column = plan.properties[index].columns.first else { return [] }
      try transaction.forEachRow(
        RowRequest(plan, [.rowID, .column(column)]), where: .rowID, in: values
      ) { cells in
        if cells[1].kind == .integer { pairs.append((cells[0].bits, cells[1].bits)) }
      }
    case .joinTable:
      try transaction.forEachPair(of: plan, index, owners: owners) { pairs.append(($0, $1)) }
    }
    let nodes = try nodes(inRows: Set(pairs.map(\.destination)), of: destination, transaction)
    return pairs.compactMap { pair in nodes[pair.destination].map { (pair.owner, $0) } }
  }

  /// Returns the models of rows of a class or its subclasses; no one for the row of an object without a readable key.
  func nodes(
    inRows rows: Set<Int64>, of plan: EntityPlan, _ transaction: any RowReadTransaction
  ) throws -> [Int64: ModelNode] {
    guard !rows.isEmpty else { return [:] }
    var nodes = try objects(inRows: rows, of: plan.name, transaction).mapValues {
      ModelNode.object($0)
    }
    let others = rows.filter { nodes[$0] == nil }
    guard !others.isEmpty else { return nodes }
    try transaction.forEachRow(
      RowRequest(plan, [.rowID, .entity]), where: .rowID, in: others.map { .integer($0) }
    ) { cells in
      let entity = ColumnValue(cells[1]).text ?? plan.name
      // A row without a key that can be read is no object.
      if forms[entity] == nil { nodes[cells[0].bits] = .row(cells[0].bits, entity: entity) }
    }
    return nodes
  }
}
