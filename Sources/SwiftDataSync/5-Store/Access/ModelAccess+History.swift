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
            objects.objects(inRows: rows)
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
    /// The objects that refer to the object of a row that got another key.
    private var referring: [String: [Int64: [SyncObjectID]]] = [:]

    init(
      _ changed: some Sequence<(entity: String, row: Int64)>, _ access: ModelAccess,
      _ transaction: any RowReadTransaction
    ) throws {
      let rows = Dictionary(grouping: changed, by: \.entity).mapValues { Set($0.map(\.row)) }
      for (entity, rows) in rows {
        let objects = try access.objects(inRows: rows, of: entity, transaction)
        present[entity] = objects
        var renamed: Set<Int64> = []
        try access.forEachRecord(ofRows: rows, of: entity, transaction) { row, key, isDeleted in
          recorded[entity, default: [:]][row, default: []].append(key)
          if !isDeleted, let object = objects[row], object.entity == entity, object.key != key {
            renamed.insert(row)
          }
        }
        guard !renamed.isEmpty else { continue }
        referring[entity] = try access.referring(toRows: renamed, of: entity, transaction)
      }
    }

    func objects(inRows rows: [(entity: String, row: Int64)]) -> [SyncObjectID] {
      var found = rows.flatMap { objects(inRow: $0.row, of: $0.entity) }
      let others = rows.flatMap { referring[$0.entity]?[$0.row] ?? [] }
      guard !others.isEmpty else { return found }
      var known = Set(found)
      for object in others where known.insert(object).inserted { found.append(object) }
      return found
    }

    private func objects(inRow row: Int64, of entity: String) -> [SyncObjectID] {
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
