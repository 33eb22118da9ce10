import SwiftData
import SwiftDataCore

/// A store under test, and the requests that a context would send to it.
final class CheckedStore<Store: DataStore> {
  let check: String
  let store: Store
  let state: EditingState
  private let plans: [String: EntityPlan]

  init(_ configuration: Store.Configuration, check: String) throws {
    self.check = check
    state = EditingState(author: "conformance")
    let plans = try EntityPlan.plans(of: ConformanceSchema.schema.types)
    self.plans = Dictionary(
      plans.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    store = try SnapshotPlans.with(self.plans) {
      try Store(configuration, migrationPlan: nil)
    }
    store.initializeState(for: state)
  }

  /// Runs `body` as a container would: with the plans that decode snapshots in scope.
  func using<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    try SnapshotPlans.with(plans) { try body(store) }
  }

  func expect(
    _ condition: Bool, _ expected: String, found: @autoclosure () -> String
  ) throws {
    guard condition else {
      throw ConformanceFailure(check: check, expected: expected, found: found())
    }
  }

  func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    try expect(found == expected, "\(what) to be \(expected)", found: "\(found)")
  }

  // MARK: Snapshots

  func snapshots(of models: [any PersistentModel]) -> [Store.Snapshot] {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func open<Model: PersistentModel>(_ model: Model) -> Store.Snapshot {
      Store.Snapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
    }
    return using { _ in models.map { open($0) } }
  }

  // MARK: Requests

  @discardableResult
  func save(
    inserted: [Store.Snapshot] = [], updated: [Store.Snapshot] = [], deleted: [Store.Snapshot] = []
  ) throws -> DataStoreSaveChangesResult<Store.Snapshot> {
    try using { store in
      try store.save(
        DataStoreSaveChangesRequest(
          inserted: inserted, updated: updated, deleted: deleted, editingState: state))
    }
  }

  /// Saves new models and returns their permanent identifiers in order.
  @discardableResult
  func insert(_ models: [any PersistentModel]) throws -> [PersistentIdentifier] {
    let snapshots = snapshots(of: models)
    let result = try save(inserted: snapshots)
    return try snapshots.map { snapshot in
      let permanent = result.remappedIdentifiers[snapshot.persistentIdentifier]
      guard let permanent else {
        throw ConformanceFailure(
          check: check,
          expected: "remappedIdentifiers to have the identifier of every inserted snapshot",
          found: "none for one of \(snapshot.persistentIdentifier.entityName)")
      }
      return permanent
    }
  }

  func request<T>(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: state)
  }

  func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [Store.Snapshot] {
    try using { try $0.fetch(request(descriptor)).fetchedSnapshots }
  }

  /// The books that the store finds; all books when no descriptor is given.
  func books(
    _ descriptor: FetchDescriptor<ConformanceBook> = FetchDescriptor()
  ) throws -> [ConformanceBookForm] {
    try fetch(descriptor).map { try ConformanceBookForm($0) }
  }

  /// Returns the result of `body`, or nil when the store throws one of the `declining` errors.
  func unlessDeclined<Result>(
    _ declining: DataStoreError..., body: () throws -> Result
  ) throws -> Result? {
    do { return try body() } catch let error as DataStoreError where declining.contains(error) {
      return nil
    }
  }
}
