import SwiftDataCore

/// The bookkeeping tables in the store, and the encoding of their values.
enum SyncTables {
  /// The records of objects: ``SyncRecord``. `row` identifies the object of a row after the row has been deleted. Keys
  /// arrive in random order and base values are long, so the rows aren't ordered by their keys.
  static let objects = SideTable(
    "_sync_object",
    [
      .init("entity", .text), .init("key", .text), .init("row", .integer, isOptional: true),
      .init("version", .integer, isOptional: true), .init("base", .blob, isOptional: true),
      .init("parking", .blob, isOptional: true), .init("owed", .integer),
      .init("held", .blob, isOptional: true), .init("epoch", .integer),
    ], key: .columns(["entity", "key"]),
    indices: [
      .init("_sync_object_row", ["entity", "row"]),
      .init("_sync_object_open", ["entity", "key"], where: isOpen),
    ])

  /// The condition of the objects that have something to send or are set aside.
  static let isOpen = SideTableCondition.any([.isTrue("owed"), .isNotNull("parking")])
  static let isPending = SideTableCondition.all([isOpen, .isTrue("owed")])
  static let isQuarantined = SideTableCondition.all([isOpen, .isNotNull("parking")])

  /// The changes in flight in sending order.
  static let flights = SideTable(
    "_sync_flight",
    [
      .init("place", .integer), .init("change", .blob), .init("through", .integer),
      .init("unit", .integer),
    ], key: .number)

  /// One row with the ledger's progress.
  static let progress = SideTable(
    "_sync_progress", [.init("id", .integer), .init("value", .blob)], key: .number)

  /// References whose destination doesn't exist yet; `place` is the position in a list, or negative: see
  /// ``ModelWriting/Waiting``, also for the destinations that required references keep.
  static let waiting = SideTable(
    "_sync_waiting",
    [
      .init("entity", .text), .init("key", .text), .init("property", .text),
      .init("destinationEntity", .text), .init("destinationKey", .text), .init("place", .integer),
    ], key: .ordered(["entity", "key", "property", "destinationKey"]),
    indices: [
      .init("_sync_waiting_destination", ["destinationEntity", "destinationKey"])
    ])

  /// Resolved conflicts, newest last.
  static let resolutions = SideTable(
    "_sync_resolution", [.init("number", .integer), .init("value", .blob)], key: .number)

  /// The maximum number of stored conflicts.
  static let maximumResolutions: Int64 = 1_000

  static let all = [objects, flights, progress, waiting, resolutions]

  /// Creates missing tables and migrates those of an older engine.
  static func create(_ transaction: any RowWriteTransaction) throws {
    for table in all { _ = try table.missingColumns(transaction) }
    if try progress.missingColumns(transaction).isEmpty {
      try transaction.forEachRow(SideTableQuery(progress, ["value"])) { columns in
        if let json = try columns[0].json() { try SyncProgress.checkFormat(json) }
      }
    }
    let columns = try transaction.columnNames(ofSideTable: waiting.name)
    let isOld = !columns.isEmpty && !columns.contains("place")
    let old = isOld ? try oldReferences(transaction) : []
    if isOld { try transaction.removeSideTable(waiting.name) }
    for table in all { try transaction.create(table) }
    try transaction.insert(
      SideTableRows(waiting.columns.map(\.name), old), into: waiting, existing: nil)
  }

  /// Checks that the tables are there, in the form of this version.
  /// - Throws: ``SyncError``.
  static func require(_ transaction: any RowReadTransaction) throws {
    for table in all where try !table.missingColumns(transaction).isEmpty {
      throw SyncError(
        .readOnly,
        "The store was opened with allowsSave: false, and no engine of this version has prepared it. Open it once"
          + " so that it can be written.")
    }
  }

  /// Returns the rows of the waiting references of an older engine, which had no position: all of an object without a
  /// row are required.
  private static func oldReferences(_ transaction: any RowReadTransaction) throws -> [[ColumnValue]]
  {
    var references: [[ColumnValue]] = []
    let columns = waiting.columns.map(\.name).filter { $0 != "place" }
    try transaction.forEachRow(SideTableQuery(waiting, columns)) { references.append($0) }
    var withRow: Set<[ColumnValue]> = []
    for (entity, members) in Dictionary(grouping: references, by: { $0[0] }) {
      let query = SideTableQuery(
        objects, ["entity", "key"],
        where: .all([.equal("entity", entity), .isNotNull("row")]))
      try transaction.forEachRow(query, where: "key", in: Array(Set(members.map { $0[1] }))) {
        withRow.insert($0)
      }
    }
    return references.map { reference in
      let isRequired = !withRow.contains(Array(reference[..<2]))
      return reference + [.integer(isRequired ? -1 : 0)]
    }
  }
}

extension RowReadTransaction {
  /// Calls `body` with columns of the rows of objects in a table with the columns `entity` and `key`.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns, whose values are passed in this order.
  ///   - condition: A further condition on the rows.
  func forEachRow(
    of objects: some Sequence<SyncObjectID>, in table: SideTable, _ columns: [String],
    where condition: SideTableCondition? = nil,
    _ body: (SyncObjectID, [ColumnValue]) throws -> Void
  ) throws {
    for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
      let isOfEntity = SideTableCondition.equal("entity", .text(entity))
      let query = SideTableQuery(
        table, columns + ["key"], where: condition.map { .all([isOfEntity, $0]) } ?? isOfEntity)
      try forEachRow(query, where: "key", in: members.map { .text($0.key) }) { values in
        guard let key = values[columns.count].text else { return }
        try body(SyncObjectID(entity, key), values)
      }
    }
  }
}

extension SideTableRows {
  /// The keys of objects, for a table with the columns `entity` and `key`.
  init(_ objects: some Sequence<SyncObjectID>) {
    self.init(["entity", "key"], objects.map { [.text($0.entity), .text($0.key)] })
  }
}

extension SideTable {
  /// Returns the columns that the store's table lacks.
  /// - Throws: ``SyncError/Code/newerFormat`` for a table with columns that this version doesn't know.
  func missingColumns(_ transaction: any SideTableReading) throws -> Set<String> {
    let (stored, known) = (
      Set(try transaction.columnNames(ofSideTable: name)), Set(columns.map(\.name))
    )
    if let column = stored.subtracting(known).min() {
      throw SyncError.newer("column \(column) of \(name)")
    }
    return known.subtracting(stored)
  }
}

// MARK: - Reading values

extension ColumnValue {
  /// Decodes a JSON value of the bookkeeping tables.
  func json() throws -> SyncValue? {
    guard let bytes else { return nil }
    do { return try SyncJSON.parse(bytes, maximumDepth: SyncJSON.maximumBookDepth) } catch {
      throw SyncError(.damaged, "The engine's data in the store can't be read: \(error)")
    }
  }

  init(json value: SyncValue?) { self = value.map { .blob($0.json) } ?? .null }
}
