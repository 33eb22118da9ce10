import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Packed changes of one entity in a transaction: a row of `_history_change`.
struct HistoryPart: Sendable {
  /// The number of the entity's form.
  let layout: Int64
  let number: Int64
  let bytes: [UInt8]
}

/// Collects the changes that a transaction makes to rows, and packs them for the history.
final class HistoryRecording {
  /// The number of packed bytes of one entity that are a part of their own.
  private static let maximumPartSize = 64 * 1024

  /// The transaction in the history.
  struct Recorded: Sendable {
    let number: Int64
    /// The bytes of all transactions up to this one.
    let total: Int64
    /// The names of the entities with changes.
    let entities: Set<String>
  }

  private let plans: HistoryPlans
  private var packers: [String: HistoryPacker] = [:]
  /// The packed changes, after ``command(key:attempt:author:identifier:locks:)``.
  private(set) var parts: [HistoryPart] = []
  private var counts: [String: Int64] = [:]
  /// Changed links of rows that share a table with other classes.
  private var unresolved: [(plan: EntityPlan, property: Int, rowIDs: [Int64])] = []

  init(_ plans: HistoryPlans) { self.plans = plans }

  var isEmpty: Bool { packers.isEmpty && unresolved.isEmpty }

  func insert(_ rowIDs: [Int64], of plan: EntityPlan) {
    append(plan) { packer in
      for rowID in rowIDs { packer.append(.insert, rowID) }
    }
  }

  func update(_ rowIDs: [Int64], _ properties: ChangeMask, of plan: EntityPlan) {
    guard !properties.isEmpty else { return }
    append(plan) { packer in
      for rowID in rowIDs { packer.append(.update, rowID, properties) }
    }
  }

  /// Records a deleted row.
  ///
  /// - Parameter values: The preserved values; nil when there are none.
  func delete(_ rowID: Int64, _ values: HistoryValues?, of plan: EntityPlan) {
    append(plan) { packer in
      guard let values else { return packer.append(.delete, rowID) }
      packer.append(deletionOf: rowID, values: values)
    }
  }

  /// Records the rows of a table of pairs that were inserted or deleted, as changes of the relationship at both ends.
  ///
  /// - Parameter pairs: The rows with the two columns, that of the property's own end first.
  func link(_ pairs: PostgresResult, of table: RelationshipPlan.JoinTable) {
    guard pairs.rowCount > 0 else { return }
    for end in plans.ends[table.name] ?? [] {
      let column = end.column == table.ownerColumn ? 0 : 1
      let rowIDs = Set((0..<pairs.rowCount).compactMap { pairs.integer($0, column) }).sorted()
      if end.plan.family == nil {
        var mask = ChangeMask()
        mask.insert(end.property)
        update(rowIDs, mask, of: end.plan)
      } else {
        // Only the rows contain their classes.
        unresolved.append((end.plan, end.property, rowIDs))
      }
    }
  }

  private func append(_ plan: EntityPlan, _ body: (inout HistoryPacker) -> Void) {
    var packer = packers.removeValue(forKey: plan.name) ?? HistoryPacker()
    body(&packer)
    guard !packer.isEmpty else { return }
    if packer.bytes.count >= Self.maximumPartSize { close(&packer, plan.name) }
    packers[plan.name] = packer
  }

  private func close(_ packer: inout HistoryPacker, _ entity: String) {
    guard !packer.isEmpty, let layout = plans.layouts[entity] else { return }
    let number = counts[entity] ?? 0
    counts[entity] = number + 1
    parts.append(HistoryPart(layout: layout, number: number, bytes: packer.finish()))
  }

