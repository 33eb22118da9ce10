import SwiftDataCore

/// Reads the history.
extension ModelAccess {
  func position() throws -> Int64 { try store.readRows { try $0.lastTransaction() } }

  /// See ``SyncStorage/edits(after:)``.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    try edits(after: number, limit: .max).edits
  }

  /// See ``SyncServerStorage/edits(after:limit:)``.
  func edits(
    after number: Int64, limit: Int
  ) throws -> (edits: [(transaction: Int64, objects: [SyncObjectID])], through: Int64?) {
    var edits: [(transaction: Int64, objects: [SyncObjectID])] = []
    // Transactions of this author alone are skipped without being read.
    let isOwn = try store.readRows { try $0.history(after: number, isOnlyBy: author) }
    if isOwn { return ([], nil) }
    var place = number
    var count = 0
    while true {
      let page: [DefaultHistoryTransaction]
      do { page = try store.historyPage(after: place) } catch SwiftDataError.historyTokenExpired {
        throw SyncHistoryExpired()
      }
      guard let last = page.last else { return (edits, nil) }
      place = last.transactionIdentifier
      let foreign = page.filter { $0.author != author }
      let changed = foreign.map { transaction in
        transaction.changes.compactMap { change -> (entity: String, row: Int64)? in
          let identifier = change.changedPersistentIdentifier
          guard forms[identifier.entityName] != nil, let row = identifier.rowID else { return nil }
          return (identifier.entityName, row)
        }
      }
      let objects = try store.readRows { try ChangedObjects(changed.joined(), self, $0) }
      for (transaction, rows) in zip(foreign, changed) {
        edits.append(
          (
            transaction.transactionIdentifier,
            rows.flatMap { objects.objects(inRow: $0.row, of: $0.entity) }
          ))
      }
      count += page.count + changed.reduce(0) { $0 + $1.count }
      if count >= limit { return (edits, place) }
    }
  }

  /// The objects of changed rows, and the objects that the rows were according to the bookkeeping table.
  private struct ChangedObjects {
    private var present: [String: [Int64: SyncObjectID]] = [:]
    private var recorded: [String: [Int64: [String]]] = [:]

    init(
      _ changed: some Sequence<(entity: String, row: Int64)>, _ access: ModelAccess,
      _ transaction: any RowReadTransaction
    ) throws {
      let rows = Dictionary(grouping: changed, by: \.entity).mapValues { Set($0.map(\.row)) }
      for (entity, rows) in rows {
        present[entity] = try access.objects(inRows: rows, of: entity, transaction)
        try transaction.forEachRow(
          SideTableQuery(
            access.objectTable, ["row", "key"], where: .equal("entity", .text(entity))),
          where: "row", in: rows.map { .integer($0) }
        ) { columns in
          guard let row = columns[0].integer, let key = columns[1].text else { return }
          recorded[entity, default: [:]][row, default: []].append(key)
        }
      }
    }

    func objects(inRow row: Int64, of entity: String) -> [SyncObjectID] {
      var objects: [SyncObjectID] = []
      // The row may belong to another class by now, which has its own entry.
      if let object = present[entity]?[row], object.entity == entity {
        objects.append(object)
      }
      for key in recorded[entity]?[row] ?? [] where key != objects.first?.key {
        objects.append(SyncObjectID(entity, key))
      }
      return objects
    }
  }
}
