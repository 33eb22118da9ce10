import SwiftDataCore

/// Writes the values that a ledger decided on to models, in one save.
final class ModelWriting {
  /// A reference whose destination doesn't exist.
  struct Waiting: Hashable {
    let object: SyncObjectID
    let property: String
    let destination: SyncObjectID
    /// The position in a list, ``required`` or ``former``.
    var place = 0
    /// The value for a required reference: without its destination, the object can't be a model.
    static let required = -1
    /// The value for the destination that a required reference keeps until its new one exists.
    static let former = -2
  }

  let access: ModelAccess
  private let context: ModelContext
  private(set) var existing: [SyncObjectID: any PersistentModel] = [:]
  private(set) var made: [SyncObjectID: any PersistentModel] = [:]
  /// The current destinations in the store of the lists to be written.
  private(set) var members: [SyncObjectID: [String: [Int64]]] = [:]
  /// The to-one relationships that refer to models that aren't synchronized, by object.
  private(set) var strangers: [SyncObjectID: Set<Int>] = [:]
  /// The waiting references that were found; by object, because each object's references are replaced as a whole.
  var waiting: [SyncObjectID: [Waiting]] = [:]
  /// The required references that keep their destinations because the new ones don't exist.
  var kept: [(object: SyncObjectID, property: String, destination: String, row: Int64)] = []

  init(_ access: ModelAccess) {
    self.access = access
    context = access.context()
  }

  /// Performs the writes.
  ///
  /// - Parameters:
  ///   - renames: The new keys, which are set before all other writes.
  ///   - values: The new values of objects, in order; nil deletes the object, or gives an object of an annotated class
  ///     its defaults.
  ///   - marks: The sync states that objects will display.
  ///   - insertsRows: Whether `end` inserts rows of models.
  ///   - begin: Called at the beginning of the transaction.
  ///   - end: Called at the end of the transaction.
  func run(
    renames: [(from: SyncObjectID, to: SyncObjectID)],
    values given: [(object: SyncObjectID, values: SyncValues?)],
    marks: [SyncObjectID: SyncMarking], insertsRows: Bool = false,
    begin: @escaping (any RowWriteTransaction) throws -> Void,
    end: @escaping (any RowWriteTransaction) throws -> Void
  ) throws {
    let values = access.rowValues(given)
    try load(renames, values, marks.keys)
    let vacated = try access.store.readRows {
      try access.duplicates(in: PlannedValues(values), $0).vacated
    }
    for (old, new) in renames {
      guard let model = existing.removeValue(forKey: old), let form = access.forms[new.entity],
        let value = form.value(ofKey: new.key)
      else { continue }
      try set([form.plan.properties[form.key].name: value], of: model, form, only: [form.key])
      existing[new] = model
    }
    let planned = PlannedValues(values)
    for object in parentsFirst(planned) {
      if case .some(.some(let values)) = planned[object] { try put(object, values) }
    }
    for object in planned.order {
      if case .some(.some(let values)) = planned[object] { relate(object, values) }
    }
    try noteKept()
    for object in planned.order {
      if let model = made[object] { insert(model) }
    }
    for (object, mark) in marks {
      guard let model = existing[object] ?? made[object], let form = access.forms[object.entity]
      else { continue }
      try set(form.values(of: mark), of: model, form, only: form.marked)
    }
    for object in planned.order where planned.isGone(object) {
      if let model = existing[object] { delete(model) }
    }
    try save(
      { transaction in
        try begin(transaction)
        for row in vacated { try row.write(transaction) }
      }, end, insertsRows: insertsRows)
  }

  private func save(
    _ begin: @escaping (any RowWriteTransaction) throws -> Void,
    _ end: @escaping (any RowWriteTransaction) throws -> Void, insertsRows: Bool
  ) throws {
    guard context.hasChanges else {
      guard insertsRows else {
        return try access.store.writeSideTables { transaction in
          try begin(transaction)
          try end(transaction)
        }
      }
      context.announceInsertions()
      return try access.store.writeRows(author: access.author) { transaction in
        try begin(transaction)
        try end(transaction)
      }
    }
    context.saveCompanion = SaveCompanion(begin: begin, end: end)
    // `end` may hold this object, and with it the context.
    defer { context.saveCompanion = nil }
    try context.save()
  }

  /// Announces inserted rows, as a save announces inserted models.
  func announce(_ inserted: [PersistentIdentifier]) { context.announce(inserted: inserted) }

