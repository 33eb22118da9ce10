import Foundation

extension ModelContext {
  /// Fetches the models that `descriptor` selects, including unsaved changes unless it excludes them.
  ///
  /// - Throws: ``SwiftDataError`` for a class, predicate or sort that can't be used, the store's error when it
  ///   can't be read, ``RowDecodingError`` when a row doesn't fit the model.
  @inlinable
  @inline(__always)
  public func fetch<T: PersistentModel>(_ descriptor: borrowing FetchDescriptor<T>) throws -> [T] {
    try fetch(descriptor, _FetchSummary(descriptor))
  }

  @usableFromInline
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ summary: _FetchSummary
  ) throws -> [T] {
    autosaveIfDue()
    let map = try identityMap(for: T.self)
    beginOperation()
    defer { endOperation() }
    // Afterwards, because reading finds out whether another process has written.
    defer { catchUp() }
    if summary.includesPendingChanges, hasPendingChanges(of: T.self) {
      return try PendingFetch(descriptor, map, in: self).models()
    }
    let query = try query(for: descriptor, summary, map)
    let models: [T]
    if !summary.includesPendingChanges, pending.hasModels,
      !(query.isFilterExact && query.isSortExact)
    {
      models = try storedModels(descriptor, map)
    } else {
      models = try self.models(of: query, map, descriptor, limit: summary.limit)
    }
    if summary.isPrefetching {
      try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models, map)
    }
    return models
  }

  @inline(__always)
  private func models<T: PersistentModel>(
    of query: StoreQuery, _ map: IdentityMap, _ descriptor: FetchDescriptor<T>, limit: Int?
  ) throws -> [T] {
    // Collected as plain references: this code is compiled once for all classes, and appending to a list whose element
    // type is unknown goes through the type's metadata.
    var found: [AnyObject] = []
    if let limit, limit > 0 { found.reserveCapacity(min(limit, 256)) }
    try forEachModel(of: query, map, query.properties) { (model: consuming T) in
      found.append(consume model)
    }
    return try finish(T.list(of: found), query, descriptor)
  }

  /// Returns the models that the stored values select, where a predicate or an order is left to memory.
  ///
  /// Another context evaluates them, because models of this one have unsaved values.
  private func storedModels<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) throws -> [T] {
    var stored = descriptor
    stored.propertiesToFetch = []
    stored.relationshipKeyPathsForPrefetching = []
    let rowIDs = try ModelContext(container).fetch(stored).compactMap {
      map.store.rowID(for: $0.persistentModelID)
    }
    let query = try map.store.prepare(rowIDs: rowIDs, of: map.plan, properties: nil)
    var found: [Int64: T] = [:]
    try forEachModel(of: query, map) { (model: T) in found[model._$modelState.rowID] = model }
    return rowIDs.compactMap { found[$0] }
  }

  /// The number of pending models that fetches and look-ups have examined so far.
  package var pendingSteps: Int { pending.steps }

  func hasPendingChanges<T: PersistentModel>(of type: T.Type) -> Bool {
    if !pending.batchDeletions.isEmpty, batchDeletionsAffect(type) { return true }
    return pending.hasModels(of: type)
  }

  /// Returns the query of a fetch that the context's changes don't affect, or only changes of other classes.
  private func query<T: PersistentModel>(
    for descriptor: FetchDescriptor<T>, _ summary: _FetchSummary, _ map: IdentityMap
  ) throws -> StoreQuery {
    let hasChanges = pending.hasModels
    if summary.isWhole, !hasChanges || map.plan.relationships.isEmpty,
      let store = map.capabilities.queryReuse
    {
      return try store.query(for: summary, of: map.plan) {
        descriptor.sortBy
      } request: {
        self.request(for: descriptor, map)
      }
    }
    var request = request(for: descriptor, map)
    if !summary.isWhole { request.properties = try propertiesToLoad(descriptor, map.plan) }
    return try map.store.prepare(request)
  }

  /// Loads relationships of fetched models immediately instead of on first access.
  func prefetch<T: PersistentModel>(
    _ keyPaths: [PartialKeyPath<T>], of models: [T], _ map: IdentityMap
  ) throws {
    for keyPath in keyPaths {
      let goesOn = RelationshipPath.leadsToOne(keyPath) && map.plan.property(for: keyPath) == nil
      guard
        let index = map.plan.property(for: keyPath)
          ?? RelationshipPath.firstRelationship(of: keyPath, map.plan),
        let relationship = map.plan.properties[index].relationship
      else {
        throw SwiftDataError.unsupportedKeyPath.explained(
          "\(keyPath) in relationshipKeyPathsForPrefetching is no relationship of \(T.self).")
      }
      for model in models {
        if case .notLoaded = model.links(at: index), model._$modelState.rowID != 0 {
          load(index, of: model, relationship)
        }
      }
      guard goesOn else { continue }
      // Following the path loads the relationships behind the first one, for many models at a time while they are held.
      let mayFail = ForcedPath.mayFail(keyPath)
      let followed = models.filter { mayFail?($0) != true }
      withExtendedLifetime(followed.map { $0[keyPath: keyPath] }) {}
    }
  }

  /// Returns the number of models that ``fetch(_:)`` would return.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    autosaveIfDue()
    let map = try identityMap(for: T.self)
    beginOperation()
    defer { endOperation() }
    if descriptor.includePendingChanges, hasPendingChanges(of: T.self) {
      let fetch = try PendingFetch(descriptor, map, in: self)
      return try fetch.count() ?? fetch.models().count
    }
    var request = request(for: descriptor, map)
    request.sortBy = []
    request.purpose = .count
    let query = try map.store.prepare(request)
    guard query.isFilterExact else { return try fetch(descriptor).count }
    return try query.statement.count()
  }

  /// Returns the identifiers of the models that ``fetch(_:)`` would return, without making models where the store can
  /// answer alone.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    autosaveIfDue()
    let map = try identityMap(for: T.self)
    beginOperation()
    defer { endOperation() }
    defer { catchUp() }
    // The identifier of an instance of a subclass names the subclass.
    if map.plan.family == nil, !(descriptor.includePendingChanges && hasPendingChanges(of: T.self))
    {
      var request = request(for: descriptor, map)
      request.purpose = .identifiers
      let query = try map.store.prepare(request)
      if query.isFilterExact && query.isSortExact {
        return try query.statement.rowIDs().map { map.identifier(of: $0) }
      }
    }
    return try fetch(descriptor).map(\.persistentModelID)
  }
}

