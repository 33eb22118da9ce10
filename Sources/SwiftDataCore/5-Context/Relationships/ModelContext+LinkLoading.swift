/// Relationships are read from the store on first access, for all models that were fetched together.
extension ModelContext {
  /// Returns the destination of a to-one relationship whose storage is empty.
  func destination(of model: any PersistentModel, _ index: Int) -> (any PersistentModel)? {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return nil }
    if relationship.storage == .column {
      if state.reference(at: index) == nil {
        guard state.rowID != 0, state.changes.isEmpty, fillRow(of: model) else { return nil }
      }
      guard let rowID = state.reference(at: index) else { return nil }
      if let known = registeredModel(rowID, of: relationship.destination) {
        return known._$modelState.isDeleted ? nil : known
      }
    }
    guard state.rowID != 0 else { return nil }
    load(index, of: model, relationship)
    switch model.links(at: index) {
    case .one(let destination): return destination
    default:
      guard relationship.storage == .column, let rowID = state.reference(at: index) else {
        return nil
      }
      return registeredModel(rowID, of: relationship.destination)
    }
  }

  /// Returns the destinations of a to-many relationship whose storage is empty.
  ///
  /// - Parameter keeping: Whether the list is put into the storage.
  func list(
    of model: any PersistentModel, _ index: Int, empty: any ErasedModelArray, keeping: Bool = true
  ) -> any ErasedModelArray {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return empty }
    let changes = state.linkChanges(at: index)
    let list: any ErasedModelArray
    if let base = changes?.base ?? (state.rowID == 0 ? empty : nil) {
      list = base.merging(added: changes?.added ?? [], removed: changes?.removed ?? [])
    } else if keeping {
      load(index, of: model, relationship)
      if case .many(let list) = model.links(at: index) { return list }
      return empty
    } else {
      return empty.merging(added: storedList(of: model, index, relationship), removed: [])
    }
    if keeping, state.context != nil || relationship.joinTable == nil {
      model.fillLinks(.list(list), at: index)
      if changes != nil { state.changeLinks(at: index) { $0.clearListChanges() } }
    }
    return list
  }

  /// Returns the destinations as an untyped array, for code that iterates over relationships by their plans.
  func destinations(of model: any PersistentModel, _ index: Int) -> [any PersistentModel] {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return [] }
    if let loaded = model.links(at: index).models { return loaded }
    guard relationship.isToMany else {
      return destination(of: model, index).map { [$0] } ?? []
    }
    func open<Model: PersistentModel>(_ type: Model.Type) -> [any PersistentModel] {
      list(of: model, index, empty: [Model]()).models
    }
    return open(relationship.destination)
  }

  /// Loads a list into its storage, including the changes made at the other end.
  ///
  /// - Returns: Whether the list is in its storage; false when it can't be read.
  func loadList(of model: any PersistentModel, _ index: Int) -> Bool {
    if case .many = model.links(at: index) { return true }
    func open<Model: PersistentModel>(_ type: Model.Type) {
      _ = list(of: model, index, empty: [Model]())
    }
    if let relationship = model._$modelState.relationship(at: index) {
      open(relationship.destination)
    }
    if case .many = model.links(at: index) { return true }
    return false
  }

  /// Reads the relationship of one model without storing it in the model.
  func storedList(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> [any PersistentModel] {
    let state = model._$modelState
    guard state.rowID != 0 else { return [] }
    beginOperation()
    defer { endOperation() }
    do {
      try beginReading()
      defer { endReading() }
      let lists = try readLists(of: [model], index, relationship).lists
      return merged(lists[state.rowID]?.models ?? [], with: state.linkChanges(at: index))
    } catch {
      report(error, state.plan, index)
      return []
    }
  }

  private func merged(
    _ models: [any PersistentModel], with changes: LinkChanges?
  ) -> [any PersistentModel] {
    guard let changes, !changes.isUnchanged else { return models }
    let removed = changes.removed
    let kept = removed.isEmpty ? models : models.filter { !removed.contains(ObjectIdentifier($0)) }
    var known: Set<ObjectIdentifier> = []
    return (kept + changes.added).filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  private func report(_ error: any Error, _ plan: EntityPlan?, _ index: Int) {
    let name = plan.map { "\($0.name).\($0.properties[index].name)" } ?? "a relationship"
    SwiftDataLog.report(
      .error, "ModelContext", "\(name) can't be read", error)
  }
}

// MARK: - Batches

extension ModelContext {
  /// Loads the relationship at `index` for `model` and its neighbors.
  func load(_ index: Int, of model: any PersistentModel, _ relationship: RelationshipPlan) {
    let owners = neighbours(of: model, index)
    beginOperation()
    defer { endOperation() }
    do {
      try beginReading()
      defer { endReading() }
      if relationship.storage == .column {
        try loadDestinations(of: owners, index, relationship)
      } else {
        try loadLists(of: owners, index, relationship)
      }
    } catch {
      report(error, model._$modelState.plan, index)
    }
  }

  /// Returns `model` and the models fetched after it that haven't loaded the relationship yet, at most one batch.
  private func neighbours(of model: any PersistentModel, _ index: Int) -> [any PersistentModel] {
    let state = model._$modelState
    guard let group = state.group, let plan = state.plan, group.plan.table == plan.table
    else { return [model] }
    let rows = link.rows(of: plan)
    var found: [any PersistentModel] = [model]
    let own = Int(state.groupPosition)
    let last = min(own + 4 * FetchGroup.batch, group.rowIDs.count)
    for position in stride(from: own + 1, to: last, by: 1) {
      guard found.count < FetchGroup.batch else { break }
      guard let neighbour = rows[group.rowIDs[position]] as? any PersistentModel,
        neighbour !== model, let other = neighbour._$modelState.plan,
        plan.sharesProperty(index, with: other), case .notLoaded = neighbour.links(at: index),
        !neighbour._$modelState.isDeleted,
        neighbour._$modelState.linkChanges(at: index)?.base == nil
      else { continue }
      found.append(neighbour)
    }
    return found
  }

  private func loadDestinations(
    of owners: [any PersistentModel], _ index: Int, _ relationship: RelationshipPlan
  ) throws {
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try identityMap(for: type)
      var known: [Int64: Model] = [:]
      var missing: [Int64] = []
      for rowID in Set(owners.compactMap { $0._$modelState.reference(at: index) }) {
        if let model = map[rowID] as? Model { known[rowID] = model } else { missing.append(rowID) }
      }
      if !missing.isEmpty {
        let group = map.makeGroup()
        let query = try map.store.prepare(
          rowIDs: missing.sorted(), of: map.plan, properties: nil)
        try map.store.forEachRow(of: query) {
          generation, row in
          known[row.rowID] = try materialize(row, in: map, generation: generation, group: group)
        }
      }
      for owner in owners {
        guard let rowID = owner._$modelState.reference(at: index) else { continue }
        let destination = known[rowID]
        // Treated as missing as long as its deletion may be taken back: the key still refers to its row.
        if let destination, destination._$modelState.isDeleted { continue }
        if let destination, isListLoaded(destination, relationship.inverse) { continue }
        owner.fillLinks(.one(destination), at: index)
      }
    }
    try open(relationship.destination)
  }

  private func loadLists(
    of owners: [any PersistentModel], _ index: Int, _ relationship: RelationshipPlan
  ) throws {
    let found = try readLists(of: owners, index, relationship)
    for owner in owners {
      let state = owner._$modelState
      let list = found.lists[state.rowID]
      guard relationship.isToMany, state.linkChanges.isEmpty else {
        fill(owner, index, relationship, with: list?.models ?? [])
        continue
      }
      owner.fillLinks(list.map { .list($0) } ?? .many([]), at: index)
    }
    // Models that were just created hold no destinations.
    guard let inverse = relationship.inverse, !found.known.isEmpty else { return }
    let byRow = Dictionary(
      owners.map { ($0._$modelState.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    for (rowID, model) in found.known {
      if let owner = byRow[rowID] { releaseDestination(model, inverse, towards: owner) }
    }
  }

  /// Does the same for one owner whose list has changed since it was read, or whose relationship is to-one.
  private func fill(
    _ owner: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan,
    with models: [any PersistentModel]
  ) {
    let state = owner._$modelState
    let list = merged(models, with: state.linkChanges(at: index))
    owner.fillLinks(relationship.isToMany ? .many(list) : .one(list.first), at: index)
    if state.linkChanges(at: index) != nil {
      state.changeLinks(at: index) { $0.clearListChanges() }
    }
    guard let inverse = relationship.inverse else { return }
    for destination in list { releaseDestination(destination, inverse, towards: owner) }
  }

  /// Destinations as they were read.
  private struct LoadedDestinations {
    /// The lists by the owner's row ID.
    var lists: [Int64: any ErasedModelArray] = [:]
    /// The destinations that the context had already, with their owners.
    var known: [(owner: Int64, model: any PersistentModel)] = []
  }

  /// Collects the destinations of each owner from rows that are mostly ordered by owner. An object, because a variable
  /// that a closure changes is checked for exclusive access at each row.
  private final class ListCollector {
    @exclusivity(unchecked) var found = LoadedDestinations()
    @exclusivity(unchecked) private var owner: Int64 = 0
    @exclusivity(unchecked) private var models: [AnyObject] = []
    private let list: ([AnyObject]) -> any ErasedModelArray

    init(_ list: @escaping ([AnyObject]) -> any ErasedModelArray) { self.list = list }

    func append(_ model: AnyObject, of owner: Int64) {
      if owner != self.owner {
        close()
        self.owner = owner
        // Owners have about the same number of destinations.
        let expected = models.count
        models = found.lists[owner]?.models.map { $0 as AnyObject } ?? []
        models.reserveCapacity(expected)
      }
      models.append(model)
    }

    func close() {
      if !models.isEmpty { found.lists[owner] = list(models) }
    }
  }

  private func readLists(
    of owners: [any PersistentModel], _ index: Int, _ relationship: RelationshipPlan
  ) throws -> LoadedDestinations {
    var found = LoadedDestinations()
    guard let plan = owners.first?._$modelState.plan else { return found }
    let rowIDs = owners.map(\._$modelState.rowID).filter { $0 != 0 }
    guard !rowIDs.isEmpty else { return found }
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try identityMap(for: type)
      let group = map.makeGroup()
      // A deletion of a destination without a relationship back leaves the list alone until the save.
      let showsDeleted = relationship.inverse == nil || isUnaffectedByDeletion(relationship)
      let collecting = ListCollector { Model.list(of: $0) }
      try map.store.forEachLinkedRow(of: plan, index, owners: rowIDs) { generation, owner, row in
        let registered = map[row.rowID]
        let model: Model = try materialize(
          row, in: map, generation: generation, group: group, registered: registered)
        if registered != nil {
          guard showsDeleted || !model._$modelState.isDeleted,
            !hasMoved(model, relationship, from: owner)
          else { return }
          collecting.found.known.append((owner, model))
        }
        collecting.append(model, of: owner)
      }
      collecting.close()
      found = collecting.found
    }
    try open(relationship.destination)
    return found
  }

  /// Whether an unsaved change has moved a destination away from the owner that the store still assigns to it.
  private func hasMoved(
    _ model: any PersistentModel, _ relationship: RelationshipPlan, from owner: Int64
  ) -> Bool {
    let state = model._$modelState
    guard relationship.storage == .inverseColumn, let inverse = relationship.inverse,
      state.changes.contains(inverse)
    else { return false }
    switch model.links(at: inverse) {
    case .one(let destination): return destination?._$modelState.rowID != owner
    // Storage that can't hold nil is empty when the destination was removed.
    case .notLoaded: return state.reference(at: inverse) != owner
    case .many: return false
    }
  }

  /// Whether a deletion of the destination leaves the relationship untouched until it is saved.
  func isUnaffectedByDeletion(_ relationship: RelationshipPlan) -> Bool {
    guard let inverse = relationship.inverse, let plan = core.plan(of: relationship.destination)
    else { return false }
    let rule = plan.properties[inverse].relationship?.deleteRule
    return rule == .noAction || rule == .deny
  }
}

// MARK: - Cycles of references

extension ModelContext {
  /// Whether the inverse relationship of `model` is in memory, so that it keeps its destinations alive.
  func isListLoaded(_ model: any PersistentModel, _ inverse: Int?) -> Bool {
    guard let inverse else { return false }
    let state = model._$modelState
    guard let relationship = state.relationship(at: inverse), relationship.storage != .column else {
      return false
    }
    if case .notLoaded = model.links(at: inverse) {
      return state.linkChanges(at: inverse)?.base != nil
    }
    return true
  }

  /// Releases a to-one destination that holds `model` itself: the pair would keep each other alive forever. The key
  /// stays, and the destination is found by it.
  func releaseDestination(
    _ model: any PersistentModel, _ index: Int, towards destination: any PersistentModel
  ) {
    let state = model._$modelState
    let target = destination._$modelState
    guard state.rowID != 0, target.rowID != 0, !state.changes.contains(index),
      state.relationship(at: index)?.storage == .column,
      case .one(let held?) = model.links(at: index), held === destination
    else { return }
    model._$clear(index)
    state.setReference(target.rowID, at: index)
  }
}
