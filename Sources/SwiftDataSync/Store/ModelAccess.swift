import SwiftData
import SwiftDataSQL

/// Reads and writes the models of a store as values by sync key, for the books of a client and of a server.
///
/// Used by one caller at a time. Each call has a context of its own, so nothing is remembered between them.
final class ModelAccess {
  let container: ModelContainer
  let store: DefaultStore
  let forms: [String: ModelForm]
  let author: String
  /// The table of the books that tells which object a row was.
  private let objectTable: String
  /// Values of objects that have no row yet, because a parent that they can't be without isn't there.
  var rowless: (SyncObjectID) throws -> SyncValues? = { _ in nil }

  /// - Throws: ``SyncError/Code/unsupported`` when a class can't take part.
  init(
    _ container: ModelContainer, _ models: [SyncedModel], author: String, objectTable: String
  ) throws {
    self.container = container
    self.author = author
    self.objectTable = objectTable
    let forms = try models.map { try ModelForm($0, container) }
    self.forms = Dictionary(forms.map { ($0.entity, $0) }, uniquingKeysWith: { $1 })
    let stores = try models.map { try container.core.entry(for: $0.type).store }
    guard let store = stores.first as? DefaultStore, stores.allSatisfy({ $0 === store }) else {
      throw SyncError(
        .unsupported, "The models that take part have to be in one store of the default kind")
    }
    guard store.allowsSave else {
      throw SyncError(.unsupported, "The store \(store.name) was opened with allowsSave: false")
    }
    self.store = store
    for form in forms {
      for (property, destination) in form.relationships where self.forms[destination] == nil {
        throw SyncError(
          .unsupported,
          "\(form.entity).\(form.plan.properties[property].name) leads to \(destination), which"
            + " doesn't take part. Add it, or exclude the property.")
      }
    }
  }

  var schema: SyncSchema { SyncSchema(forms.values.map(\.schemaEntity)) }

  func context() -> ModelContext {
    let context = ModelContext(container)
    context.author = author
    context.mergesChangesAutomatically = false
    return context
  }

  // MARK: The history

  func position() throws -> Int64 { try store.readSideTables { try $0.lastTransaction() } }

