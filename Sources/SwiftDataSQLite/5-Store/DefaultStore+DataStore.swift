import Foundation
import SwiftDataCore

/// Implements the same interface as any other data store, with snapshots instead of rows.
///
/// A container's contexts don't use this interface, since rows are faster. Results and effects are
/// the same, because each request is executed by its own context.
extension DefaultStore: DataStore, DataStoreBatching {
  public typealias Configuration = ModelConfiguration
  public typealias Snapshot = DefaultSnapshot

  /// A context with only this store.
  private func context(for editingState: EditingState) -> ModelContext {
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [self]))
    context.editingState = editingState
    return context
  }

  /// Finds models. The destinations of `relationshipKeyPathsForPrefetching` are included as related
  /// snapshots.
  ///
  /// - Throws: ``SwiftDataError`` for a class, predicate or order that can't be used,
  ///   ``StoreError`` when the file can't be read.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let context = context(for: request.editingState)
    var descriptor = request.descriptor
    descriptor.propertiesToFetch = []
    let models = try context.fetch(descriptor)
    var related: [PersistentIdentifier: DefaultSnapshot] = [:]
    for keyPath in request.descriptor.relationshipKeyPathsForPrefetching {
      for model in models {
        for destination in Self.models(in: model[keyPath: keyPath as AnyKeyPath]) {
          related[destination.persistentModelID] = Self.snapshot(of: destination)
        }
      }
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: models.map { Self.snapshot(of: $0) },
      relatedSnapshots: related)
  }

  private static func snapshot(of model: any PersistentModel) -> DefaultSnapshot {
    func open<Model: PersistentModel>(_ model: Model) -> DefaultSnapshot {
      var unsaved: [PersistentIdentifier: any BackingData] = [:]
      return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &unsaved)
    }
    return open(model)
  }

  private static func models(in value: Any?) -> [any PersistentModel] {
    guard let value else { return [] }
    if let optional = value as? any OptionalType { return models(in: optional.wrappedValue) }
    if let model = value as? any PersistentModel { return [model] }
    return (value as? [any PersistentModel]) ?? []
  }

  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try context(for: request.editingState).fetchCount(request.descriptor)
  }

  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try context(for: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Writes changes in one transaction. An inserted snapshot whose unique values are already stored
  /// updates that model, and then gets its identifier.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a snapshot that doesn't fit the store,
  ///   ``StoreError`` when the database refuses; nothing is written then.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let saving = SnapshotSaver(store: self, context: context(for: request.editingState))
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: try saving.run(request))
  }

  /// Deletes every model that the request describes, with the effects of the delete rules, in one
  /// transaction.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    let context = context(for: request.editingState)
    try context.delete(
      model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  /// Does nothing: no state is kept for a context.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing: no state is kept for a context.
  public func invalidateState(for editingState: EditingState) {}

  /// The stored values of those models that exist, with one statement per entity: the database's
  /// own cache is fast enough.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let context = context(for: editingState)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (entity, identifiers) in Dictionary(grouping: persistentIdentifiers, by: \.entityName) {
      guard let plan = plans.first(where: { $0.name == entity }) else { continue }
      func fetch<Model: PersistentModel>(_ type: Model.Type) throws {
        let predicate = #Predicate<Model> { identifiers.contains($0.persistentModelID) }
        for model in try context.fetch(FetchDescriptor(predicate: predicate)) {
          found[model.persistentModelID] = Self.snapshot(of: model)
        }
      }
      try fetch(plan.type)
    }
    return found
  }
}