  /// Finds the classes of rows whose links changed. Deleted rows are already in the history.
  func resolve(_ connection: PostgresConnection) throws {
    for (plan, property, rowIDs) in unresolved {
      let rows = try connection.run(
        PostgresCommand(
          PostgresStatementText.finished(
            "SELECT \(SQLIdentifier.rowID), \(SQLIdentifier.quoted(EntityFamily.discriminator))"
              + " FROM \(SQLIdentifier.quoted(plan.table)) WHERE \(SQLIdentifier.rowID) = ANY (?)"
              + " ORDER BY \(SQLIdentifier.rowID)"), [.integers(rowIDs)]))
      var mask = ChangeMask()
      mask.insert(property)
      for row in 0..<rows.rowCount {
        guard let rowID = rows.integer(row, 0),
          let member = rows.text(row, 1).flatMap({ plans.plansByName[$0] })
        else { continue }
        update([rowID], mask, of: member)
      }
    }
    unresolved = []
  }

  // MARK: - Writing

  private static let program = ProcessInfo.processInfo.processName
  private static let host = ProcessInfo.processInfo.hostName

  /// The forms of the statement that writes a transaction.
  private struct Form: Hashable {
    /// Whether there is one part, which needs no arrays.
    let isSingle: Bool
    /// Whether the answer says if nobody listens: whether the transaction can take the lock that each listener shares.
    let asksForListeners: Bool

    /// The statement. The counter's row is locked from here to the end of the transaction. Fails with a division by
    /// zero for another store than the one that was opened, see ``StoreTables/identityTest``.
    var text: String {
      let parts =
        isSingle
        ? "SELECT n.number, ?::bigint, ?::bigint, ?::bytea FROM n"
        : "SELECT n.number, v.layout, v.part, v.changes"
          + " FROM n, unnest(?::bigint[], ?::bigint[], ?::bytea[]) AS v(layout, part, changes)"
      // The lock of the session is released before the transaction's end, so that the next one doesn't meet it.
      let isFree =
        asksForListeners
        ? ", bool_and(CASE WHEN pg_advisory_xact_lock_shared(?::bigint) IS NOT NULL"
          + " AND pg_try_advisory_lock(?::bigint) THEN pg_advisory_unlock(?::bigint) ELSE false END)"
        : ""
      return """
        WITH n AS (UPDATE "_store" SET number = number + 1, total = total + ?::bigint
          WHERE \(StoreTables.identityCondition("?::uuid", "?::bigint")) RETURNING number, total),
        t AS (INSERT INTO "_history_transaction"
            (number, key, timestamp, author, program, host, process, total)
          SELECT n.number, ?::uuid, ?::double precision, ?::text, ?::text, ?::text, ?::integer,
            n.total FROM n),
        k AS (INSERT INTO "_history_key" (key, number, total, attempt)
          SELECT ?::uuid, n.number, n.total, ?::smallint FROM n),
        c AS (INSERT INTO "_history_change" (number, layout, part, changes) \(parts))
        SELECT max(number), max(total), 1 / count(*)\(isFree) FROM n
        """
    }
  }

  private static let statements: [Form: String] = {
    var statements: [Form: String] = [:]
    for isSingle in [false, true] {
      for asksForListeners in [false, true] {
        let form = Form(isSingle: isSingle, asksForListeners: asksForListeners)
        statements[form] = PostgresStatementText.finished(form.text)
      }
    }
    return statements
  }()

  /// The statement that stores the key of a transaction that isn't in the history.
  static func keyCommand(_ key: TransactionKey, attempt: Int) -> PostgresCommand {
    PostgresCommand(
      "INSERT INTO \"_history_key\" (key, number, total, attempt)"
        + " SELECT $1, number, total, $2 FROM \"_store\" WHERE id = 1",
      [.blob(key.bytes), .integer(Int64(attempt))])
  }

