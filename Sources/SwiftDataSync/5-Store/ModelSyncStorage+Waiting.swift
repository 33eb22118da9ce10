import SwiftDataCore

/// Handles references whose destinations don't exist, because they haven't arrived yet or were deleted.
extension ModelSyncStorage {
  /// Whether any reference waits; usually none does, and lookups of single references are then unnecessary.
  func anyWaits() throws -> Bool { try access.store.readRows { try Self.anyWaits($0) } }

  private static func anyWaits(_ transaction: any RowReadTransaction) throws -> Bool {
    var any = false
    try transaction.forEachRow(
      SideTableQuery(SyncTables.waiting, ["place"]).limited(to: 1)
    ) { _ in any = true }
    return any
  }

  /// Returns the values of objects with waiting references filled in as if their destinations existed.
  ///
  /// - Parameter entries: The entries with the records of the objects.
  func withWaiting(
    _ values: [SyncObjectID: SyncValues], _ entries: [SyncObjectID: SyncEntry]
  ) throws -> [SyncObjectID: SyncValues] {
    guard hasWaiting, !values.isEmpty else { return values }
    var waiting: [PropertyOfObject: [(place: Int, element: SyncValue)]] = [:]
    try access.store.readRows { transaction in
      for (entity, members) in Dictionary(grouping: values.keys, by: \.entity) {
        try transaction.forEachRow(
          SideTableQuery(
            SyncTables.waiting, ["key", "property", "destinationKey", "place"],
            where: .equal("entity", .text(entity))
          ).ordered(by: "key", "place"),
          where: "key", in: members.map { .text($0.key) }
        ) { columns in
          guard let key = columns[0].text, let property = columns[1].text,
            let destination = columns[2].text
          else { return }
          waiting[PropertyOfObject(SyncObjectID(entity, key), property), default: []]
            .append((Int(columns[3].integer ?? 0), .text(destination)))
        }
      }
    }
    var filled = values
    for (place, elements) in waiting {
      let (object, property) = (place.object, place.property)
      let list = access.forms[object.entity]?.lists.first { $0.name == property }
      switch filled[object]?[property] {
      case .list(let keys):
        guard let list else { continue }
        filled[object]?[property] = ListMerge.filled(keys, elements, isOrdered: list.isOrdered)
      case .null where list == nil:
        filled[object]?[property] =
          elements.first { $0.place != ModelWriting.Waiting.former }?.element
      case .text(let key) where list == nil:
        // A required reference keeps its former destination; any other one is an edit, and so is an agreed one.
        guard elements.contains(where: { $0 == (ModelWriting.Waiting.former, .text(key)) }),
          let wanted = elements.first(where: { $0.place != ModelWriting.Waiting.former })?.element,
          entries[object]?.record.base?[property] == wanted
        else { continue }
        filled[object]?[property] = wanted
      default: continue
      }
    }
    return filled
  }

  /// A property of one object.
  private struct PropertyOfObject: Hashable {
    let object: SyncObjectID
    let property: String

    init(_ object: SyncObjectID, _ property: String) {
      self.object = object
      self.property = property
    }
  }

  /// Returns the values of the objects that wait for a parent before they can become models. An object that had a row
  /// is deleted.
  func waitingValues(of objects: [SyncObjectID]) throws -> [SyncObjectID: SyncValues] {
    guard hasWaiting, !objects.isEmpty else { return [:] }
    var values: [SyncObjectID: SyncValues] = [:]
    try access.store.readRows { transaction in
      var waiting: Set<SyncObjectID> = []
      try transaction.forEachRow(
        of: objects, in: SyncTables.waiting, [], where: Self.isRequired
      ) { object, _ in waiting.insert(object) }
      try transaction.forEachRow(
        of: waiting, in: SyncTables.objects, ["base"], where: .isNull("row")
      ) { object, columns in
        guard case .object(let base) = try access.document(columns[0]) else { return }
        values[object] = entities[object.entity]?.adapted(base) ?? base
      }
    }
    return values
  }

  private static let isRequired = SideTableCondition.equal(
    "place", .integer(Int64(ModelWriting.Waiting.required)))