// MARK: - Steps

extension ModelContext {
  func request<T: PersistentModel>(
    for descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) -> StoreRequest<T> {
    var request = StoreRequest<T>(plan: map.plan)
    request.editingState = editingState
    request.relationshipKeyPathsForPrefetching = descriptor.relationshipKeyPathsForPrefetching
    request.predicate = descriptor.predicate
    request.sortBy = descriptor.sortBy
    request.limit = descriptor.fetchLimit.map { max(0, $0) }
    request.offset = descriptor.fetchOffset.map { max(0, $0) }
    let looksAround = descriptor.predicate != nil || !descriptor.sortBy.isEmpty
    if descriptor.includePendingChanges, looksAround, !map.plan.relationships.isEmpty {
      request.changed = pending.types()
    }
    return request
  }

  /// - Parameter properties: The positions of the properties that the rows have; nil for all.
  func forEachModel<T: PersistentModel>(
    of query: StoreQuery, _ map: IdentityMap, _ properties: [Int]? = nil,
    _ body: (consuming T) throws -> Void
  ) throws {
    try beginReading()
    defer { endReading() }
    beginOperation()
    defer { endOperation() }
    let group = map.makeGroup()
    guard let properties else {
      try query.statement.forEachRow { generation, row in
        let model: T
        do {
          model = try materialize(
            row, in: map, generation: generation, group: group, registered: map[row.rowID])
        } catch let error as RowDecodingError {
          throw error.located(at: map.store.identifier(rowID: row.rowID, entity: row.plan.name))
        }
        try body(model)
      }
      try query.statement.wholeModels?.forEachRelatedRow { generation, row in
        try refreshRegistered(row, generation: generation)
      }
      return
    }
    let fetch = PartialFetch(
      missing: map.plan.properties.indices.filter { !properties.contains($0) })
    var stale: [Int64] = []
    try query.statement.forEachRow { generation, row in
      let rowID = row.rowID
      if let registered = map[rowID] as? T {
        if registered._$modelState.generation != generation { stale.append(rowID) }
        group?.append(registered._$modelState, rowID)
        return try body(registered)
      }
      let model = T(_hollow: _HollowModel())
      let count = operations.readingCount
      do { try decode(properties, of: model, row.cells, map.plan) } catch let error
        as RowDecodingError
      {
        throw error.located(at: map.identifier(of: rowID))
      }
      if count != operations.readingCount, let known = map[rowID] as? T { return try body(known) }
      let place = model._$modelPlace
      place.fields.pointee.begin(row, in: link, generation: generation)
      map.rows.register(model, place)
      model._$modelState.partial = (fetch, fetch.append(model))
      group?.append(model._$modelState, rowID)
      try body(model)
    }
    // Registered models of older rows are brought up to date as a whole.
    guard !stale.isEmpty else { return }
    let whole = try map.store.prepare(rowIDs: stale, of: map.plan, properties: nil)
    try forEachModel(of: whole, map) { (_: T) in }
  }

