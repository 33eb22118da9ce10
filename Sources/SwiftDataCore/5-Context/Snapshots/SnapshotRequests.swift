import Foundation

/// Answers a store's requests for snapshots. Each request is executed by a context of its own, so results and effects
/// are those of contexts.
package struct SnapshotRequests {
  private let store: any RowStore
  private let schema: Schema

  package init(_ store: any RowStore, schema: Schema) {
    self.store = store
    self.schema = schema
  }

  /// A context with only this store.
  private func context(for editingState: EditingState) -> ModelContext {
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [store]))
    context.editingState = editingState
    return context
  }

  // MARK: - Reading

  package func fetch<T>(
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

  package func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try context(for: request.editingState).fetchCount(request.descriptor)
  }

  package func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try context(for: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// The stored values of those models that exist, with one statement per entity.
  package func snapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let context = context(for: editingState)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (entity, identifiers) in Dictionary(grouping: identifiers, by: \.entityName) {
      guard let plan = store.plans.first(where: { $0.name == entity }) else { continue }
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

  // MARK: - Writing

  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let saving = SnapshotSaver(store: store, context: context(for: request.editingState))
    return DataStoreSaveChangesResult(
      for: store.identifier, remappedIdentifiers: try saving.run(request))
  }

  package func delete<T>(
    _ request: DataStoreBatchDeleteRequest<T>
  ) throws where T: PersistentModel {
    let context = context(for: request.editingState)
    try context.delete(
      model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }
}
