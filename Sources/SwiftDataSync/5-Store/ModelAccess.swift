import SwiftData
import SwiftDataSQL

/// Reads and writes the models of a store as values by sync key, for the ledgers of a client and of a server.
///
/// It is used by one caller at a time. Each call has its own context, so no state is kept between calls.
final class ModelAccess {
  let container: ModelContainer
  let store: DefaultStore
  let forms: [String: ModelForm]
  let author: String
  let families: ModelFamilies
  /// For each entity, the entities of the objects that its objects may refer to.
  let destinations: [String: Set<String>]
  /// The relationships that can prevent objects from being deleted.
  let denials: [ModelDenial]
  /// The bookkeeping table that maps rows to the objects that they were.
  private let objectTable: String
  /// The folder of attachments; nil when large values are sent among the other values.
  let attachments: AttachmentFolder?
  /// Returns the values of an object that has no row yet because a required parent doesn't exist.
  var rowless: (SyncObjectID) throws -> SyncValues? = { _ in nil }

  /// - Throws: ``SyncError/Code/unsupported`` when a class can't be synchronized.
  init(
    _ container: ModelContainer, _ models: [SyncedModel], author: String, objectTable: String,
    attachmentFolder: String? = nil
  ) throws {
    self.container = container
    self.author = author
    self.objectTable = objectTable
    let forms = try models.map { try ModelForm($0, container) }
    let named = Dictionary(forms.map { ($0.entity, $0) }, uniquingKeysWith: { $1 })
    let families = try ModelFamilies(named)
    self.families = families
    self.forms = named.mapValues { form in
      var form = form
      form.leaveOutLists { families.members(of: $0).compactMap { named[$0] } }
      if attachmentFolder != nil { form.separateAttachments() }
      return form
    }
    let stores = try models.map { try container.core.entry(for: $0.type).store }
    guard let store = stores.first as? DefaultStore, stores.allSatisfy({ $0 === store }) else {
      throw SyncError(
        .unsupported, "The models that take part have to be in one store of the default kind")
    }
    guard store.allowsSave else {
      throw SyncError(.unsupported, "The store \(store.name) was opened with allowsSave: false")
    }
    self.store = store
    attachments = attachmentFolder.map { AttachmentFolder(besides: store.configuration, name: $0) }
    denials = ModelDenial.all(store.plans)
    destinations = self.forms.mapValues { form in
      Set(
        (form.relationships.map(\.destination) + form.lists.map(\.destination)).flatMap(
          families.members))
    }.filter { !$0.value.isEmpty }
    for form in self.forms.values {
      let leading =
        form.relationships.map { (form.plan.properties[$0.property].name, $0.destination) }
        + form.lists.map { ($0.name, $0.destination) }
      for (name, destination) in leading where families.members(of: destination).isEmpty {
        throw SyncError(
          .unsupported,
          "\(form.entity).\(name) leads to \(destination), which doesn't take part. Add it, or"
            + " exclude the property.")
      }
      let destinations = form.relationships.map(\.destination) + form.references.values
      for destination in destinations where self.forms[destination]?.annotations != nil {
        throw SyncError(
          .unsupported,
          "\(form.entity) leads to \(destination), whose models come from elsewhere and may be on no"
            + " server. Exclude the relationship; an attribute may hold the key without being named"
            + " in references.")
      }
    }
  }

  var schema: SyncSchema {
    var schema = SyncSchema(forms.values.map(\.schemaEntity), members: families.members)
    schema.defaults = forms.compactMapValues(\.annotations)
    schema.marked = Set(forms.values.lazy.filter { !$0.marked.isEmpty }.map(\.entity))
    return schema
  }

  func context() -> ModelContext {
    let context = ModelContext(container)
    context.author = author
    context.mergesChangesAutomatically = false
    // The record of a row is written together with the row. A row that is deleted in between is inserted again; its
    // deletion, which is in the history, is an edit like any other.
    context.mergePolicy = .propertyObjectTrump
    return context
  }

  // MARK: History

  func position() throws -> Int64 { try store.readSideTables { try $0.lastTransaction() } }

  /// See ``SyncStorage/edits(after:)``.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    var edits: [(transaction: Int64, objects: [SyncObjectID])] = []
    // Transactions of this author alone are skipped without being read.
    let isOwn = try store.readSideTables { tables in
      try tables.history(after: number, isOnlyBy: author)
    }
    if isOwn { return [] }
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

  /// Returns the object of a row, and the object that it was according to the bookkeeping table.
  private func objects(
    inRow row: Int64, of form: ModelForm, _ tables: SideTables
  ) throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    // The row may belong to another class by now, which has its own entry.
    if let object = try object(inRow: row, of: form.plan.name, tables),
      object.entity == form.entity
    {
      objects.append(object)
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