  /// Removes references to deleted objects from the base values: a delete rule's effect is not an edit, whichever side
  /// deleted the object.
  func withoutGone(_ entries: [SyncObjectID: SyncEntry]) throws -> [SyncObjectID: SyncEntry] {
    var lost: [(object: SyncObjectID, property: String, destination: SyncObjectID)] = []
    for (object, entry) in entries where access.destinations[object.entity] != nil {
      lost += lostReferences(entry, of: object).map { (object, $0.property, $0.destination) }
    }
    guard !lost.isEmpty else { return entries }
    let present = try access.store.readRows { transaction in
      try access.rows(ofReferences: Set(lost.map(\.destination)), transaction)
    }
    // An object may have lost many elements of a list.
    var gone: [PropertyOfObject: Set<String>] = [:]
    for (object, property, destination) in lost where present[destination] == nil {
      gone[PropertyOfObject(object, property), default: []].insert(destination.key)
    }
    var entries = entries
    for (place, keys) in gone {
      let (object, property) = (place.object, place.property)
      guard case .list(let elements) = entries[object]?.record.base?[property] else {
        entries[object]?.record.base?[property] = .null
        continue
      }
      entries[object]?.record.base?[property] = .list(
        elements.filter { element in !(SyncSchema.key(element).map(keys.contains) ?? false) })
    }
    return entries
  }

  /// Returns the references that an object's base values have and its values don't.
  private func lostReferences(
    _ entry: SyncEntry, of object: SyncObjectID
  ) -> [(property: String, destination: SyncObjectID)] {
    guard let form = access.forms[object.entity], let values = entry.values,
      let base = entry.record.base
    else { return [] }
    var lost: [(property: String, destination: SyncObjectID)] = []
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      guard values[name] == .some(.null), let key = base[name].flatMap(SyncSchema.key) else {
        continue
      }
      lost.append((name, SyncObjectID(destination, key)))
    }
    for list in form.lists {
      guard case .list(let present) = values[list.name], case .list(let agreed) = base[list.name],
        present != agreed
      else { continue }
      let known = Set(present)
      for element in agreed where !known.contains(element) {
        guard let key = SyncSchema.key(element) else { continue }
        lost.append((list.name, SyncObjectID(list.destination, key)))
      }
    }
    return lost
  }

  // MARK: Writing

  func write(
    _ waiting: [SyncObjectID: [ModelWriting.Waiting]], removed: [SyncObjectID],
    _ transaction: any RowWriteTransaction
  ) throws {
    if waiting.values.allSatisfy(\.isEmpty), try !Self.anyWaits(transaction) { return }
    try clearWaiting(of: removed + waiting.keys, transaction)
    var rows = SideTableRows(SyncTables.waiting.columns.map(\.name))
    for (object, references) in waiting {
      for reference in references {
        rows.append([
          .text(object.entity), .text(object.key), .text(reference.property),
          .text(reference.destination.entity), .text(reference.destination.key),
          .integer(Int64(reference.place)),
        ])
      }
    }
    try transaction.insert(rows, into: SyncTables.waiting, existing: .replace)
  }

  func clearWaiting(
    of objects: some Sequence<SyncObjectID>, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.delete(SideTableRows(objects), from: SyncTables.waiting)
  }

  /// Returns objects that waited for an object that is now inserted, or for one of these objects, with their values
  /// afterwards.
  ///
  /// - Parameter relinked: Other objects to write, which aren't looked up again.
  func released(
    _ writes: SyncWrites, beside relinked: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    guard try anyWaits() else { return relinked }
    let written = Set(writes.values.map(\.object)).union(relinked.map(\.object))
    var owners: Set<SyncObjectID> = []
    // A locally created object becomes available to the others when the server has it.
    let present = Set(writes.values.filter { $0.values != nil }.map(\.object))
      .union(writes.records.filter { $0.value.version != nil }.map(\.key))
    try access.store.readRows { transaction in
      // Others may wait for an object that is created now because it waited itself.
      var next = present
      while !next.isEmpty {
        next = try self.owners(ofReferencesTo: next, transaction)
          .subtracting(owners).subtracting(written)
        owners.formUnion(next)
      }
    }
    return try relinked
      + load(owners.sorted()).sorted { $0.key < $1.key }.compactMap { object, entry in
        entry.values.map { (object, $0) }
      }
  }

  /// Returns the objects of which references wait for one of these objects.
  private func owners(
    ofReferencesTo objects: Set<SyncObjectID>, _ transaction: any RowReadTransaction
  ) throws -> Set<SyncObjectID> {
    var destinations: [String: [ColumnValue]] = [:]
    for object in objects {
      for entity in access.families.line(of: object.entity) {
        destinations[entity, default: []].append(.text(object.key))
      }
    }
    var owners: Set<SyncObjectID> = []
    for (entity, keys) in destinations {
      try transaction.forEachRow(
        SideTableQuery(
          SyncTables.waiting, ["entity", "key"],
          where: .equal("destinationEntity", .text(entity))),
        where: "destinationKey", in: keys
      ) { owners.formUnion(Self.object($0)) }
    }
    return owners
  }
}
