import SwiftDataCore

extension ModelWriting {
  /// Sets a model's relationships to the destinations that its values name; missing destinations
  /// are recorded as waiting.
  func relate(_ object: SyncObjectID, _ values: SyncValues) {
    guard let form = access.forms[object.entity], let model = made[object] ?? existing[object]
    else {
      return
    }
    for (index, entity) in form.relationships {
      let property = form.plan.properties[index]
      guard let value = values[property.name], let relationship = property.relationship else {
        continue
      }
      var destination: (any PersistentModel)?
      if let key = SyncSchema.key(value) {
        destination = self.destination(entity, key)
        if destination == nil {
          waiting[object, default: []].append(
            Waiting(
              object: object, property: property.name, destination: SyncObjectID(entity, key)))
          if !property.isOptional,
            let row = model._$modelState.reference(at: self.index(of: property, model))
          {
            kept.append((object, property.name, entity, row))
          }
        }
      } else if strangers[object]?.contains(index) ?? false {
        // The server doesn't know the destination.
        continue
      }
      assign(destination, as: relationship.destination, to: model, property)
    }
    for list in form.lists { relate(object, model, list, form, values) }
  }

  /// Records the destinations that required references keep, beside those that they wait for.
  func noteKept() throws {
    guard !kept.isEmpty else { return }
    try access.store.readRows { transaction in
      for (entity, references) in Dictionary(grouping: kept, by: \.destination) {
        let objects = try access.objects(
          inRows: Set(references.map(\.row)), of: entity, transaction)
        for reference in references {
          guard let key = objects[reference.row]?.key else { continue }
          waiting[reference.object, default: []].append(
            Waiting(
              object: reference.object, property: reference.property,
              destination: SyncObjectID(entity, key), place: Waiting.former))
        }
      }
    }
    kept = []
  }

  private func assign(
    _ destination: (any PersistentModel)?, as type: any PersistentModel.Type,
    to model: any PersistentModel, _ property: PropertyPlan
  ) {
    func set<Model: PersistentModel, Destination: PersistentModel>(
      _ model: Model, _ type: Destination.Type
    ) {
      let typed = destination as? Destination
      // The relationship already has this destination: nothing is written.
      if let row = model._$modelState.reference(at: index(of: property, model)),
        row == typed?._$modelState.rowID
      {
        return
      }
      if typed == nil, !property.isOptional { return }
      _ModelBackingData.set(typed as Any, at: property.keyPath, of: model)
    }
    func open<Model: PersistentModel>(_ model: Model) { set(model, type) }
    open(model)
  }

  private func index(of property: PropertyPlan, _ model: any PersistentModel) -> Int {
    model._$modelState.plan?.propertiesByName[property.name] ?? -1
  }

  // MARK: Lists

  private func relate(
    _ object: SyncObjectID, _ model: any PersistentModel, _ list: ModelList, _ form: ModelForm,
    _ values: SyncValues
  ) {
    guard case .list(let elements) = values[list.name],
      let relationship = form.plan.properties[list.property].relationship
    else { return }
    var wanted: [any PersistentModel] = []
    for (place, element) in elements.enumerated() {
      guard let key = SyncSchema.key(element) else { continue }
      if let found = destination(list.destination, key) {
        wanted.append(found)
      } else {
        waiting[object, default: []].append(
          Waiting(
            object: object, property: list.name, destination: SyncObjectID(list.destination, key),
            place: place))
      }
    }
    let present = members[object]?[list.name] ?? []
    let rows = wanted.map(\._$modelState.rowID)
    if list.isOrdered ? rows == present : rows.count == present.count && Set(rows) == Set(present) {
      return
    }
    assign(
      wanted, over: Set(present), as: relationship.destination, to: model,
      form.plan.properties[list.property], isOrdered: list.isOrdered)
  }

  /// - Parameter present: The rows of the list's current synchronized destinations; other
  ///   destinations stay in the list.
  private func assign(
    _ wanted: [any PersistentModel], over present: Set<Int64>, as type: any PersistentModel.Type,
    to model: any PersistentModel, _ property: PropertyPlan, isOrdered: Bool
  ) {
    let chosen = Set(wanted.map { ObjectIdentifier($0) })
    func set<Model: PersistentModel, Destination: PersistentModel>(
      _ model: Model, _ type: Destination.Type
    ) {
      let old = model[keyPath: property.keyPath as AnyKeyPath] as? [Destination] ?? []
      let kept = old.filter { element in
        let row = element._$modelState.rowID
        if chosen.contains(ObjectIdentifier(element)) { return !isOrdered }
        return row == 0 || !present.contains(row)
      }
      let known = Set(kept.map { ObjectIdentifier($0) })
      let new = wanted.compactMap { $0 as? Destination }
        .filter { !known.contains(ObjectIdentifier($0)) }
      _ModelBackingData.set(isOrdered ? new + kept : kept + new, at: property.keyPath, of: model)
    }
    func open<Model: PersistentModel>(_ model: Model) { set(model, type) }
    open(model)
  }
}