  private func load(
    _ renames: [(from: SyncObjectID, to: SyncObjectID)],
    _ values: [(object: SyncObjectID, values: SyncValues?)], _ marked: some Sequence<SyncObjectID>
  ) throws {
    var wanted = Set(renames.map(\.from)).union(values.map(\.object)).union(marked)
    for (object, values) in values {
      guard let values, let form = access.forms[object.entity] else { continue }
      for (index, destination) in form.relationships {
        if let key = values[form.plan.properties[index].name].flatMap(SyncSchema.key) {
          wanted.formUnion(candidates(destination, key))
        }
      }
      for list in form.lists {
        guard case .list(let elements) = values[list.name] else { continue }
        wanted.formUnion(
          elements.compactMap(SyncSchema.key).flatMap { candidates(list.destination, $0) })
      }
    }
    let rows = try access.store.readRows { transaction in
      let rows = try access.rows(of: wanted, transaction)
      let written = Set(values.map(\.object))
      try readLists(of: rows.filter { written.contains($0.key) }, transaction)
      return rows
    }
    for (entity, members) in Dictionary(grouping: rows, by: \.key.entity) {
      let models = try access.models(of: entity, rows: members.map(\.value), in: context)
      for (object, row) in members { existing[object] = models[row] }
    }
  }

  /// Returns the objects that a reference to a class may mean.
  private func candidates(_ entity: String, _ key: String) -> [SyncObjectID] {
    access.families.members(of: entity).map { SyncObjectID($0, key) }
  }

  /// Returns the model that a reference refers to.
  func destination(_ entity: String, _ key: String) -> (any PersistentModel)? {
    candidates(entity, key).lazy.compactMap { self.made[$0] ?? self.existing[$0] }.first
  }

  /// Reads the current destinations of relationships of objects.
  private func readLists(
    of rows: [SyncObjectID: Int64], _ transaction: any RowReadTransaction
  ) throws {
    for (entity, owners) in Dictionary(grouping: rows, by: \.key.entity) {
      guard let form = access.forms[entity] else { continue }
      for list in form.lists {
        let found = try access.members(
          of: list, in: form, owners: owners.map(\.value), transaction)
        for (object, row) in owners {
          members[object, default: [:]][list.name] = (found[row] ?? []).map(\.row)
        }
      }
    }
    strangers = try access.strangers(of: rows, transaction)
  }

  // MARK: Single objects

  private func put(_ object: SyncObjectID, _ values: SyncValues) throws {
    guard let form = access.forms[object.entity] else { return }
    // Replaces earlier waiting references, also when none remain.
    if !form.relationships.isEmpty || !form.lists.isEmpty { waiting[object] = [] }
    if let model = existing[object] {
      return try set(values, of: model, form, only: form.attributes)
    }
    guard form.annotations == nil else { return }
    var isPossible = true
    for (index, destination) in form.relationships where !form.plan.properties[index].isOptional {
      let name = form.plan.properties[index].name
      guard let key = values[name].flatMap(SyncSchema.key) else { continue }
      if self.destination(destination, key) == nil {
        waiting[object]?.append(
          Waiting(
            object: object, property: name, destination: SyncObjectID(destination, key),
            place: Waiting.required))
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
      let attachment = form.attachment(values[property.name], of: index)
      try load(
        index, of: try attachment.map { try read($0, index, form) } ?? row, into: model, form)
    }
    made[object] = model
  }

  /// Sorts objects after the objects that they require.
  private func parentsFirst(_ values: PlannedValues) -> [SyncObjectID] {
    let isFree = access.forms.values.allSatisfy { form in
      form.relationships.allSatisfy { form.plan.properties[$0.property].isOptional }
    }
    if isFree { return values.order }
    var sequence: [SyncObjectID] = []
    var visited: Set<SyncObjectID> = []
    for object in values.order {
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
          for parent in candidates(destination, key) where values[parent] != nil {
            stack.append((parent, false))
          }
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
      // JSON that is too deep for the exchange stays as it is: its value is a text.
      if property.columns.contains(where: { form.plan.columns[$0].kind == .json }),
        form.value(of: index, in: present.rowCopy) == value
      {
        continue
      }
      let wanted: RowCopy
      if let attachment = form.attachment(value, of: index) {
        if form.value(of: index, in: present.rowCopy) == value { continue }
        wanted = try read(attachment, index, form)
      } else {
        var row = _RowWriter(plan: form.plan)
        for _ in 0..<property.columns.lowerBound { row.appendNull() }
        guard form.append(value, of: index, to: &row) else { continue }
        wanted = row.rowCopy
      }
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
    _ index: Int, of row: RowCopy, into model: any PersistentModel, _ form: ModelForm
  ) throws {
    try row.read(plan: form.plan, state: model._$modelState, property: index) { reader in
      try model._$decode(index, from: &reader)
    }
  }

  /// Returns the bytes of an attachment as the cells of its attribute.
  private func read(
    _ attachment: SyncAttachment, _ property: Int, _ form: ModelForm
  ) throws -> RowCopy {
    guard let bytes = try access.attachments?.bytes(of: attachment) else {
      throw SyncError(
        .attachmentFolder,
        "The bytes of \(form.entity).\(form.plan.properties[property].name) that were fetched are gone."
          + " They are fetched again after resume().")
    }
    return form.row(ofBytes: bytes, property: property)
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
