/// Loads a relationship from the store: on first access, for all models that were fetched together.
struct LinkLoader {
  private let context: ModelContext
  /// The position of the relationship among the properties of its owners.
  private let index: Int
  private let relationship: RelationshipPlan

  init(_ context: ModelContext, _ index: Int, _ relationship: RelationshipPlan) {
    self.context = context
    self.index = index
    self.relationship = relationship
  }

  /// Reads the relationship of one model that has a row, without storing it in the model.
  func stored(of model: any PersistentModel) -> [any PersistentModel] {
    let state = model._$modelState
    context.beginOperation()
    defer { context.endOperation() }
    do {
      try context.beginReading()
      defer { context.endReading() }
      let lists = try readLists(of: [model]).lists
      return merged(lists[state.rowID]?.models ?? [], with: state.linkChanges(at: index))
    } catch {
      report(error, state.plan)
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

  private func report(_ error: any Error, _ plan: EntityPlan?) {
    let name = plan.map { "\($0.name).\($0.properties[index].name)" } ?? "a relationship"
    SwiftDataLog.report(
      .error, "ModelContext", "\(name) can't be read", error)
  }

  /// Loads the relationship of a model and its neighbors.
  func load(for model: any PersistentModel) {
    let owners = neighbours(of: model)
    context.beginOperation()
    defer { context.endOperation() }
    do {
      try context.beginReading()
      defer { context.endReading() }
      if relationship.storage == .column {
        try loadDestinations(of: owners)
      } else {
        try loadLists(of: owners)
      }
    } catch {
      report(error, model._$modelState.plan)
    }
  }

  /// Returns `model` and the models fetched after it that haven't loaded the relationship yet, at most one batch.
  private func neighbours(of model: any PersistentModel) -> [any PersistentModel] {
    let state = model._$modelState
    guard let group = state.group, let plan = state.plan, group.plan.table == plan.table
    else { return [model] }
    let rows = context.link.rows(of: plan)
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

  private func loadDestinations(of owners: [any PersistentModel]) throws {
    let context = context
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try context.identityMap(for: type)
      var known: [Int64: Model] = [:]
      var missing: [Int64] = []
      for rowID in Set(owners.compactMap { $0._$modelState.reference(at: index) }) {
        if let model = map[rowID] as? Model { known[rowID] = model } else { missing.append(rowID) }
      }
      if !missing.isEmpty {
        let group = map.makeGroup()
        let query = try map.store.prepare(
          rowIDs: missing.sorted(), of: map.plan, properties: nil)
        try query.statement.forEachRow {
          generation, row in
          known[row.rowID] = try context.materialize(
            row, in: map, generation: generation, group: group)
        }
      }
      for owner in owners {
        guard let rowID = owner._$modelState.reference(at: index) else { continue }
        let destination = known[rowID]
        // Treated as missing as long as its deletion may be taken back: the key still refers to its row.
        if let destination, destination._$modelState.isDeleted { continue }
        if let destination, context.isListLoaded(destination, relationship.inverse) { continue }
        owner.fillLinks(.one(destination), at: index)
      }
    }
    try open(relationship.destination)
  }

  private func loadLists(of owners: [any PersistentModel]) throws {
    let found = try readLists(of: owners)
    for owner in owners {
      let state = owner._$modelState
      let list = found.lists[state.rowID]
      guard relationship.isToMany, state.linkChanges.isEmpty else {
        fillChanged(owner, with: list?.models ?? [])
        continue
      }
      owner.fillLinks(list.map { .list($0) } ?? .many([]), at: index)
    }
    // Models that were just created hold no destinations.
    guard let inverse = relationship.inverse, !found.known.isEmpty else { return }
    let byRow = Dictionary(
      owners.map { ($0._$modelState.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    for (rowID, model) in found.known {
      guard let owner = byRow[rowID] else { continue }
      release(owner, from: model, inverse) { found.lists[rowID]?.models.count ?? 0 }
    }
  }

  /// Does the same for one owner whose list has changed since it was read, or whose relationship is to-one.
  private func fillChanged(
    _ owner: any PersistentModel, with models: [any PersistentModel]
  ) {
    let state = owner._$modelState
    let list = merged(models, with: state.linkChanges(at: index))
    owner.fillLinks(relationship.isToMany ? .many(list) : .one(list.first), at: index)
    if state.linkChanges(at: index) != nil {
      state.changeLinks(at: index) { $0.clearListChanges() }
    }
    guard let inverse = relationship.inverse else { return }
    for destination in list { release(owner, from: destination, inverse) { list.count } }
  }

  /// Makes a model of a list that was loaded find the list's owner by its key, instead of holding it.
  private func release(
    _ owner: any PersistentModel, from model: any PersistentModel, _ inverse: Int,
    listCount: () -> Int
  ) {
    guard context.releaseDestination(model, inverse, towards: owner) else { return }
    context.keepForAWhile(owner, listCount: listCount)
  }

  private func readLists(of owners: [any PersistentModel]) throws -> LoadedDestinations {
    let (context, relationship) = (context, relationship)
    var found = LoadedDestinations()
    guard let plan = owners.first?._$modelState.plan else { return found }
    let rowIDs = owners.map(\._$modelState.rowID).filter { $0 != 0 }
    guard !rowIDs.isEmpty else { return found }
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try context.identityMap(for: type)
      let group = map.makeGroup()
      // A deletion of a destination without a relationship back leaves the list alone until the save.
      let showsDeleted = relationship.inverse == nil || relationship.isUnaffectedByDeletion
      let collecting = ListCollector { Model.list(of: $0) }
      try map.store.forEachLinkedRow(of: plan, index, owners: rowIDs) { generation, owner, row in
        let registered = map[row.rowID]
        let model: Model = try context.materialize(
          row, in: map, generation: generation, group: group, registered: registered)
        if registered != nil {
          guard showsDeleted || !model._$modelState.isDeleted,
            !Self.hasMoved(model, relationship, from: owner)
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
  private static func hasMoved(
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
}