  /// See ``SyncStorage/edits(after:)``.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    var edits: [(transaction: Int64, objects: [SyncObjectID])] = []
    var place = number
    while true {
      let page: [DefaultHistoryTransaction]
      do { page = try store.historyPage(after: place) } catch SwiftDataError.historyTokenExpired {
        throw SyncHistoryExpired()
      }
      guard let last = page.last else { return edits }
      place = last.transactionIdentifier
      try store.readSideTables { tables in
        for transaction in page where transaction.author != author {
          var objects: [SyncObjectID] = []
          for change in transaction.changes {
            let identifier = change.changedPersistentIdentifier
            guard let form = forms[identifier.entityName], let row = identifier.rowID else {
              continue
            }
            objects += try self.objects(inRow: row, of: form, tables)
          }
          edits.append((transaction.transactionIdentifier, objects))
        }
      }
    }
  }

  /// What a row is, and what the books say that it was.
  private func objects(
    inRow row: Int64, of form: ModelForm, _ tables: SideTables
  ) throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    if let key = try key(ofRow: row, of: form, tables) {
      objects.append(SyncObjectID(form.entity, key))
    }
    try tables.forEach(
      "SELECT key FROM \"\(objectTable)\" WHERE entity = ? AND row = ?",
      [.text(form.entity), .integer(row)]
    ) { columns in
      guard let key = columns[0].text, key != objects.first?.key else { return }
      objects.append(SyncObjectID(form.entity, key))
    }
    return objects
  }

  func key(ofRow row: Int64, of form: ModelForm, _ tables: SideTables) throws -> String? {
    var key: String?
    try tables.forEach(
      "SELECT \(SQLIdentifier.quoted(form.keyColumn.name)) FROM \(form.table) WHERE \"_id\" = ?",
      [.integer(row)]
    ) { key = form.key(of: $0[0]) }
    return key
  }

  func row(of object: SyncObjectID, _ tables: SideTables) throws -> Int64? {
    guard let form = forms[object.entity], let binding = form.binding(ofKey: object.key) else {
      return nil
    }
    var row: Int64?
    try tables.forEach(
      "SELECT \"_id\" FROM \(form.table) WHERE \(SQLIdentifier.quoted(form.keyColumn.name)) = ?",
      [binding]
    ) { row = $0[0].integer }
    return row
  }

  /// The rows of those objects that are models.
  func rows(
    of objects: some Sequence<SyncObjectID>, _ tables: SideTables
  ) throws -> [SyncObjectID: Int64] {
    var rows: [SyncObjectID: Int64] = [:]
    for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
      guard let form = forms[entity] else { continue }
      let column = SQLIdentifier.quoted(form.keyColumn.name)
      try tables.forEach(
        "SELECT \"_id\", \(column) FROM \(form.table) WHERE \(column) IN",
        in: members.compactMap { form.binding(ofKey: $0.key) }
      ) { columns in
        guard let key = form.key(of: columns[1]) else { return }
        rows[SyncObjectID(entity, key)] = columns[0].integer
      }
    }
    return rows
  }

  /// The sync keys of all models.
  func allObjects() throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try store.readSideTables { tables in
      for form in forms.values {
        try tables.forEach(
          "SELECT \(SQLIdentifier.quoted(form.keyColumn.name)) FROM \(form.table)"
        ) { columns in
          if let key = form.key(of: columns[0]) { objects.append(SyncObjectID(form.entity, key)) }
        }
      }
    }
    return objects.sorted()
  }

  /// What the delete rule `cascade` takes along with an object.
  func dependents(of object: SyncObjectID) throws -> [SyncObjectID] {
    try store.readSideTables { tables in
      var found: [SyncObjectID] = []
      var seen: Set<SyncObjectID> = [object]
      var next = [object]
      while let owner = next.popLast() {
        guard let form = forms[owner.entity], let row = try row(of: owner, tables) else { continue }
        for index in form.plan.relationships {
          guard let relationship = form.plan.properties[index].relationship,
            relationship.deleteRule == .cascade,
            let destination = forms[relationship.destinationEntity],
            let condition = Self.condition(relationship, form, index, destination)
          else { continue }
          try tables.forEach(
            "SELECT \(SQLIdentifier.quoted(destination.keyColumn.name)) FROM \(destination.table)"
              + " WHERE \(condition)", [.integer(row)]
          ) { columns in
            guard let key = destination.key(of: columns[0]) else { return }
            let dependent = SyncObjectID(destination.entity, key)
            guard seen.insert(dependent).inserted else { return }
            found.append(dependent)
            next.append(dependent)
          }
        }
      }
      return found
    }
  }

  private static func condition(
    _ relationship: RelationshipPlan, _ form: ModelForm, _ index: Int, _ destination: ModelForm
  ) -> String? {
    switch relationship.storage {
    case .inverseColumn:
      guard let inverse = relationship.inverse,
        let column = destination.plan.properties[inverse].columns.first
      else { return nil }
      return "\(SQLIdentifier.quoted(destination.plan.columns[column].name)) = ?"
    case .column:
      guard let column = form.plan.properties[index].columns.first else { return nil }
      let name = SQLIdentifier.quoted(form.plan.columns[column].name)
      return "\"_id\" = (SELECT \(name) FROM \(form.table) WHERE \"_id\" = ?)"
    case .joinTable(let table):
      return "\"_id\" IN (SELECT \(SQLIdentifier.quoted(table.destinationColumn)) FROM"
        + " \(SQLIdentifier.quoted(table.name)) WHERE \(SQLIdentifier.quoted(table.ownerColumn)) = ?)"
    }
  }

  // MARK: Values

  /// The models of some rows, by row.
  func models(
    of entity: String, rows: some Sequence<Int64>, in context: ModelContext
  ) throws -> [Int64: any PersistentModel] {
    guard let form = forms[entity] else { return [:] }
    var found: [Int64: any PersistentModel] = [:]
    func fetch<Model: PersistentModel>(_ type: Model.Type, _ rows: ArraySlice<Int64>) throws {
      let wanted = rows.map { store.identifier(rowID: $0, entity: entity) }
      let predicate = #Predicate<Model> { wanted.contains($0.persistentModelID) }
      for model in try context.fetch(FetchDescriptor(predicate: predicate)) {
        found[model._$modelState.rowID] = model
      }
    }
    let all = Array(rows)
    for start in stride(from: 0, to: all.count, by: 500) {
      try fetch(form.plan.type, all[start..<min(start + 500, all.count)])
    }
    return found
  }

  /// The values of those objects that exist.
  func values(of objects: [SyncObjectID]) throws -> [SyncObjectID: SyncValues] {
    let rows = try store.readSideTables { try self.rows(of: objects, $0) }
    let context = context()
    var values: [SyncObjectID: SyncValues] = [:]
    var references: [(object: SyncObjectID, property: String, destination: String, row: Int64)] = []
    for (entity, members) in Dictionary(grouping: rows, by: \.key.entity) {
      guard let form = forms[entity] else { continue }
      let models = try models(of: entity, rows: members.map(\.value), in: context)
      for (object, row) in members {
        guard let model = models[row] else { continue }
        let snapshot = try Self.snapshot(of: model, form)
        var taken: SyncValues = [:]
        for index in form.attributes {
          taken[form.plan.properties[index].name] = form.value(of: index, in: snapshot)
        }
        for (index, destination) in form.relationships {
          let name = form.plan.properties[index].name
          let cell = snapshot.cells[form.plan.properties[index].columns.lowerBound]
          taken[name] = .null
          if cell.kind == .integer { references.append((object, name, destination, cell.bits)) }
        }
        values[object] = taken
      }
    }
    try store.readSideTables { tables in
      for reference in references {
        guard let form = forms[reference.destination],
          let key = try key(ofRow: reference.row, of: form, tables)
        else { continue }
        values[reference.object]?[reference.property] = .text(key)
      }
    }
    for object in objects where values[object] == nil {
      if let waiting = try rowless(object) { values[object] = waiting }
    }
    return values
  }

  private static func snapshot(
    of model: any PersistentModel, _ form: ModelForm
  ) throws -> RowSnapshot {
    var writer = _RowWriter(plan: form.plan)
    writer.begin(model._$modelState)
    model._$encode(into: &writer)
    if let failure = writer.failure { throw failure }
    return writer.snapshot
  }

  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? {
    guard let form = forms[object.entity],
      var complete = try form.complete(values, key: object.key, over: known)
    else { return nil }
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      guard let key = complete[name]?.text else { continue }
      complete[name] = .text(canonical(SyncObjectID(destination, key)).key)
    }
    return complete
  }

  /// See ``SyncStorage/canonical(_:)``.
  func canonical(_ object: SyncObjectID) -> SyncObjectID {
    guard let form = forms[object.entity] else { return object }
    return SyncObjectID(object.entity, form.canonical(object.key))
  }
}
