import SwiftDataCore

/// The planned values of objects: the last values of each object, in the order of first occurrence.
struct PlannedValues {
  let order: [SyncObjectID]
  private let values: [SyncObjectID: SyncValues?]

  init(_ given: [(object: SyncObjectID, values: SyncValues?)]) {
    var values: [SyncObjectID: SyncValues?] = [:]
    var order: [SyncObjectID] = []
    for (object, taken) in given where values.updateValue(taken, forKey: object) == nil {
      order.append(object)
    }
    self.order = order
    self.values = values
  }

  /// - Returns: nil for an object that doesn't change, `.some(nil)` for an object that is deleted.
  subscript(object: SyncObjectID) -> SyncValues?? { values[object] }

  func isGone(_ object: SyncObjectID) -> Bool {
    if case .some(.none) = values[object] { true } else { false }
  }
}

extension ModelAccess {
  /// The number of times that deletions are looked at in which others hold up one another.
  private static let maximumPasses = 8

  /// See ``SyncStorage/obstacles(to:)``.
  ///
  /// - Parameter isChained: Whether obstacles count that follow from others, when none of these writes is performed.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)], isChained: Bool = false
  ) throws -> [SyncObjectID: SyncObstacle] {
    let planned = PlannedValues(rowValues(values))
    var obstacles = try store.readRows {
      try duplicates(in: planned, isChained: isChained, $0).found
    }
    let gone = planned.order.filter { planned.isGone($0) }
    guard !gone.isEmpty, !denials.isEmpty else { return obstacles }
    // An object that leaves a deleted one in the same transaction stays, and may prevent the deletion of another one.
    let cascades = try cascades(from: gone, planned)
    var deletions = PlannedDeletions(gone, cascades)
    let protection = try store.readRows { transaction in
      try ModelProtection(deletions.nodes, denials, self, transaction)
    }
    let references = plannedReferences(planned)
    for pass in 0..<(isChained ? Self.maximumPasses : 1) {
      let count = deletions.held.count
      for object in pass.isMultiple(of: 2) ? gone : gone.reversed()
      where !deletions.held.contains(object) {
        let going = (cascades[object] ?? []).union([.object(object)])
        let denier = going.sorted().lazy
          .compactMap { self.denier(of: $0, deletions, planned, references, protection) }.first
        guard let denier else { continue }
        obstacles[object] = .denied(by: denier)
        if isChained { deletions.held.insert(object) }
      }
      if deletions.held.count == count { break }
    }
    return obstacles
  }

  /// Returns the values that the rows will hold. The rows of an annotated class are never deleted; instead of a
  /// deletion, the object gets the default values.
  func rowValues(
    _ values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [(object: SyncObjectID, values: SyncValues?)] {
    values.map { ($0.object, $0.values ?? forms[$0.object.entity]?.annotations) }
  }

  /// Returns objects that have a required reference to an object that doesn't exist.
  func missing(
    for values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    let planned = PlannedValues(values)
    var required: [(object: SyncObjectID, parent: SyncObjectID)] = []
    for object in planned.order {
      guard case .some(.some(let values)) = planned[object], let form = forms[object.entity] else {
        continue
      }
      for (index, destination) in form.relationships where !form.plan.properties[index].isOptional {
        if let key = values[form.plan.properties[index].name].flatMap(SyncSchema.key) {
          required.append((object, SyncObjectID(destination, key)))
        }
      }
    }
    guard !required.isEmpty else { return [:] }
    let parents = Set(required.flatMap { candidates(for: $0.parent) })
    let rows = try store.readRows { try self.rows(of: parents, $0) }
    var missing: [SyncObjectID: SyncObstacle] = [:]
    var children: [SyncObjectID: [(object: SyncObjectID, parent: SyncObjectID)]] = [:]
    func check(_ object: SyncObjectID, _ parent: SyncObjectID) {
      let isThere = candidates(for: parent).contains { candidate in
        // An object that isn't created because it misses one itself isn't there either.
        guard missing[candidate] == nil, let values = planned[candidate] else {
          return rows[candidate] != nil
        }
        return values != nil
      }
      if !isThere { missing[object] = .missing(parent) }
    }
    for (object, parent) in required {
      check(object, parent)
      for candidate in candidates(for: parent) {
        children[candidate, default: []].append((object, parent))
      }
    }
    var next = Array(missing.keys)
    while let object = next.popLast() {
      for (child, parent) in children[object] ?? [] where missing[child] == nil {
        check(child, parent)
        if missing[child] != nil { next.append(child) }
      }
    }
    return missing
  }

  /// Returns the objects that a reference may mean.
  func candidates(for reference: SyncObjectID) -> [SyncObjectID] {
    families.members(of: reference.entity).map { SyncObjectID($0, reference.key) }
  }

  // MARK: Delete rules

  /// Returns, for each denial, the objects that will refer to each key, in planned order.
  private func plannedReferences(_ planned: PlannedValues) -> [[String: [SyncObjectID]]] {
    denials.map { denial in
      guard let name = denial.reference else { return [:] }
      let members = Set(families.members(of: denial.other.name))
      var referring: [String: [SyncObjectID]] = [:]
      for object in planned.order where members.contains(object.entity) {
        guard case .some(.some(let values)) = planned[object], let value = values[name] else {
          continue
        }
        if case .list(let elements) = value {
          for case .text(let key) in elements { referring[key, default: []].append(object) }
        } else if let key = SyncSchema.key(value) {
          referring[key, default: []].append(object)
        }
      }
      return referring
    }
  }

  /// Returns an object that prevents a model from being deleted; a row of a class that isn't synchronized has no key.
  private func denier(
    of node: ModelNode, _ deletions: PlannedDeletions, _ planned: PlannedValues,
    _ references: [[String: [SyncObjectID]]], _ protection: ModelProtection
  ) -> SyncObjectID? {
    guard let guarded = protection.rows[node] else { return nil }
    for (position, denial) in denials.enumerated() where denial.guards(guarded.plan) {
      for other in protection.others[position][guarded.row] ?? [] {
        guard let other else { return SyncObjectID(denial.other.name, "") }
        if deletions.contains(other) { continue }
        if let name = denial.reference, let found = other.object,
          case .some(.some(let values)) = planned[found],
          forms[found.entity]?.holds(name) ?? false,
          !(node.object.map { Self.refers(values[name], to: $0.key) } ?? false)
        {
          continue
        }
        return other.name
      }
      // Objects that will refer to it after the same transaction.
      guard denial.reference != nil, let object = node.object,
        families.members(of: denial.destination).contains(object.entity)
      else { continue }
      let found = references[position][object.key]?.first { !deletions.contains(.object($0)) }
      if let found { return found }
    }
    return nil
  }

  static func refers(_ value: SyncValue?, to key: String) -> Bool {
    if case .list(let elements) = value { return elements.contains(.text(key)) }
    return value.flatMap(SyncSchema.key) == key
  }
}

