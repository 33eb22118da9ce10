import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Records the changes that a connection's transactions make to the rows of models, whatever their cause: saves,
/// batches, foreign keys and triggers.
///
/// SQLite reports each row before it changes (https://sqlite.org/c3ref/preupdate_count.html). The reports are packed in
/// memory and written before the commit, so that a transaction and its history are committed or rolled back together.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class HistoryRecorder: ChangeRecorder {
  /// The number of bytes of one entity that are written as a separate row, which bounds the memory of a long batch.
  static let maximumPartSize = 64 * 1024
  /// The result of ``finish(author:)``.
  struct RecordedTransaction: Sendable {
    let number: Int64
    /// The names of the entities with changes.
    let entities: Set<String>
    /// The deleted rows, by entity; only when ``collectsDeletions`` was set.
    let deleted: [String: [Int64]]
  }

  private let layouts: HistoryLayouts
  private let retention: HistoryRetention
  /// Unowned: the connection owns the recorder, so both are released together.
  private unowned let connection: Connection
  @exclusivity(unchecked) private var packings: [HistoryPacker]
  @exclusivity(unchecked) private var parts: [Int64]
  @exclusivity(unchecked) private(set) var deleted: [String: [Int64]] = [:]
  @exclusivity(unchecked) private var unresolved:
    [(end: HistoryLayouts.End, rowID: Int64, mask: ChangeMask)] = []
  @exclusivity(unchecked) private var isRecording = false
  /// The number of rows that the current transaction has inserted, updated and deleted.
  @exclusivity(unchecked) private(set) var recordedCount = 0
  @exclusivity(unchecked) private var size = 0
  @exclusivity(unchecked) private var number: Int64 = 0
  @exclusivity(unchecked) private var lastTable = 0
  /// Whether ``RecordedTransaction/deleted`` is needed for the current transaction.
  @exclusivity(unchecked) var collectsDeletions = false
  /// The properties that the current statement sets; nil when they aren't known. Comparing the other properties of each
  /// row would cost as much as writing it.
  @exclusivity(unchecked) var properties: ChangeMask?
  /// Whether all of them certainly differ from the row's values.
  @exclusivity(unchecked) var allDiffer = false
  /// Receives a transaction's number before it is committed, and its failure before it is rolled back.
  private let monitor: CommitMonitor
  @exclusivity(unchecked) private var reserved: Int64?

  init(
    _ layouts: HistoryLayouts, retention: HistoryRetention, monitor: CommitMonitor,
    on connection: Connection
  ) {
    self.monitor = monitor
    self.layouts = layouts
    self.retention = retention
    self.connection = connection
    packings = layouts.entities.map { _ in HistoryPacker() }
    parts = layouts.entities.map { _ in 0 }
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_preupdate_hook(
      connection.handle,
      { context, database, operation, _, table, oldRowID, newRowID in
        guard let context, let table else { return }
        Unmanaged<HistoryRecorder>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.record(operation, of: table, oldRowID, newRowID, database)
        }
      }, context)
  }

  // MARK: - Transactions

  func begin() {
    discard()
    reserved = nil
    isRecording = true
  }

  /// Ends the transaction.
  func settle() { reserved = nil }

  /// Releases the number of a transaction that is about to be rolled back: the next transaction will get it.
  func abandon() {
    if let reserved { monitor.release(reserved) }
    reserved = nil
  }

  func discard() {
    isRecording = false
    collectsDeletions = false
    properties = nil
    allDiffer = false
    deleted = [:]
    unresolved = []
    recordedCount = 0
    size = 0
    number = 0
    for index in packings.indices {
      packings[index] = HistoryPacker()
      parts[index] = 0
    }
  }

  /// Writes the packings that have grown large. Call it between statements.
  func flush() throws {
    if unresolved.count >= 1_000 { try resolve() }
    for index in packings.indices where packings[index].bytes.count >= Self.maximumPartSize {
      try write(index)
    }
  }

  /// Writes all remaining changes. The transaction must still be committed.
  ///
  /// - Returns: nil when no model has changed.
  func finish(author: String?) throws -> RecordedTransaction? {
    defer { discard() }
    isRecording = false
    try resolve()
    for index in packings.indices where !packings[index].isEmpty { try write(index) }
    guard number != 0 else { return nil }
    let last = try HistoryTables.last(on: connection)
    let statement = try connection.statement(
      "INSERT INTO \"_history_transaction\" VALUES (?, ?, ?, ?, ?, ?)")
    let now = Date.now
    // A sum that would overflow is restarted: it serves only to compute the size of the history.
    let bytes = Int64(size + HistoryRetention.transactionSize)
    let (sum, isTooLarge) = max(last.total, 0).addingReportingOverflow(bytes)
    let total = isTooLarge ? bytes : sum
    try statement.bind([
      .integer(number), .real(now.timeIntervalSinceReferenceDate),
      author.map { .text($0) } ?? .null, .text(Self.program),
      .integer(Int64(ProcessInfo.processInfo.processIdentifier)), .integer(total),
    ])
    try statement.run()
    try retention.apply(now: now, number: number, total: total, on: connection)
    monitor.reserve(number)
    reserved = number
    let entities = layouts.entities.indices.filter { parts[$0] > 0 }
    return RecordedTransaction(
      number: number, entities: Set(entities.map { layouts.entities[$0].name }), deleted: deleted)
  }

  private static let program: String = {
    #if canImport(Darwin)
      if let identifier = Bundle.main.bundleIdentifier { return identifier }
    #endif
    // Other systems have no bundles, and searching for one takes longer than a small save.
    return ProcessInfo.processInfo.processName
  }()

  private func write(_ index: Int) throws {
    if number == 0 { number = try HistoryTables.next(on: connection) }
    let bytes = packings[index].finish()
    let statement = try connection.statement(
      "INSERT INTO \"_history_change\" VALUES (?, ?, ?, ?)")
    try statement.bind([
      .integer(number), .integer(layouts.entities[index].layout), .integer(parts[index]),
      .blob(bytes),
    ])
    do { try statement.run() } catch let error as StoreError where error.code == .notUnique {
      throw StoreError(
        .damaged, path: connection.path,
        explanation: "its history has changes of transaction \(number) already, which isn't in it;"
          + " delete the history", resultCode: error.resultCode)
    }
    parts[index] += 1
    size += bytes.count
  }

  // MARK: - Rows

  private func record(
    _ operation: Int32, of table: UnsafePointer<CChar>, _ oldRowID: Int64, _ newRowID: Int64,
    _ database: OpaquePointer?
  ) {
    guard isRecording, let place = index(of: table) else { return }
    let entity: Int?
    switch layouts.tables[place].table {
    case .pairs(let ends): return recordPair(operation, ends, database)
    case .entity(let index): entity = index
    case .family(let discriminator, let members):
      var value: OpaquePointer?
      if operation == SQLITE_INSERT {
        sqlite3_preupdate_new(database, discriminator, &value)
      } else {
        sqlite3_preupdate_old(database, discriminator, &value)
      }
      let name = UnsafeRawBufferPointer(
        start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
      entity = members.first { $0.name.elementsEqual(name) }?.entity
    }
    guard let entity else { return }
    recordedCount += 1
    switch operation {
    case SQLITE_INSERT: packings[entity].append(.insert, newRowID)
    case SQLITE_DELETE: recordDeletion(of: oldRowID, entity, database)
    default: recordUpdate(of: newRowID, entity, database)
    }
  }

  /// The index of a table in the layouts. Most changes are to the table that changed last.
  private func index(of table: UnsafePointer<CChar>) -> Int? {
    func isMatch(_ place: Int) -> Bool {
      layouts.tables[place].name.withUnsafeBufferPointer { name in
        name.baseAddress.map { strcmp($0, table) == 0 } ?? false
      }
    }
    guard !layouts.tables.isEmpty else { return nil }
    if isMatch(lastTable) { return lastTable }
    guard let found = layouts.tables.indices.first(where: isMatch) else { return nil }
    lastTable = found
    return found
  }

  private func recordUpdate(of rowID: Int64, _ index: Int, _ database: OpaquePointer?) {
    var mask = ChangeMask()
    // Changes that triggers and foreign keys make to other rows meanwhile have a greater depth.
    let known = sqlite3_preupdate_depth(database) == 0 ? properties : nil
    if let known, allDiffer {
      packings[index].append(.update, rowID, known)
      for list in layouts.entities[index].lists { recordMove(in: list, database) }
      return
    }
    for (column, property) in layouts.entities[index].properties.enumerated()
    where property >= 0 && !mask.contains(property) {
      if let known, !known.contains(property) { continue }
      var old: OpaquePointer?
      var new: OpaquePointer?
      sqlite3_preupdate_old(database, Int32(column), &old)
      sqlite3_preupdate_new(database, Int32(column), &new)
      if Self.differ(old, new) { mask.insert(property) }
    }
    if !mask.isEmpty { packings[index].append(.update, rowID, mask) }
    for list in layouts.entities[index].lists { recordMove(in: list, database) }
  }

  /// Records a change of a row's position in an ordered list as a change of the list's owner.
  private func recordMove(in list: HistoryLayouts.End, _ database: OpaquePointer?) {
    guard let order = list.order, Self.changes(order, database) else { return }
    var owner: OpaquePointer?
    sqlite3_preupdate_new(database, list.column, &owner)
    guard sqlite3_value_type(owner) == SQLITE_INTEGER else { return }
    var mask = ChangeMask()
    mask.insert(list.property)
    recordLink(list, sqlite3_value_int64(owner), mask)
  }

  /// Whether an update changes a column.
  private static func changes(_ column: Int32, _ database: OpaquePointer?) -> Bool {
    var old: OpaquePointer?
    var new: OpaquePointer?
    sqlite3_preupdate_old(database, column, &old)
    sqlite3_preupdate_new(database, column, &new)
    return differ(old, new)
  }

  private static func differ(_ old: OpaquePointer?, _ new: OpaquePointer?) -> Bool {
    guard let old, let new else { return (old == nil) != (new == nil) }
    let type = sqlite3_value_type(old)
    guard type == sqlite3_value_type(new) else { return true }
    switch type {
    case SQLITE_INTEGER: return sqlite3_value_int64(old) != sqlite3_value_int64(new)
    case SQLITE_FLOAT:
      return sqlite3_value_double(old).bitPattern != sqlite3_value_double(new).bitPattern
    case SQLITE_NULL: return false
    default:
      // For text too: both values are already in the database's encoding.
      guard let left = sqlite3_value_blob(old), let right = sqlite3_value_blob(new) else {
        return sqlite3_value_bytes(old) != sqlite3_value_bytes(new)
      }
      let count = sqlite3_value_bytes(old)
      return count != sqlite3_value_bytes(new) || memcmp(left, right, Int(count)) != 0
    }
  }

  private func recordDeletion(of rowID: Int64, _ index: Int, _ database: OpaquePointer?) {
    let entity = layouts.entities[index]
    if collectsDeletions { deleted[entity.name, default: []].append(rowID) }
    guard !entity.preserved.isEmpty else { return packings[index].append(.delete, rowID) }
    var values = HistoryValues(properties: entity.preserved.count)
    for (property, columns) in entity.preserved {
      values.begin(property: property, columns: columns.count)
      for column in columns {
        var value: OpaquePointer?
        sqlite3_preupdate_old(database, column, &value)
        values.append(value)
      }
    }
    packings[index].append(deletionOf: rowID, values: values)
  }

  /// Records an inserted or deleted pair as a change of the relationship at both ends.
  private func recordPair(
    _ operation: Int32, _ ends: [HistoryLayouts.End], _ database: OpaquePointer?
  ) {
    if operation == SQLITE_UPDATE, !ends.contains(where: { Self.changes($0.column, database) }) {
      for end in ends { recordMove(in: end, database) }
      return
    }
    for end in ends {
      var mask = ChangeMask()
      mask.insert(end.property)
      var value: OpaquePointer?
      if operation != SQLITE_INSERT {
        sqlite3_preupdate_old(database, end.column, &value)
        recordLink(end, sqlite3_value_int64(value), mask)
      }
      if operation != SQLITE_DELETE {
        sqlite3_preupdate_new(database, end.column, &value)
        recordLink(end, sqlite3_value_int64(value), mask)
      }
    }
  }

  private func recordLink(_ end: HistoryLayouts.End, _ rowID: Int64, _ mask: ChangeMask) {
    guard layouts.entities[end.entity].family != nil else {
      return packings[end.entity].append(.update, rowID, mask)
    }
    // Only the row contains its subclass, and no statement may run in this callback.
    unresolved.append((end, rowID, mask))
  }

  /// Finds the classes of rows whose links changed. Deleted rows are already in the history.
  private func resolve() throws {
    guard !unresolved.isEmpty else { return }
    for (end, rowID, mask) in unresolved {
      guard let family = layouts.entities[end.entity].family else { continue }
      let entity = try connection.text(
        "SELECT \(SQLIdentifier.quoted(EntityFamily.discriminator))"
          + " FROM \(SQLIdentifier.quoted(family.table)) WHERE"
          + " \(SQLIdentifier.rowID) = ?", [.integer(rowID)])
      guard let index = layouts.entities.firstIndex(where: { $0.name == entity }) else { continue }
      packings[index].append(.update, rowID, mask)
    }
    unresolved = []
  }
}
