extension DefaultSnapshot {
  /// Creates a snapshot with the values of a model: of a live one, without loading the destinations of relationships
  /// that have a column, or of a backing made by ``PersistentModel/createBackingData()``.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    func open<Values: BackingData>(_ values: Values) -> DefaultSnapshot {
      if let view = values as? _ModelBackingData<Values.Model> {
        return DefaultSnapshot(of: view.model, related: &relatedBackingDatas)
      }
      return DefaultSnapshot(of: values, related: &relatedBackingDatas)
    }
    self = open(backingData)
  }

  /// Reads every value by its key path, for backings without a model.
  private init<Values: BackingData>(
    of values: Values, related: inout [PersistentIdentifier: any BackingData]
  ) {
    let entityName = Schema.entityName(for: Values.Model.self)
    let identifier =
      values.persistentModelID ?? _ModelState().identifier(entityName: entityName)
    let plan: EntityPlan
    do { plan = try SnapshotPlans.plan(for: Values.Model.self) } catch {
      self.init(unreadable: identifier, Values.Model.self, error)
      return
    }
    var writer = _RowWriter(plan: plan)
    writer.begin(nil)
    var references: [Int: SnapshotReference] = [:]
    for (index, property) in plan.properties.enumerated() {
      let value = Self.value(at: property.keyPath, in: values)
      if property.referencedType != nil {
        references[index] = Self.reference(property, to: Self.models(in: value), related: &related)
        writer.skip()
      } else {
        writer.write(erased: value)
      }
    }
    self.init(
      identifier, plan: plan, row: writer.rowCopy, references: references,
      failure: writer.failure)
  }

  private static func value<Values: BackingData>(at keyPath: AnyKeyPath, in values: Values) -> Any?
  {
    if let detached = values as? _DetachedBackingData<Values.Model> {
      return detached.value(at: keyPath)
    }
    func open<Value>(_ type: Value.Type) -> Any? {
      (keyPath as? KeyPath<Values.Model, Value>).map { values.getTransformableValue(forKey: $0) }
    }
    return _openExistential(Swift.type(of: keyPath).valueType, do: open)
  }

  /// A snapshot of a model that no schema can hold.
  private init(
    unreadable identifier: PersistentIdentifier, _ type: any PersistentModel.Type,
    _ failure: any Error
  ) {
    self.init(
      identifier,
      plan: EntityPlan(
        name: identifier.entityName, type: type, properties: [], columns: [], uniqueness: [],
        indices: []),
      row: RowCopy(cells: [], arena: []), references: [:], failure: failure)
  }

  private init<Model: PersistentModel>(
    of model: Model, related: inout [PersistentIdentifier: any BackingData]
  ) {
    let identifier = model.persistentModelID
    let plan: EntityPlan
    do {
      plan = try model._$modelState.plan ?? SnapshotPlans.plan(for: type(of: model))
    } catch {
      self.init(unreadable: identifier, Model.self, error)
      return
    }
    // A snapshot is complete, even of a model that was fetched without some of its properties.
    model.fillMissing()
    let state = model._$modelState
    var writer = _RowWriter(plan: plan)
    writer.begin(state)
    model._$encode(into: &writer)
    var references: [Int: SnapshotReference] = [:]
    for (index, property) in plan.properties.enumerated() {
      guard let destination = property.referencedType else { continue }
      references[index] = Self.reference(
        of: model, index, property, to: destination, writer, related: &related)
      for column in property.columns { writer.cells[column] = _Cell(kind: .null) }
    }
    self.init(
      identifier, plan: plan, row: writer.rowCopy, references: references,
      failure: writer.failure)
  }

  /// Returns the identifiers of a relationship's destinations. If it has a column, they are read from the column, so
  /// that a destination that isn't loaded stays unloaded; otherwise from the property.
  private static func reference<Model: PersistentModel>(
    of model: Model, _ index: Int, _ property: PropertyPlan,
    to destination: any PersistentModel.Type, _ writer: _RowWriter,
    related: inout [PersistentIdentifier: any BackingData]
  ) -> SnapshotReference {
    var found: [any PersistentModel] = []
    if let column = property.columns.first {
      let cell = writer.cells[column]
      if cell.kind == .integer {
        let state = model._$modelState
        return .toOne(
          state.link?.identifier(
            rowID: cell.bits, entityName: entityName(of: destination)))
      }
      found = writer.unresolved.filter { $0.property == index }.map(\.destination)
    } else {
      found = models(in: model[keyPath: property.keyPath as AnyKeyPath])
    }
    return Self.reference(property, to: found, related: &related)
  }

  private static func reference(
    _ property: PropertyPlan, to models: [any PersistentModel],
    related: inout [PersistentIdentifier: any BackingData]
  ) -> SnapshotReference {
    // A reference to a deleted model would lead nowhere.
    let models = models.filter { !$0._$modelState.isDeleted }
    for model in models where related[model.persistentModelID] == nil {
      guard model.persistentModelID.isTemporary else { continue }
      related[model.persistentModelID] = backingData(of: model)
    }
    let identifiers = models.map(\.persistentModelID)
    return property.isToManyReference ? .toMany(identifiers) : .toOne(identifiers.first)
  }

  private static func backingData(of model: any PersistentModel) -> any BackingData {
    func open<Model: PersistentModel>(_ model: Model) -> any BackingData {
      model.persistentBackingData
    }
    return open(model)
  }

  private static func entityName(of type: any PersistentModel.Type) -> String {
    func open<Model: PersistentModel>(_ type: Model.Type) -> String { Schema.entityName(for: type) }
    return open(type)
  }

  /// Returns the models in the value of a relationship.
  private static func models(in value: Any?) -> [any PersistentModel] {
    guard let value else { return [] }
    if let optional = value as? any OptionalType { return models(in: optional.wrappedValue) }
    if let model = value as? any PersistentModel { return [model] }
    guard let many = value as? any Sequence else { return [] }
    return many.compactMap { $0 as? any PersistentModel }
  }
}