extension ModelForm {
  /// Whether a relationship is among the synchronized values.
  func holds(_ property: String) -> Bool {
    relationships.contains { plan.properties[$0.property].name == property }
      || lists.contains { $0.name == property }
  }
}

/// A relationship that prevents the objects at one of its ends from being deleted: through the rule `deny`, or because
/// the other end isn't optional.
struct ModelDenial {
  /// The class whose objects are protected, with its subclasses.
  private let guarded: EntityPlan
  /// The class whose objects protect them.
  let other: EntityPlan
  /// The entity that the other class's property refers to.
  var destination: String { guarded.name }
  /// The property of the other class that refers to the protected object; nil when the reference is in the opposite
  /// direction.
  let reference: String?
  private let lookup: Lookup

  /// The way in which the rows that protect a row are found.
  private enum Lookup {
    /// A column of the other class, by its position, holds the protected row.
    case referring(Int)
    /// A column of the protected class, by its position, holds the other row.
    case referred(Int)
    /// A relationship of the protected class, by its position, has a join table.
    case pairs(Int)
  }

  func guards(_ plan: EntityPlan) -> Bool {
    plan.table == guarded.table
      && (plan.family?.descendants(of: guarded).contains { $0 === plan } ?? true)
  }

  /// Returns the rows that protect rows, in ascending order, by the protected row.
  func rows(
    against rows: [Int64], _ transaction: any RowReadTransaction
  ) throws -> [Int64: [Int64]] {
    var found: [Int64: [Int64]] = [:]
    let values = rows.map { ColumnValue.integer($0) }
    switch lookup {
    case .referring(let position):
      let column = RowColumn.column(position)
      try transaction.forEachRow(
        RowRequest(other, [column, .rowID]), where: column, in: values
      ) { found[$0[0].bits, default: []].append($0[1].bits) }
    case .referred(let position):
      try transaction.forEachRow(
        RowRequest(guarded, [.rowID, .column(position)]), where: .rowID, in: values
      ) { cells in
        if cells[1].kind == .integer { found[cells[0].bits] = [cells[1].bits] }
      }
    case .pairs(let property):
      try transaction.forEachPair(of: guarded, property, owners: rows) {
        found[$0, default: []].append($1)
      }
    }
    return found.mapValues { $0.sorted() }
  }

