import SwiftData
import SwiftDataSQL

/// Gives models the values that a ledger decided on, in one save.
final class ModelWriting {
  /// A reference whose destination isn't there.
  struct Waiting: Hashable {
    let object: SyncObjectID
    let property: String
    let destination: SyncObjectID
  }

  private let access: ModelAccess
  private let context: ModelContext
  private var existing: [SyncObjectID: any PersistentModel] = [:]
  private var made: [SyncObjectID: any PersistentModel] = [:]
  /// Found on the way; by object, since each is written as a whole.
  private(set) var waiting: [SyncObjectID: [Waiting]] = [:]

  init(_ access: ModelAccess) {
    self.access = access
    context = access.context()
  }

  /// Writes.
  ///
  /// - Parameters:
  ///   - renames: New keys, given before anything else.
  ///   - values: What objects are to be, in order; nil deletes.
  ///   - begin: Done at the transaction's beginning.
  ///   - end: Done at its end.
  func run(
    renames: [(from: SyncObjectID, to: SyncObjectID)],
    values: [(object: SyncObjectID, values: SyncValues?)],
    begin: @escaping (SideTables) throws -> Void, end: @escaping (SideTables) throws -> Void
  ) throws {
    try load(renames, values)
    for (old, new) in renames {
      guard let model = existing.removeValue(forKey: old), let form = access.forms[new.entity],
        let value = form.value(ofKey: new.key)
      else { continue }
      try set([form.plan.properties[form.key].name: value], of: model, form, only: [form.key])
      existing[new] = model
    }
    // The last word on each object counts, in the order of the first.
    var last: [SyncObjectID: SyncValues?] = [:]
    var order: [SyncObjectID] = []
    for (object, values) in values where last.updateValue(values, forKey: object) == nil {
      order.append(object)
    }
    for object in parentsFirst(order, last) {
      if case .some(.some(let values)) = last[object] { try put(object, values) }
    }
    for object in order {
      if case .some(.some(let values)) = last[object] { relate(object, values) }
    }
    for object in order {
      if let model = made[object] { insert(model) }
    }
    for object in order where last[object] == .some(.none) {
      if let model = existing[object] { delete(model) }
    }
    try save(begin, end)
  }

  private func save(
    _ begin: @escaping (SideTables) throws -> Void, _ end: @escaping (SideTables) throws -> Void
  ) throws {
    guard context.hasChanges else {
      try access.store.writeSideTables { tables in
        try begin(tables)
        try end(tables)
      }
      return
    }
    context.saveCompanion = SideWork(begin: begin, end: end)
    try context.save()
  }

  private func load(
    _ renames: [(from: SyncObjectID, to: SyncObjectID)],
    _ values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws {
    var wanted = Set(renames.map(\.from)).union(values.map(\.object))
    for (object, values) in values {
      guard let values, let form = access.forms[object.entity] else { continue }
      for (index, destination) in form.relationships {
        if let key = values[form.plan.properties[index].name].flatMap(SyncSchema.key) {
          wanted.insert(SyncObjectID(destination, key))
        }
      }
    }
    let rows = try access.store.readSideTables { try access.rows(of: wanted, $0) }
    for (entity, members) in Dictionary(grouping: rows, by: \.key.entity) {
      let models = try access.models(of: entity, rows: members.map(\.value), in: context)
      for (object, row) in members { existing[object] = models[row] }
    }
  }

  // MARK: One object

  private func put(_ object: SyncObjectID, _ values: SyncValues) throws {
    guard let form = access.forms[object.entity] else { return }
    if !form.relationships.isEmpty { waiting[object] = [] }
    if let model = existing[object] {
      return try set(values, of: model, form, only: form.attributes)
    }
    var isPossible = true
    for (index, destination) in form.relationships where !form.plan.properties[index].isOptional {
      let name = form.plan.properties[index].name
      guard let key = values[name].flatMap(SyncSchema.key) else { continue }
      let parent = SyncObjectID(destination, key)
      if existing[parent] == nil, made[parent] == nil {
        waiting[object]?.append(Waiting(object: object, property: name, destination: parent))
        isPossible = false
      }
    }
    guard isPossible else { return }
    func make<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
      Model(_hollow: _HollowModel())
    }
    let model = make(form.plan.type)
    guard let row = try form.row(values) else { return }
    for (index, property) in form.plan.properties.enumerated()
    where property.relationship == nil && !property.columns.isEmpty {
      try load(index, of: row, into: model, form)
    }
    made[object] = model
  }