  /// Returns the object of a row.
  ///
  /// - Parameter entity: The object's entity, or that of a superclass.
  /// - Returns: nil when there is no such row, or when its class isn't synchronized.
  func object(
    inRow row: Int64, of entity: String, _ tables: SideTables
  ) throws -> SyncObjectID? {
    guard let form = families.members(of: entity).first.flatMap({ forms[$0] }) else { return nil }
    var object: SyncObjectID?
    try tables.forEach(
      "SELECT \(SQLIdentifier.quoted(form.keyColumn.name)), \(form.classColumn) FROM \(form.table)"
        + " WHERE \"_id\" = ?", [.integer(row)]
    ) { columns in
      let entity = columns[1].text ?? form.entity
      guard forms[entity] != nil, let key = form.key(of: columns[0]) else { return }
      object = SyncObjectID(entity, key)
    }
    return object
  }

  /// Returns the row that a reference refers to, of the entity or of a subclass.
  func row(
    ofReference reference: SyncObjectID, _ tables: SideTables
  ) throws -> Int64? {
    for entity in families.members(of: reference.entity) {
      if let row = try row(of: SyncObjectID(entity, reference.key), tables) { return row }
    }
    return nil
  }

  func row(of object: SyncObjectID, _ tables: SideTables) throws -> Int64? {
    guard let form = forms[object.entity], let binding = form.binding(ofKey: object.key) else {
      return nil
    }
    var row: Int64?
    try tables.forEach(
      "SELECT \"_id\" FROM \(form.table) WHERE \(SQLIdentifier.quoted(form.keyColumn.name)) = ?"
        + " AND \(form.isOwn)", [binding]
    ) { row = $0[0].integer }
    return row
  }

  /// Returns the rows of the objects that exist as models.
  func rows(
    of objects: some Sequence<SyncObjectID>, _ tables: SideTables
  ) throws -> [SyncObjectID: Int64] {
    var rows: [SyncObjectID: Int64] = [:]
    for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
      guard let form = forms[entity] else { continue }
      let column = SQLIdentifier.quoted(form.keyColumn.name)
      try tables.forEach(
        "SELECT \"_id\", \(column) FROM \(form.table) WHERE \(form.isOwn) AND \(column) IN",
        in: members.compactMap { form.binding(ofKey: $0.key) }
      ) { columns in
        guard let key = form.key(of: columns[1]) else { return }
        rows[SyncObjectID(entity, key)] = columns[0].integer
      }
    }
    return rows
  }

  /// Returns the sync keys of all models.
  func allObjects() throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try store.readSideTables { tables in
      for form in forms.values {
        try tables.forEach(
          "SELECT \(SQLIdentifier.quoted(form.keyColumn.name)) FROM \(form.table)"
            + " WHERE \(form.isOwn)"
        ) { columns in
          if let key = form.key(of: columns[0]) { objects.append(SyncObjectID(form.entity, key)) }
        }
      }
    }
    return objects.sorted()
  }

  // MARK: Values

  /// Returns the models of rows, by row.
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

  /// Returns the synchronized destinations of a list, with row and key.
  func members(
    of list: ModelList, row: Int64, _ tables: SideTables
  ) throws -> [(row: Int64, key: String)] {
    guard let form = families.members(of: list.destination).first.flatMap({ forms[$0] }) else {
      return []
    }
    var members: [(row: Int64, key: String)] = []
    try list.forEachDestination(
      of: row, table: form.table,
      columns: ["d.\"_id\"", "d.\(SQLIdentifier.quoted(form.keyColumn.name))", form.classColumn],
      tables
    ) { columns in
      guard let row = columns[0].integer, let key = form.key(of: columns[1]),
        forms[columns[2].text ?? form.entity] != nil
      else { return }
      members.append((row, key))
    }
    return members
  }

  /// Returns the to-one relationships of a row that refer to models that aren't synchronized.
  func strangers(
    of object: SyncObjectID, row: Int64, _ tables: SideTables
  ) throws -> Set<Int>? {
    guard let form = forms[object.entity] else { return nil }
    var strangers: Set<Int> = []
    for (index, destination) in form.relationships where families.leadsOutside(destination) {
      let column = form.plan.columns[form.plan.properties[index].columns.lowerBound].name
      var target: Int64?
      try tables.forEach(
        "SELECT \(SQLIdentifier.quoted(column)) FROM \(form.table) WHERE \"_id\" = ?",
        [.integer(row)]
      ) { target = $0[0].integer }
      guard let target, try self.object(inRow: target, of: destination, tables) == nil else {
        continue
      }
      strangers.insert(index)
    }
    return strangers.isEmpty ? nil : strangers
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
    try keepInlineAttachments(values, over: known, complete, form)
    return complete
  }

  /// See ``SyncStorage/canonical(_:)``.
  func canonical(_ object: SyncObjectID) -> SyncObjectID {
    guard let form = forms[object.entity] else { return object }
    return SyncObjectID(object.entity, form.canonical(object.key))
  }
}
