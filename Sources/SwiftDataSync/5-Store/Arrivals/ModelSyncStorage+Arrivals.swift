import SwiftDataCore

/// Writes new objects as rows, with their entries in the bookkeeping tables, in the transaction of their page.
extension ModelSyncStorage {
  /// The way in which new objects are distinguished from known ones.
  enum Novelty {
    /// The objects are looked up in the bookkeeping tables and among the rows.
    case lookedUp
    /// The last page was long and had only new objects: the next page is expected to be the same. If it isn't, the
    /// transaction detects it and is abandoned.
    case expected
    /// The lookup failed to find an existing object: every object is merged.
    case doubtful
  }

  /// The minimum number of objects of a page for which an expectation pays off.
  private static let longPage = 100

  package func incoming(_ page: SyncPage) -> SyncIncoming { reader.incoming(page) }

  package func newObjects(_ incoming: SyncIncoming) throws -> SyncArrivals? {
    guard var arrivals = incoming.arrivals, novelty != .doubtful, try !anyWaits() else {
      return nil
    }
    let isLong = arrivals.count >= Self.longPage
    if novelty != .expected || !isLong {
      let known = try known(arrivals.objects)
      if !known.isEmpty { arrivals.keep { !known.contains($0.object) } }
      novelty = isLong && known.isEmpty ? .expected : .lookedUp
    }
    try leaveOutDestinations(&arrivals)
    return arrivals.entities.isEmpty ? nil : arrivals
  }

  /// Returns those of the objects that exist as models or in the bookkeeping tables.
  private func known(_ objects: [SyncObjectID]) throws -> Set<SyncObjectID> {
    try access.store.readRows { transaction in
      var known = Set(try access.rows(of: objects, transaction).keys)
      try transaction.forEachRow(of: objects, in: SyncTables.objects, []) { object, _ in
        known.insert(object)
      }
      return known
    }
  }

  /// Removes entities to which merged objects may refer: the destinations of these references are looked up before the
  /// transaction.
  private func leaveOutDestinations(_ arrivals: inout SyncArrivals) throws {
    guard !access.destinations.isEmpty else { return }
    let chosen = Set(arrivals.places)
    var referring: Set<String> = []
    for (place, remote) in arrivals.changes.enumerated() where !chosen.contains(place) {
      referring.insert(remote.object.entity)
    }
    // Objects that were deferred may be stored together with the page.
    referring.formUnion(try quarantineReasons().keys.map(\.entity))
    while true {
      let reached = Set(referring.flatMap { access.destinations[$0] ?? [] })
      let left = Set(arrivals.entities.map(\.entity).filter(reached.contains))
      if left.isEmpty { return }
      arrivals.entities.removeAll { left.contains($0.entity) }
      referring.formUnion(left)
    }
  }

  // MARK: Writing

  /// Writes the rows and their entries in the bookkeeping tables.
  ///
  /// - Returns: The identifiers of the new models.
  /// - Throws: ``SyncStale`` when an object isn't new.
  func write(
    _ arrivals: SyncArrivals?, epoch: Int64, _ transaction: any RowWriteTransaction
  ) throws -> [PersistentIdentifier] {
    var inserted: [PersistentIdentifier] = []
    guard let arrivals else { return inserted }
    inserted.reserveCapacity(arrivals.count)
    for rows in arrivals.entities {
      guard let form = access.forms[rows.entity] else { continue }
      let rowIDs = try transaction.insertNew(
        rows.chosen, of: form.plan, cells: rows.cells, arena: rows.arena)
      guard let rowIDs else { throw notNew() }
      var records = SideTableRows("entity", "key", "row", "version", "base", "owed", "epoch")
      records.reserveCapacity(rowIDs.count, bytes: rows.texts.count)
      rows.texts.withUnsafeBytes { texts in
        for (index, rowID) in zip(rows.chosen, rowIDs) {
          let remote = arrivals.changes[rows.places[index]]
          records.append(.text(rows.entity))
          records.append(.text(remote.object.key))
          records.append(.integer(rowID))
          records.append(.integer(remote.version))
          let start = index == 0 ? 0 : rows.ends[index - 1]
          records.append(blob: UnsafeRawBufferPointer(rebasing: texts[start..<rows.ends[index]]))
          records.append(.integer(0))
          records.append(.integer(epoch))
          inserted.append(access.store.identifier(rowID: rowID, entity: rows.entity))
        }
      }
      let count = try transaction.insert(records, into: SyncTables.objects, existing: .keep)
      guard count == rowIDs.count else { throw notNew() }
    }
    return inserted
  }

  private func notNew() -> SyncStale {
    novelty = novelty == .expected ? .lookedUp : .doubtful
    return SyncStale()
  }
}
