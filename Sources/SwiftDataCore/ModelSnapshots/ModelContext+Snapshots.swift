// An addition to Apple's interface: values of models without models.

extension ModelContext {
  /// Fetches values: what `fetch(descriptor).map(\.snapshot)` gives, without making models where the store can answer
  /// alone.
  ///
  /// Rows are read straight into structures, and nothing is registered. Models are made, and stay no longer than the
  /// call, when the context has unsaved changes that could matter, when a part of the predicate or of the sort can't be
  /// expressed in SQL, and for custom data stores. With ``FetchDescriptor/includePendingChanges`` false the values are
  /// those of the store. ``FetchDescriptor/propertiesToFetch`` and prefetching mean nothing here.
  ///
  /// - Parameter descriptor: What to fetch.
  /// - Throws: What ``fetch(_:)`` throws.
  @inlinable
  public func snapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [T.Snapshot] {
    // Compiled for each class: a list whose element type the code doesn't know is filled through the type's metadata,
    // which is looked up for each row.
    var snapshots: [T.Snapshot] = []
    let wereRead = try forEachSnapshotRow(of: descriptor) { row in
      snapshots.append(try T.Snapshot(_row: &row))
    }
    return wereRead ? snapshots : try snapshotsOfModels(descriptor)
  }

  /// Passes on the rows that `descriptor` asks for.
  ///
  /// - Returns: False, and nothing passed on, when models are needed.
  @usableFromInline
  func forEachSnapshotRow<T: SnapshotableModel>(
    of descriptor: FetchDescriptor<T>, _ body: (inout _SnapshotReader) throws -> Void
  ) throws -> Bool {
    let map = try identityMap(for: T.self)
    guard let query = try snapshotQuery(descriptor, map, for: .models) else { return false }
    try map.store.forEachSnapshot(of: query) { _, row in try body(&row) }
    return true
  }

  @usableFromInline
  func snapshotsOfModels<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T.Snapshot] {
    try fetch(whole(descriptor)).map(\.snapshot)
  }

  /// Calls `block` with the values of each model that `descriptor` asks for, reading a batch at a time: memory grows
  /// by a row id a row.
  ///
  /// The rows are chosen now and read batch by batch, each batch as the store is then. A row that is deleted meanwhile
  /// is left out. No lock is held while `block` runs, so it may save and fetch.
  ///
  /// - Parameters:
  ///   - descriptor: What to read.
  ///   - batchSize: How many rows are read together.
  ///   - block: Gets each value in order. What it throws ends the enumeration.
  /// - Throws: What ``snapshots(_:)`` and `block` throw.
  public func enumerateSnapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(), batchSize: Int = 5000,
    block: (T.Snapshot) throws -> Void
  ) throws {
    let map = try identityMap(for: T.self)
    guard let query = try snapshotQuery(descriptor, map, for: .identifiers) else {
      return try enumerate(
        whole(descriptor), batchSize: batchSize, allowEscapingMutations: true
      ) { try block($0.snapshot) }
    }
    let rowIDs = try map.store.rowIDs(of: query)
    let size = max(1, batchSize)
    for start in stride(from: 0, to: rowIDs.count, by: size) {
      let batch = Array(rowIDs[start..<min(start + size, rowIDs.count)])
      var found = [Int64: T.Snapshot](minimumCapacity: batch.count)
      let rows = try map.store.prepare(rowIDs: batch, of: map.plan, properties: nil)
      try map.store.forEachSnapshot(of: rows) { found[$0] = try T.Snapshot(_row: &$1) }
      for rowID in batch {
        if let snapshot = found[rowID] { try block(snapshot) }
      }
    }
  }

  /// Inserts a model with a snapshot's values, destinations of to-one relationships included.
  ///
  /// The model is a new one, whatever the snapshot's ``ModelSnapshot/persistentModelID``.
  ///
  /// - Parameters:
  ///   - snapshot: The values.
  ///   - type: The model's class.
  /// - Returns: The model.
  /// - Throws: What ``SnapshotableModel/apply(_:)`` throws. Nothing is inserted then.
  @discardableResult
  public func insert<T: SnapshotableModel>(
    _ snapshot: T.Snapshot, as type: T.Type
  ) throws -> T {
    let model = T(_hollow: _HollowModel())
    _start(model, with: snapshot)
    insert(model)
    do { try model.apply(snapshot) } catch {
      delete(model)
      throw error
    }
    return model
  }

  /// The store's form of a request for values; nil when models are needed.
  private func snapshotQuery<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap, for purpose: StoreRequest<T>.Purpose
  ) throws -> StoreQuery? {
    guard map.store.readsSnapshots else { return nil }
    if descriptor.includePendingChanges {
      let leadsElsewhere = !map.plan.relationships.isEmpty
      let hasPending = !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty)
      if hasPending, leadsElsewhere || hasPendingChanges(of: T.self) { return nil }
    }
    var request = request(for: descriptor, map)
    request.purpose = purpose
    let query = try map.store.prepare(request)
    return query.isFilterExact && query.isSortExact ? query : nil
  }

  private func whole<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) -> FetchDescriptor<T> {
    var descriptor = descriptor
    descriptor.propertiesToFetch = []
    descriptor.relationshipKeyPathsForPrefetching = []
    return descriptor
  }
}

extension ModelContainer {
  /// The values that `descriptor` asks for, as the store has them: from any isolation, without a context to keep.
  ///
  /// - Parameter descriptor: What to read.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public nonisolated func snapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [T.Snapshot] {
    try ModelContext(self).snapshots(descriptor)
  }

  /// Calls `block` with the values of each model that `descriptor` asks for; see
  /// ``ModelContext/enumerateSnapshots(_:batchSize:block:)``.
  ///
  /// - Parameters:
  ///   - descriptor: What to read.
  ///   - batchSize: How many rows are read together.
  ///   - block: Gets each value in order.
  /// - Throws: What ``ModelContext/fetch(_:)`` and `block` throw.
  public nonisolated func enumerateSnapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(), batchSize: Int = 5000,
    block: (T.Snapshot) throws -> Void
  ) throws {
    try ModelContext(self).enumerateSnapshots(descriptor, batchSize: batchSize, block: block)
  }
}
