import SwiftData
import SwiftDataSQL

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

  package func newcomers(_ incoming: SyncIncoming) throws -> SyncArrivals? {
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
    try access.store.readSideTables { tables in
      var known = Set(try access.rows(of: objects, tables).keys)
      for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
        try tables.forEach(
          "SELECT key FROM \"_sync_object\" WHERE entity = ? AND key IN", [.text(entity)],
          in: members.map { .text($0.key) }
        ) { columns in
          if let key = columns[0].text { known.insert(SyncObjectID(entity, key)) }
        }
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
    // Objects that were held back may be stored together with the page.
    referring.formUnion(try parked().keys.map(\.entity))
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
    _ arrivals: SyncArrivals?, epoch: Int64, _ tables: SideTables
  ) throws -> [PersistentIdentifier] {
    var inserted: [PersistentIdentifier] = []
    guard let arrivals else { return inserted }
    let books = try tables.statement(
      "INSERT INTO \"_sync_object\" (entity, key, row, version, base, owed, epoch)"
        + " VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING")
    try books.bind(.integer(epoch), at: 6)
    inserted.reserveCapacity(arrivals.count)
    for rows in arrivals.entities {
      guard let form = access.forms[rows.entity] else { continue }
      let table = try access.store.writer(of: form.plan, in: tables)
      try books.bind(.text(rows.entity), at: 1)
      try rows.forEachChosen { place, cells, arena, text in
        let remote = arrivals.changes[place]
        guard case .inserted(let row) = try table.insertIfNew(cells, arena: arena) else {
          throw notNew()
        }
        try books.bind(.text(remote.object.key), at: 2)
        try books.bind(.integer(row), at: 3)
        try books.bind(.integer(remote.version), at: 4)
        try books.bind(blob: text, at: 5)
        guard try books.run() == 1 else { throw notNew() }
        inserted.append(access.store.identifier(rowID: row, entity: rows.entity))
      }
    }
    return inserted
  }

  private func notNew() -> SyncStale {
    novelty = novelty == .expected ? .lookedUp : .doubtful
    return SyncStale()
  }
}

extension SyncArrivals.Rows {
  /// Calls `body` with the index, the row, the bytes of its texts and the JSON of each chosen object.
  fileprivate func forEachChosen(
    _ body: (
      Int, UnsafeBufferPointer<_Cell>, UnsafePointer<UInt8>?, UnsafeRawBufferPointer
    ) throws -> Void
  ) throws {
    try cells.withUnsafeBufferPointer { cells in
      try arena.withUnsafeBufferPointer { arena in
        try texts.withUnsafeBytes { texts in
          for index in chosen {
            let start = index == 0 ? 0 : ends[index - 1]
            try body(
              places[index],
              UnsafeBufferPointer(rebasing: cells[index * width..<(index + 1) * width]),
              arena.baseAddress, UnsafeRawBufferPointer(rebasing: texts[start..<ends[index]]))
          }
        }
      }
    }
  }
}
