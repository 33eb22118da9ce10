import SwiftDataCore

// An addition to Apple's interface: the values of models without the models.

extension ModelContext {
  /// Fetches values: the same as `fetch(descriptor).map(\.snapshot)`, without making models when the store can answer
  /// alone.
  ///
  /// Rows are read directly into structures, and nothing is registered. Models are made, and kept no longer than the
  /// call, when the context has unsaved changes that could matter, when a part of the predicate or of the sort can't be
  /// expressed in SQL, and for custom data stores. With ``FetchDescriptor/includePendingChanges`` false the values are
  /// those of the store. ``FetchDescriptor/propertiesToFetch`` and prefetching have no effect here.
  ///
  /// - Parameter descriptor: The description of the fetch.
  /// - Throws: The errors of ``fetch(_:)``.
  @inlinable
  public func snapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [T.Snapshot] {
    // Compiled for each class: otherwise a list whose element type the code doesn't know is filled through the type's
    // metadata, which is looked up for each row.
    var snapshots: [T.Snapshot] = []
    let wereRead = try forEachSnapshotRow(of: descriptor) { row in
      snapshots.append(try T.Snapshot(_row: &row))
    }
    return wereRead ? snapshots : try snapshotsOfModels(descriptor)
  }

  /// Passes the rows that `descriptor` describes to `body`.
  ///
  /// - Returns: False when models are needed; no row is passed then.
  @usableFromInline
  func forEachSnapshotRow<T: SnapshotableModel>(
    of descriptor: FetchDescriptor<T>, _ body: (inout _SnapshotReader) throws -> Void
  ) throws -> Bool {
    guard let statement = try valueQuery(descriptor, for: .models)?.statement.snapshots else {
      return false
    }
    try statement.forEachSnapshot { _, row in try body(&row) }
    return true
  }

  @usableFromInline
  func snapshotsOfModels<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T.Snapshot] {
    try fetch(whole(descriptor)).map(\.snapshot)
  }

  /// Calls `block` with the values of each model that `descriptor` describes, reading one batch at a time: memory grows
  /// by one row id for each row.
  ///
  /// The rows are selected now and read batch by batch, each batch as the store is then. A row that is deleted in the
  /// meantime is left out. No lock is held while `block` runs, so it may save and fetch.
  ///
  /// - Parameters:
  ///   - descriptor: The description of the fetch.
  ///   - batchSize: The number of rows that are read together.
  ///   - block: Receives each value in order. An error that it throws ends the enumeration.
  /// - Throws: The errors of ``snapshots(_:)`` and of `block`.
  public func enumerateSnapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(), batchSize: Int = 5000,
    block: (T.Snapshot) throws -> Void
  ) throws {
    guard let query = try valueQuery(descriptor, for: .identifiers) else {
      return try enumerate(
        whole(descriptor), batchSize: batchSize, allowEscapingMutations: true
      ) { try block($0.snapshot) }
    }
    let rowIDs = try query.statement.rowIDs()
    let size = max(1, batchSize)
    for start in stride(from: 0, to: rowIDs.count, by: size) {
      let batch = Array(rowIDs[start..<min(start + size, rowIDs.count)])
      var found = [Int64: T.Snapshot](minimumCapacity: batch.count)
      let rows = try valueQuery(rowIDs: batch, of: T.self)
      try rows.statement.snapshots?.forEachSnapshot { found[$0] = try T.Snapshot(_row: &$1) }
      for rowID in batch {
        if let snapshot = found[rowID] { try block(snapshot) }
      }
    }
  }

  /// Inserts a model with a snapshot's values, including destinations of to-one relationships.
  ///
  /// The model is always a new one, regardless of the snapshot's ``ModelSnapshot/persistentModelID``.
  ///
  /// - Parameters:
  ///   - snapshot: The values.
  ///   - type: The model's class.
  /// - Returns: The model.
  /// - Throws: The errors of ``SnapshotableModel/apply(_:)``. Nothing is inserted then.
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

  private func whole<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) -> FetchDescriptor<T> {
    var descriptor = descriptor
    descriptor.propertiesToFetch = []
    descriptor.relationshipKeyPathsForPrefetching = []
    return descriptor
  }
}

extension ModelContainer {
  /// The values of the models that `descriptor` describes, as the store has them: from any isolation, without a context
  /// to keep.
  ///
  /// - Parameter descriptor: The description of the fetch.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public nonisolated func snapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [T.Snapshot] {
    try ModelContext(self).snapshots(descriptor)
  }

  /// Calls `block` with the values of each model that `descriptor` describes; see
  /// ``ModelContext/enumerateSnapshots(_:batchSize:block:)``.
  ///
  /// - Parameters:
  ///   - descriptor: The description of the fetch.
  ///   - batchSize: The number of rows that are read together.
  ///   - block: Receives each value in order.
  /// - Throws: The errors of ``ModelContext/fetch(_:)`` and of `block`.
  public nonisolated func enumerateSnapshots<T: SnapshotableModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(), batchSize: Int = 5000,
    block: (T.Snapshot) throws -> Void
  ) throws {
    try ModelContext(self).enumerateSnapshots(descriptor, batchSize: batchSize, block: block)
  }
}
