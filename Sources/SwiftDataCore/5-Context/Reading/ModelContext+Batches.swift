extension ModelContext {
  /// Fetches in batches: the rows are selected and counted now, and models are created when they are first read.
  ///
  /// - Parameters:
  ///   - descriptor: The models to fetch. Unsaved changes can't be included.
  ///   - batchSize: The number of models that are loaded together.
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` unless ``FetchDescriptor/includePendingChanges``
  ///   is false, and the errors of ``fetch(_:)``.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    try models(Array(try fetchIdentifiers(descriptor, batchSize: batchSize)), descriptor, batchSize)
  }

  /// Returns the models with the identifiers, a batch at a time.
  func models<T: PersistentModel>(
    _ identifiers: [PersistentIdentifier], _ descriptor: FetchDescriptor<T>, _ batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    let map = try identityMap(for: T.self)
    let properties = try propertiesToLoad(descriptor, map.plan)
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    try prefetch(prefetched, of: [], map)
    let rowIDs = identifiers.map { map.store.rowID(for: $0) ?? 0 }
    return FetchResultsCollection(count: rowIDs.count, batchSize: batchSize) { range in
      self.models(rowIDs[range], properties, prefetched, in: map)
    }
  }

  /// Returns the identifiers of the models that ``fetch(_:batchSize:)`` would return. All of them are determined now;
  /// no model is created.
  ///
  /// - Throws: The errors of ``fetch(_:batchSize:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    guard !descriptor.includePendingChanges else {
      throw SwiftDataError.includePendingChangesWithBatchSize
    }
    let identifiers = try fetchIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) { range in
      Array(identifiers[range])
    }
  }

  /// Returns the models of the rows, in the order of the rows, with empty models for rows that don't exist or can't be
  /// read.
  func models<T: PersistentModel>(
    _ rowIDs: ArraySlice<Int64>, _ properties: [Int]?, _ prefetched: [PartialKeyPath<T>],
    in map: IdentityMap
  ) -> [T] {
    var found: [Int64: T] = [:]
    do {
      let query = try map.store.prepare(rowIDs: Array(rowIDs), of: map.plan, properties: properties)
      try forEachModel(of: query, map, properties) { (model: T) in
        found[model._$modelState.rowID] = model
      }
      try prefetch(prefetched, of: rowIDs.compactMap { found[$0] }, map)
    } catch {
      SwiftDataLog.report(
        .warning, "ModelContext",
        "a batch of \(T.self) can't be read at once, so its rows are read singly", error)
      for rowID in rowIDs where found[rowID] == nil {
        found[rowID] = fetchOrReport(rowID, as: T.self)
      }
    }
    return rowIDs.map { found[$0] ?? Self.missing() }
  }

  /// Loads those of some rows that the context doesn't have yet, with one statement. The models stay registered as long
  /// as the caller holds them.
  func load<T: PersistentModel>(_ rowIDs: [Int64], in map: IdentityMap) throws -> [T] {
    let missing = rowIDs.filter { !(map[$0] is T) }
    guard !missing.isEmpty else { return [] }
    var found: [T] = []
    let query = try map.store.prepare(rowIDs: missing, of: map.plan, properties: nil)
    try forEachModel(of: query, map) { found.append($0) }
    return found
  }

  private static func missing<T: PersistentModel>() -> T {
    let hollow = T(_hollow: _HollowModel())
    hollow._$modelState.flags = .rowDeleted
    return hollow
  }
}