  /// Returns the one instance for a row: the registered one, brought up to date unless it has changes, or a new one.
  func materialize<T: PersistentModel>(
    _ row: RowView, in map: IdentityMap, generation: UInt64, group: FetchGroup? = nil
  ) throws -> T {
    try materialize(
      row, in: map, generation: generation, group: group, registered: map[row.rowID])
  }

  /// - Parameter registered: The instance that the context has for the row.
  func materialize<T: PersistentModel>(
    _ row: RowView, in map: IdentityMap, generation: UInt64, group: FetchGroup?,
    registered: AnyObject?
  ) throws -> T {
    if let registered = registered as? T {
      let state = registered._$modelState
      if state.followsRow {
        if state.generation != generation {
          // Set first: decoding may run custom code, which may come back to this row.
          let older = state.generation
          state.generation = generation
          do { try refresh(registered, row.cells, row.plan) } catch {
            state.generation = older
            throw error
          }
        } else if let partial = state.partial {
          try decode(partial.fetch.missing, of: registered, row.cells, row.plan)
        }
        state.partial = nil
      }
      group?.append(state, row.rowID)
      return registered
    }
    let model =
      if row.isOf(map.plan) {
        T(_hollow: _HollowModel())
      } else {
        try Self.instance(of: row.plan, as: T.self)
      }
    // Reading the handle would retain it needlessly: this function keeps the model alive.
    let place = model._$modelPlace
    let count = operations.readingCount
    var reader = _RowReader(row, place)
    try model._$decode(from: &reader)
    // Decoding ran custom code, which has fetched the row meanwhile.
    if count != operations.readingCount, let known = map[row.rowID] as? T { return known }
    place.fields.pointee.begin(row, in: link, generation: generation)
    map.rows.register(model, place)
    group?.append(model._$modelState, row.rowID)
    return model
  }

  /// Returns an empty instance of a subclass.
  private static func instance<T: PersistentModel>(
    of plan: EntityPlan, as type: T.Type
  ) throws -> T {
    guard let type = plan.type as? T.Type else {
      throw SwiftDataError.unknownSchema.explained("A row of \(plan.name) is no \(T.self).")
    }
    return type.init(_hollow: _HollowModel())
  }

  /// Takes over the values of a newer row; observers are notified of the properties that differ.
  private func refresh<T: PersistentModel>(
    _ model: T, _ cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan
  ) throws {
    let state = model._$modelState
    state.linkChanges = []
    guard state.isObserved else {
      var reader = _RowReader(cells: cells, plan: plan, state: state)
      return try model._$decode(from: &reader)
    }
    var writer = _RowWriter(plan: plan)
    writer.begin(state)
    model._$encode(into: &writer)
    for (index, property) in plan.properties.enumerated()
    where !writer.isEqual(to: cells, in: property.columns) {
      var failure: (any Error)?
      model.replace(index, plan) { model in
        var reader = _RowReader(cells: cells, plan: plan, state: state)
        reader.property = index
        reader.column = property.columns.lowerBound
        do { try model._$decode(index, from: &reader) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    for index in plan.relationships where plan.properties[index].columns.isEmpty {
      unloadObservedList(of: model, index, plan)
    }
  }

  /// Filters, sorts and cuts in memory where the store couldn't.
  func finish<T: PersistentModel>(
    _ models: [T], _ query: StoreQuery, _ descriptor: FetchDescriptor<T>
  ) throws -> [T] {
    if query.isFilterExact && query.isSortExact { return models }
    // Predicate and order may read models and lists that are registered and weren't fetched.
    catchUp()
    var models = models
    if !query.isFilterExact, let predicate = descriptor.predicate {
      MemoryFiltering.recordFetch(query.plan.name)
      models = try models.filter(PredicateEvaluation(predicate).callAsFunction)
    }
    if !query.isSortExact { models = try sorted(models, by: descriptor.sortBy) }
    return cut(models, descriptor)
  }

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor`` for a key path that could end the process.
  func sorted<T: PersistentModel>(_ models: [T], by sort: [SortDescriptor<T>]) throws -> [T] {
    guard !sort.isEmpty, models.count > 1 else { return models }
    let order = try SortComparison(sort)
    return models.sorted { order.compare($0, $1) == .orderedAscending }
  }

  func cut<T: PersistentModel>(_ models: [T], _ descriptor: FetchDescriptor<T>) -> [T] {
    let start = min(max(0, descriptor.fetchOffset ?? 0), models.count)
    // Apple's framework treats a limit of 0 as "no limit", as Core Data does.
    guard let limit = descriptor.fetchLimit, limit > 0 else { return Array(models[start...]) }
    return Array(models[start...].prefix(limit))
  }
}
