/// Converts a save request of snapshots to changes of models in a context.
final class SnapshotSaver {
  private let store: any RowStore
  private let context: ModelContext
  /// The models created for inserted snapshots, by temporary identifier.
  private var inserted: [PersistentIdentifier: any PersistentModel] = [:]

  init(store: any RowStore, context: ModelContext) {
    self.store = store
    self.context = context
  }

  /// - Returns: The permanent identifier of each inserted snapshot by its temporary one.
  func run(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier: PersistentIdentifier] {
    for snapshot in request.inserted {
      inserted[snapshot.persistentIdentifier] = try model(for: snapshot)
    }
    // Relationships are set when all models exist, and before the context follows them.
    for snapshot in request.inserted {
      guard let model = inserted[snapshot.persistentIdentifier] else { continue }
      for (index, reference) in snapshot.references where !reference.identifiers.isEmpty {
        try set(reference, at: index, of: model, snapshot.plan)
      }
    }
    for snapshot in request.inserted {
      if let model = inserted[snapshot.persistentIdentifier] { insert(model) }
    }
    for snapshot in request.updated { try update(snapshot) }
    for snapshot in request.deleted { delete(snapshot.persistentIdentifier) }
    try context.save()
    return inserted.mapValues { $0.persistentModelID }
  }

  private func check(_ snapshot: DefaultSnapshot) throws {
    if let failure = snapshot.failure { throw failure }
    guard store.plans.contains(where: { $0.type == snapshot.plan.type }) else {
      throw SwiftDataError.unknownSchema.explained(
        "The store \(store.configurationName) doesn't hold \(snapshot.plan.name).")
    }
  }

  // MARK: Models for snapshots

  private func model(for snapshot: DefaultSnapshot) throws -> any PersistentModel {
    try check(snapshot)
    func open<Model: PersistentModel>(_ type: Model.Type) throws -> any PersistentModel {
      let model = Model(_hollow: _HollowModel())
      for index in attributes(of: snapshot.plan) { try load(index, of: snapshot, into: model) }
      return model
    }
    return try open(snapshot.plan.type)
  }

  private func attributes(of plan: EntityPlan) -> [Int] {
    plan.properties.indices.filter {
      plan.properties[$0].referencedType == nil && !plan.properties[$0].columns.isEmpty
    }
  }

  /// Stores one attribute directly in the model's storage.
  private func load<Model: PersistentModel>(
    _ index: Int, of snapshot: DefaultSnapshot, into model: Model
  ) throws {
    let state = model._$modelState
    try snapshot.row.read(plan: snapshot.plan, state: state, property: index) { reader in
      try model._$decode(index, from: &reader)
    }
  }

  private func insert(_ model: any PersistentModel) {
    func open<Model: PersistentModel>(_ model: Model) { context.insert(model) }
    open(model)
  }

  // MARK: Changes

  private func update(_ snapshot: DefaultSnapshot) throws {
    try check(snapshot)
    let model = context.model(for: snapshot.persistentIdentifier)
    guard !model.isDeleted, type(of: model) == snapshot.plan.type else {
      throw missing(snapshot.persistentIdentifier)
    }
    func open<Model: PersistentModel>(_ model: Model) throws {
      var related: [PersistentIdentifier: any BackingData] = [:]
      let stored = DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
      var row = _RowWriter(plan: snapshot.plan)
      row.begin(model._$modelState)
      model._$encode(into: &row)
      for index in attributes(of: snapshot.plan) {
        let columns = snapshot.plan.properties[index].columns
        if snapshot.row.isEqual(in: columns, to: row, at: columns.lowerBound) { continue }
        model._$modelState.willChange(model, index)
        try load(index, of: snapshot, into: model)
      }
      for (index, reference) in snapshot.references {
        let known = stored.references[index]?.identifiers ?? []
        let isOrdered = snapshot.plan.properties[index].relationship?.isOrdered ?? false
        let isSame =
          isOrdered
          ? reference.identifiers == known : Set(reference.identifiers) == Set(known)
        if isSame { continue }
        try set(reference, at: index, of: model, snapshot.plan)
      }
    }
    try open(model)
  }

  private func delete(_ identifier: PersistentIdentifier) {
    let model = context.model(for: identifier)
    guard !model.isDeleted else { return }
    func open<Model: PersistentModel>(_ model: Model) { context.delete(model) }
    open(model)
  }

  // MARK: Relationships

  private func set(
    _ reference: SnapshotReference, at index: Int, of model: any PersistentModel,
    _ plan: EntityPlan
  ) throws {
    let property = plan.properties[index]
    let destinations = try reference.identifiers.map(destination)
    guard let type = property.referencedType else { return }
    func assign<Model: PersistentModel, Destination: PersistentModel>(
      _ model: Model, _ type: Destination.Type
    ) {
      let models = destinations.compactMap { $0 as? Destination }
      let value: Any = property.isToManyReference ? models : (models.first as Any)
      _ModelBackingData.set(value, at: property.keyPath, of: model)
    }
    func open<Model: PersistentModel>(_ model: Model) { assign(model, type) }
    open(model)
  }

  private func destination(_ identifier: PersistentIdentifier) throws -> any PersistentModel {
    if let model = inserted[identifier] { return model }
    let model = context.model(for: identifier)
    guard !model.isDeleted else { throw missing(identifier) }
    return model
  }

  private func missing(_ identifier: PersistentIdentifier) -> SwiftDataError {
    .modelValidationFailure.explained(
      "The store \(store.configurationName) has no \(identifier.entityName) with the identifier"
        + " \(identifier), which a snapshot names. Save it first, or leave it out.")
  }
}
