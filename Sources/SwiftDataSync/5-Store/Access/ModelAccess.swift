import Foundation
import SwiftDataCore

/// Reads and writes the models of a store as values by sync key, for the ledgers of a client and of a server.
///
/// It is used by one caller at a time. Each call has its own context, so no state is kept between calls.
final class ModelAccess {
  let container: ModelContainer
  let store: any KeyedRowStore
  let forms: [String: ModelForm]
  /// The classes of the store by name, also those that aren't synchronized.
  let plans: [String: EntityPlan]
  let author: String
  let families: ModelFamilies
  /// For each entity, the entities of the objects that its objects may refer to.
  let destinations: [String: Set<String>]
  /// The relationships that can prevent objects from being deleted.
  let denials: [ModelDenial]
  /// The bookkeeping table that maps rows to the objects that they were.
  let objectTable: SideTable
  /// The folder of attachments; nil when large values are sent among the other values.
  let attachments: AttachmentFolder?
  /// Returns the values of objects that have no row yet because a required parent doesn't exist.
  var rowless: ([SyncObjectID]) throws -> [SyncObjectID: SyncValues] = { _ in [:] }

  /// - Throws: ``SyncError/Code/unsupported`` when a class can't be synchronized.
  init(
    _ container: ModelContainer, _ models: [SyncedModel], author: String, objectTable: SideTable,
    attachmentFolder: String? = nil
  ) throws {
    self.container = container
    self.author = author
    self.objectTable = objectTable
    let forms = try models.map { try ModelForm($0, container) }
    let named = Dictionary(forms.map { ($0.entity, $0) }, uniquingKeysWith: { $1 })
    let families = try ModelFamilies(named)
    self.families = families
    self.forms = try named.mapValues { form in
      var form = form
      form.leaveOutLists { families.members(of: $0).compactMap { named[$0] } }
      if attachmentFolder != nil { form.separateAttachments() }
      form.initial = try form.initialValues()
      return form
    }
    let stores = try models.map { try container.core.entry(for: $0.type).capabilities }
    guard let store = stores.first?.keyedRows, stores.allSatisfy({ $0.store === store }) else {
      throw SyncError(
        .unsupported, "The models that take part have to be in one store of the default kind")
    }
    self.store = store
    plans = Dictionary(store.plans.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    attachments = attachmentFolder.map { AttachmentFolder(besides: store, name: $0) }
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

  // MARK: Keys

  /// Returns the objects of rows, by row; a row that doesn't exist, or whose class isn't synchronized, is left out.
  ///
  /// - Parameter entity: The objects' entity, or that of a superclass.
  func objects(
    inRows rows: some Sequence<Int64>, of entity: String, _ transaction: any RowReadTransaction
  ) throws -> [Int64: SyncObjectID] {
    guard let form = families.members(of: entity).first.flatMap({ forms[$0] }) else { return [:] }
    var objects: [Int64: SyncObjectID] = [:]
    try transaction.forEachRow(
      RowRequest(form.plan, [.rowID, .column(form.keyPosition), .entity]), where: .rowID,
      in: rows.map { .integer($0) }
    ) { cells in
      let entity = ColumnValue(cells[2]).text ?? form.entity
      guard forms[entity] != nil, let key = form.key(of: ColumnValue(cells[1])) else { return }
      objects[cells[0].bits] = SyncObjectID(entity, key)
    }
    return objects
  }

  /// Returns the rows that references refer to, of the named entity or of a subclass.
  func rows(
    ofReferences references: Set<SyncObjectID>, _ transaction: any RowReadTransaction
  ) throws -> [SyncObjectID: Int64] {
    let candidates = references.flatMap { reference in
      families.members(of: reference.entity).map { SyncObjectID($0, reference.key) }
    }
    let rows = try rows(of: Set(candidates), transaction)
    return references.reduce(into: [:]) { found, reference in
      found[reference] =
        families.members(of: reference.entity).lazy
        .compactMap { rows[SyncObjectID($0, reference.key)] }.first
    }
  }

  /// Returns the rows of the objects that exist as models.
  func rows(
    of objects: some Sequence<SyncObjectID>, _ transaction: any RowReadTransaction
  ) throws -> [SyncObjectID: Int64] {
    var rows: [SyncObjectID: Int64] = [:]
    for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
      guard let form = forms[entity] else { continue }
      let key = RowColumn.column(form.keyPosition)
      try transaction.forEachRow(
        RowRequest(form.plan, [.rowID, key], isExact: true), where: key,
        in: members.compactMap { form.binding(ofKey: $0.key) }
      ) { cells in
        guard let key = form.key(of: ColumnValue(cells[1])) else { return }
        rows[SyncObjectID(entity, key)] = cells[0].bits
      }
    }
    return rows
  }

  /// Returns the sync keys of all models.
  func allObjects() throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try store.readRows { transaction in
      for form in forms.values {
        try transaction.forEachRow(
          RowRequest(form.plan, [.column(form.keyPosition)], isExact: true)
        ) { cells in
          if let key = form.key(of: ColumnValue(cells[0])) {
            objects.append(SyncObjectID(form.entity, key))
          }
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

  /// Returns the synchronized destinations of a list with row and key, by the owners' rows.
  func members(
    of list: ModelList, in form: ModelForm, owners: [Int64], _ transaction: any RowReadTransaction
  ) throws -> [Int64: [(row: Int64, key: String)]] {
    var pairs: [(owner: Int64, destination: Int64)] = []
    try transaction.forEachPair(of: form.plan, list.property, owners: owners) {
      pairs.append(($0, $1))
    }
    let objects = try objects(
      inRows: Set(pairs.map(\.destination)), of: list.destination, transaction)
    return pairs.reduce(into: [:]) { members, pair in
      guard let object = objects[pair.destination] else { return }
      members[pair.owner, default: []].append((pair.destination, object.key))
    }
  }

  /// Returns the to-one relationships of rows that refer to models that aren't synchronized, by object.
  func strangers(
    of rows: [SyncObjectID: Int64], _ transaction: any RowReadTransaction
  ) throws -> [SyncObjectID: Set<Int>] {
    var strangers: [SyncObjectID: Set<Int>] = [:]
    for (entity, members) in Dictionary(grouping: rows, by: \.key.entity) {
      guard let form = forms[entity] else { continue }
      let leading = form.relationships.filter { families.leadsOutside($0.destination) }
      for (index, destination) in leading {
        let column = RowColumn.column(form.plan.properties[index].columns.lowerBound)
        var targets: [Int64: Int64] = [:]
        try transaction.forEachRow(
          RowRequest(form.plan, [.rowID, column]), where: .rowID,
          in: members.map { .integer($0.value) }
        ) { cells in
          if cells[1].kind == .integer { targets[cells[0].bits] = cells[1].bits }
        }
        let known = try objects(inRows: Set(targets.values), of: destination, transaction)
        for (object, row) in members {
          guard let target = targets[row], known[target] == nil else { continue }
          strangers[object, default: []].insert(index)
        }
      }
    }
    return strangers
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