  /// Returns all such relationships of a schema, of synchronized classes and others.
  static func all(_ plans: [EntityPlan]) -> [ModelDenial] {
    let named = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    return plans.flatMap { plan in
      plan.ownRelationships.flatMap { index -> [ModelDenial] in
        guard let relationship = plan.properties[index].relationship,
          let destination = named[relationship.destinationEntity]
        else { return [] }
        return denials(of: plan, index, relationship, destination)
      }
    }
  }

  private static func denials(
    of plan: EntityPlan, _ index: Int, _ relationship: RelationshipPlan, _ destination: EntityPlan
  ) -> [ModelDenial] {
    let property = plan.properties[index]
    let isDenied = relationship.deleteRule == .deny
    switch relationship.storage {
    case .column:
      let column = property.columns.lowerBound
      var found: [ModelDenial] = []
      let back = relationship.inverse.flatMap {
        destination.properties[$0].relationship?.deleteRule
      }
      let rule = back ?? .nullify
      if rule == .deny || rule == .nullify && !relationship.isOptional {
        found.append(
          ModelDenial(
            guarded: destination, other: plan, reference: property.name,
            lookup: .referring(column)))
      }
      if isDenied {
        found.append(
          ModelDenial(
            guarded: plan, other: destination, reference: nil, lookup: .referred(column)))
      }
      return found
    case .joinTable:
      guard isDenied else { return [] }
      return [
        ModelDenial(
          guarded: plan, other: destination, reference: relationship.inverseName,
          lookup: .pairs(index))
      ]
    // The column of the other end covers this case.
    case .inverseColumn: return []
    }
  }
}

/// The models that planned deletions delete.
private struct PlannedDeletions {
  /// The objects whose deletion deletes a model.
  private var owners: [ModelNode: [SyncObjectID]] = [:]
  /// The objects that aren't deleted although it is planned.
  var held: Set<SyncObjectID> = []

  init(_ gone: [SyncObjectID], _ cascades: [SyncObjectID: Set<ModelNode>]) {
    for object in gone {
      owners[.object(object), default: []].append(object)
      for node in cascades[object] ?? [] { owners[node, default: []].append(object) }
    }
  }

  var nodes: Dictionary<ModelNode, [SyncObjectID]>.Keys { owners.keys }

  func contains(_ node: ModelNode) -> Bool {
    owners[node]?.contains { !held.contains($0) } ?? false
  }
}

/// The rows of models that are about to be deleted, and the models that protect them.
private struct ModelProtection {
  private(set) var rows: [ModelNode: (row: Int64, plan: EntityPlan)] = [:]
  /// For each denial, the models that protect a row; nil for the row of an object without a readable key.
  private(set) var others: [[Int64: [ModelNode?]]] = []

  init(
    _ nodes: some Collection<ModelNode>, _ denials: [ModelDenial], _ access: ModelAccess,
    _ transaction: any RowReadTransaction
  ) throws {
    for (node, row) in try access.rows(of: nodes, transaction) {
      if let plan = access.plan(ofEntity: node.entity) { rows[node] = (row, plan) }
    }
    for denial in denials {
      let guarded = rows.values.filter { denial.guards($0.plan) }.map(\.row).sorted()
      guard !guarded.isEmpty else {
        others.append([:])
        continue
      }
      let found = try denial.rows(against: guarded, transaction)
      let known = try access.nodes(
        inRows: Set(found.values.joined()), of: denial.other, transaction)
      others.append(found.mapValues { rows in rows.map { known[$0] } })
    }
  }
}
