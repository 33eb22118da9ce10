extension ModelContainer {
  /// Begins a batch that writes models of a class by their unique keys.
  ///
  /// - Parameters:
  ///   - author: The author of the changes, for the store's history.
  ///   - keptProperties: Properties that the source of the data doesn't decide, such as a mark that the user sets: an
  ///     inserted row gets the model's values, an existing row keeps its own, and they don't count in the comparison of
  ///     the row.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have,
  ///   ``SwiftDataError/unsupportedKeyPath`` for a kept property that isn't stored or is unique, ``StoreError`` when
  ///   the store is read-only or stays locked by another writer for ten seconds.
  package func beginBatch<Model: PersistentModel>(
    of type: Model.Type, author: String? = nil,
    keeping keptProperties: [PartialKeyPath<Model>] = []
  ) throws -> any ModelBatch<Model> {
    let (store, plan, kept) = try batchStore(of: type, keeping: keptProperties)
    return try store.beginBatch(of: type, plan: plan, author: author, keeping: kept)
  }

  /// The store of a class with the entity's plan, and the positions of the properties that existing rows keep.
  package func batchStore<Model: PersistentModel>(
    of type: Model.Type, keeping keptProperties: [PartialKeyPath<Model>] = []
  ) throws -> (store: any BatchWriting, plan: EntityPlan, kept: [Int]) {
    let entry = try core.entry(for: type)
    let kept = try keptProperties.map { try Self.keptProperty($0, of: entry.plan) }
    guard let store = entry.store as? any BatchWriting else {
      throw SwiftDataError.unknownSchema.explained(
        "\(Model.self) is kept in a custom store, which doesn't support batches.")
    }
    return (store, entry.plan, kept)
  }

  private static func keptProperty<Model: PersistentModel>(
    _ keyPath: PartialKeyPath<Model>, of plan: EntityPlan
  ) throws -> Int {
    guard let property = plan.property(for: keyPath) else {
      throw SwiftDataError.unsupportedKeyPath.explained(
        "`keeping` names something that isn't a persisted property of \(plan.name) as a whole.")
    }
    let columns = plan.properties[property].columns
    guard !plan.uniqueness.contains(where: { $0.contains(where: columns.contains) }) else {
      throw SwiftDataError.unsupportedKeyPath.explained(
        "\(plan.name).\(plan.properties[property].name) is unique: it decides which row a model"
          + " is, so a row can't keep another value of it.")
    }
    return property
  }
}