  /// Objects after those that they can't be without.
  private func parentsFirst(
    _ order: [SyncObjectID], _ values: [SyncObjectID: SyncValues?]
  ) -> [SyncObjectID] {
    let isFree = access.forms.values.allSatisfy { form in
      form.relationships.allSatisfy { form.plan.properties[$0.property].isOptional }
    }
    if isFree { return order }
    var sequence: [SyncObjectID] = []
    var visited: Set<SyncObjectID> = []
    for object in order {
      var stack = [(object, false)]
      while let (object, isDone) = stack.popLast() {
        if isDone {
          sequence.append(object)
          continue
        }
        guard let form = access.forms[object.entity], visited.insert(object).inserted else {
          continue
        }
        stack.append((object, true))
        guard case .some(.some(let taken)) = values[object] else { continue }
        for (index, destination) in form.relationships where !form.plan.properties[index].isOptional
        {
          guard let key = taken[form.plan.properties[index].name].flatMap(SyncSchema.key) else {
            continue
          }
          let parent = SyncObjectID(destination, key)
          if values[parent] != nil { stack.append((parent, false)) }
        }
      }
    }
    return sequence
  }

  private func set(
    _ values: SyncValues, of model: any PersistentModel, _ form: ModelForm, only: [Int]
  ) throws {
    var present = _RowWriter(plan: form.plan)
    present.begin(model._$modelState)
    model._$encode(into: &present)
    for index in only {
      let property = form.plan.properties[index]
      guard let value = values[property.name] else { continue }
      var row = _RowWriter(plan: form.plan)
      for _ in 0..<property.columns.lowerBound { row.appendNull() }
      guard form.append(value, of: index, to: &row) else { continue }
      let wanted = row.snapshot
      if wanted.isEqual(in: property.columns, to: present, at: property.columns.lowerBound) {
        continue
      }
      func change<Model: PersistentModel>(_ model: Model) {
        model._$modelState.willChange(model, index)
      }
      change(model)
      try load(index, of: wanted, into: model, form)
    }
  }

  private func load(
    _ index: Int, of row: RowSnapshot, into model: any PersistentModel, _ form: ModelForm
  ) throws {
    try row.read(plan: form.plan, state: model._$modelState, property: index) { reader in
      try model._$decode(index, from: &reader)
    }
  }

  private func relate(_ object: SyncObjectID, _ values: SyncValues) {
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
        let parent = SyncObjectID(entity, key)
        destination = made[parent] ?? existing[parent]
        if destination == nil {
          waiting[object, default: []].append(
            Waiting(object: object, property: property.name, destination: parent))
        }
      }
      assign(destination, as: relationship.destination, to: model, property)
    }
  }

  private func assign(
    _ destination: (any PersistentModel)?, as type: any PersistentModel.Type,
    to model: any PersistentModel, _ property: PropertyPlan
  ) {
    func set<Model: PersistentModel, Destination: PersistentModel>(
      _ model: Model, _ type: Destination.Type
    ) {
      let typed = destination as? Destination
      // Nothing to be done, and nothing to be written.
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

  private func insert(_ model: any PersistentModel) {
    func open<Model: PersistentModel>(_ model: Model) { context.insert(model) }
    open(model)
  }

  private func delete(_ model: any PersistentModel) {
    func open<Model: PersistentModel>(_ model: Model) { context.delete(model) }
    open(model)
  }
}
