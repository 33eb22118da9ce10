import SwiftDataCore

/// Finds the objects that are deleted together with objects.
extension ModelAccess {
  /// Returns the objects that the delete rule `cascade` deletes together with each of the objects.
  func dependents(of objects: [SyncObjectID]) throws -> [SyncObjectID: Set<SyncObjectID>] {
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
        let found = try self.children(of: next, transaction)
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
    of owners: Set<SyncObjectID>, _ transaction: any RowReadTransaction
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    var children: [SyncObjectID: Set<SyncObjectID>] = [:]
    for (entity, rows) in Dictionary(
      grouping: try rows(of: owners, transaction), by: \.key.entity)
    {
      guard let form = forms[entity] else { continue }
      let objects = Dictionary(rows.map { ($0.value, $0.key) }, uniquingKeysWith: { $1 })
      for index in form.plan.relationships {
        guard let relationship = form.plan.properties[index].relationship,
          relationship.deleteRule == .cascade
        else { continue }
        let found = try destinations(
          of: Array(objects.keys), relationship, form, index, transaction)
        for (owner, child) in found {
          if let owner = objects[owner] { children[owner, default: []].insert(child) }
        }
      }
    }
    return children
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
