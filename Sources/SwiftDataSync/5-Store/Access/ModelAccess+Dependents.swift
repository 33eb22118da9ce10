import SwiftDataCore

/// Finds the objects that are deleted together with objects.
extension ModelAccess {
  /// Returns the objects that the delete rule `cascade` deletes together with each of the objects.
  ///
  /// - Parameter planned: The values that will be stored together with the deletions, and count instead of the stored
  ///   ones.
  func dependents(
    of objects: [SyncObjectID], _ planned: PlannedValues = PlannedValues([])
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    let cascades = forms.values.contains { form in
      form.plan.relationships.contains {
        form.plan.properties[$0].relationship?.deleteRule == .cascade
      }
    }
    guard cascades, !objects.isEmpty else { return [:] }
    // All objects of one distance from the given ones are looked up together.
    var children: [SyncObjectID: Set<SyncObjectID>] = [:]
    try store.readRows { transaction in
      var next = Set(objects)
      while !next.isEmpty {
        let found = try self.children(of: next, planned, transaction)
        for object in next { children[object] = found[object] ?? [] }
        next = Set(found.values.joined()).filter { children[$0] == nil }
      }
    }
    return objects.reduce(into: [:]) { dependents, object in
      let reached = Self.reached(from: object, children)
      if !reached.isEmpty { dependents[object] = reached }
    }
  }

  private static func reached(
    from object: SyncObjectID, _ children: [SyncObjectID: Set<SyncObjectID>]
  ) -> Set<SyncObjectID> {
    var reached: Set<SyncObjectID> = []
    var next = [object]
    while let owner = next.popLast() {
      for child in children[owner] ?? [] where child != object && reached.insert(child).inserted {
        next.append(child)
      }
    }
    return reached
  }

  /// Returns the objects that are deleted directly with each of the owners.
  private func children(
    of owners: Set<SyncObjectID>, _ planned: PlannedValues, _ transaction: any RowReadTransaction
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    var children: [SyncObjectID: Set<SyncObjectID>] = [:]
    let rows = try rows(of: owners, transaction)
    for (entity, members) in Dictionary(grouping: owners, by: \.entity) {
      guard let form = forms[entity] else { continue }
      var objects: [Int64: SyncObjectID] = [:]
      for object in members { if let row = rows[object] { objects[row] = object } }
      for index in form.plan.relationships {
        guard let relationship = form.plan.properties[index].relationship,
          relationship.deleteRule == .cascade
        else { continue }
        let found = try destinations(
          of: Array(objects.keys), relationship, form, index, transaction)
        var pairs = found.compactMap { pair in objects[pair.owner].map { ($0, pair.object) } }
        if !planned.order.isEmpty {
          change(&pairs, of: members, relationship, form.plan.properties[index].name, planned)
        }
        for (owner, child) in pairs { children[owner, default: []].insert(child) }
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

  /// Returns the synchronized destinations of a relationship, with the owners' rows.
  private func destinations(
    of owners: [Int64], _ relationship: RelationshipPlan, _ form: ModelForm, _ index: Int,
    _ transaction: any RowReadTransaction
  ) throws -> [(owner: Int64, object: SyncObjectID)] {
    var pairs: [(owner: Int64, destination: Int64)] = []
    switch relationship.storage {
    case .inverseColumn:
      return try referring(to: owners, relationship, transaction)
    case .column:
      guard let column = form.plan.properties[index].columns.first else { return [] }
      try transaction.forEachRow(
        RowRequest(form.plan, [.rowID, .column(column)]), where: .rowID,
        in: owners.map { .integer($0) }
      ) { cells in
        if cells[1].kind == .integer { pairs.append((cells[0].bits, cells[1].bits)) }
      }
    case .joinTable:
      try transaction.forEachPair(of: form.plan, index, owners: owners) { pairs.append(($0, $1)) }
    }
    let objects = try objects(
      inRows: Set(pairs.map(\.destination)), of: relationship.destinationEntity, transaction)
    return pairs.compactMap { pair in objects[pair.destination].map { (pair.owner, $0) } }
  }

  /// Returns the objects whose column of the inverse relationship refers to one of the owners.
  private func referring(
    to owners: [Int64], _ relationship: RelationshipPlan, _ transaction: any RowReadTransaction
  ) throws -> [(owner: Int64, object: SyncObjectID)] {
    var found: [(owner: Int64, object: SyncObjectID)] = []
    for member in families.members(of: relationship.destinationEntity) {
      guard let destination = forms[member], let inverse = relationship.inverse,
        let position = destination.plan.properties[inverse].columns.first
      else { continue }
      let column = RowColumn.column(position)
      try transaction.forEachRow(
        RowRequest(
          destination.plan, [column, .column(destination.keyPosition)], isExact: true),
        where: column, in: owners.map { .integer($0) }
      ) { cells in
        guard let key = destination.key(of: ColumnValue(cells[1])) else { return }
        found.append((cells[0].bits, SyncObjectID(destination.entity, key)))
      }
    }
    return found
  }
}