  /// The statement that writes the transaction and gives it its number; nil when no model has changed.
  ///
  /// - Parameters:
  ///   - identifier: The store's identifier.
  ///   - locks: The locks of the announcements; nil without any.
  func command(
    key: TransactionKey, attempt: Int, author: String?, identifier: [UInt8],
    locks: AnnouncementLocks?
  ) throws -> PostgresCommand? {
    for (entity, packer) in packers.sorted(by: { $0.key < $1.key }) {
      var packer = packer
      close(&packer, entity)
      packers[entity] = packer
    }
    guard !parts.isEmpty else { return nil }
    let size = parts.reduce(HistoryRetention.transactionSize) { $0 + $1.bytes.count }
    let form = Form(isSingle: parts.count == 1, asksForListeners: locks != nil)
    var values: [PostgresValue] = [
      .value(.integer(Int64(size))), .value(.blob(identifier)),
      .value(.integer(Int64(StoreTables.format))), .value(.blob(key.bytes)),
      .value(.real(Date.now.timeIntervalSinceReferenceDate)),
      .value(author.map { .text($0) } ?? .null), .value(.text(Self.program)),
      .value(.text(Self.host)),
      .value(.integer(Int64(ProcessInfo.processInfo.processIdentifier))),
      .value(.blob(key.bytes)), .value(.integer(Int64(attempt))),
    ]
    values += try form.isSingle ? Self.values(of: parts[0]) : Self.lists(of: parts)
    if let locks {
      values += [locks.commits, locks.listeners, locks.listeners].map { .value(.integer($0)) }
    }
    return PostgresCommand(Self.statements[form] ?? form.text, values)
  }

  private static func values(of part: HistoryPart) -> [PostgresValue] {
    [.value(.integer(part.layout)), .value(.integer(part.number)), .value(.blob(part.bytes))]
  }

  private static func lists(of parts: [HistoryPart]) throws -> [PostgresValue] {
    var changes = PostgresList(of: .data)
    for part in parts {
      try part.bytes.withUnsafeBytes { bytes in
        try changes.append(_Cell(kind: .blob, count: bytes.count), bytes)
      }
    }
    return [.integers(parts.map(\.layout)), .integers(parts.map(\.number)), .list(changes)]
  }

  /// The names of the entities with changes.
  var entities: Set<String> { Set(counts.keys) }

  /// Whether foreign keys that are checked at the end of a transaction may be concerned.
  var concernsKeys: Bool { !plans.entitiesWithKeys.isDisjoint(with: counts.keys) }

  /// Reads the answer to ``command(key:attempt:author:identifier:locks:)``.
  func recorded(_ result: PostgresResult, address: String) throws -> Recorded {
    guard result.rowCount == 1, let number = result.integer(0, 0) else {
      throw StoreError(
        .damaged, path: address, explanation: "its table _store has no row; restore it from a copy")
    }
    return Recorded(number: number, total: result.integer(0, 1) ?? 0, entities: entities)
  }

  /// Whether somebody may wait for an announcement of the transaction.
  static func hasListeners(_ result: PostgresResult) -> Bool {
    result.columnCount > 3 && !result.isTrue(0, 3)
  }
}

/// The entities of a store in the form that recordings need.
struct HistoryPlans: Sendable {
  /// A property that rows of a table of pairs change.
  struct End: Sendable {
    let plan: EntityPlan
    let property: Int
    /// The column with the row ID of the entity.
    let column: String
  }

  /// The numbers of the present forms, by entity.
  let layouts: [String: Int64]
  let plansByName: [String: EntityPlan]
  /// The ends of each table of pairs.
  let ends: [String: [End]]
  /// The entities from or to whose tables foreign keys lead.
  let entitiesWithKeys: Set<String>

  init(_ plans: [EntityPlan], layouts: [String: Int64]) {
    self.layouts = layouts
    plansByName = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var ends: [String: [End]] = [:]
    for plan in plans {
      for property in plan.ownRelationships {
        guard let join = plan.properties[property].relationship?.joinTable else { continue }
        ends[join.name, default: []].append(
          End(plan: plan, property: property, column: join.ownerColumn))
      }
    }
    self.ends = ends
    entitiesWithKeys = Self.entitiesWithKeys(plans)
  }

  private static func entitiesWithKeys(_ plans: [EntityPlan]) -> Set<String> {
    let byType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    var tables: Set<String> = []
    for plan in plans {
      for property in plan.properties {
        guard let relationship = property.relationship else { continue }
        tables.insert(plan.table)
        if let destination = byType[ObjectIdentifier(relationship.destination)] {
          tables.insert(destination.table)
        }
      }
    }
    return Set(plans.filter { tables.contains($0.table) }.map(\.name))
  }
}
