import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Deletes rows, with what delete rules do to others, and records all of it. All rows are found and locked before the
/// first one is deleted, so that it is known which ones go.
struct RowDeletion {
  /// The rules that are followed.
  enum Rules {
    /// Those of rows that lead to the deleted ones. A context has followed the rules as far as it knows the rows;
    /// those that others have inserted meanwhile are found here.
    case incoming
    case all
  }

  private let store: PostgresStore
  private let connection: PostgresConnection
  private let recording: HistoryRecording
  private let references: StoreReferences
  private let rules: Rules
  private var rows: [String: Set<Int64>] = [:]

  init(
    _ store: PostgresStore, on connection: PostgresConnection, _ recording: HistoryRecording,
    following rules: Rules
  ) {
    self.store = store
    self.connection = connection
    self.recording = recording
    references = store.references
    self.rules = rules
  }

  /// Deletes rows.
  ///
  /// - Parameter rows: The row IDs, by table.
  /// - Returns: All deleted rows, by entity.
  @discardableResult
  mutating func run(_ rows: [String: Set<Int64>]) throws -> [String: [Int64]] {
    self.rows = rows.filter { !$0.value.isEmpty }
    guard !self.rows.isEmpty else { return [:] }
    var fresh = self.rows.mapValues { $0.sorted() }
    while !fresh.isEmpty { fresh = try find(behind: fresh) }
    if rules == .all { try refuseDenied() }
    return try delete()
  }

  // MARK: - Delete rules

  /// Finds the rows that one more step of cascades reaches, with one wait.
  private mutating func find(behind fresh: [String: [Int64]]) throws -> [String: [Int64]] {
    var commands: [PostgresCommand] = []
    var tables: [String?] = []
    func add(_ sql: String, _ values: [PostgresValue], _ table: String?) {
      commands.append(PostgresCommand(PostgresStatementText.finished(sql), values))
      tables.append(table)
    }
    let id = SQLIdentifier.rowID
    for (table, rowIDs) in fresh.sorted(by: { $0.key < $1.key }) {
      let rowIDs = PostgresValue.integers(rowIDs)
      let deleting = (references.references[table] ?? []).filter(\.deletesRows)
      if !deleting.isEmpty { add(Self.lock(table), [rowIDs], nil) }
      for reference in deleting {
        let other = reference.plan.table
        // Known rows may come again: a list of them would make deep trees cost the square of their depth.
        add(
          "SELECT \(id) FROM \(SQLIdentifier.quoted(other))"
            + " WHERE \(reference.column) = ANY (?) ORDER BY \(id) FOR UPDATE", [rowIDs], other)
      }
      guard rules == .all else { continue }
      for rule in references.cascades[table] ?? [] {
        let other = rule.destination.table
        add(
          "SELECT d.\(id) FROM \(SQLIdentifier.quoted(other)) AS d"
            + " WHERE \(rule.condition) ORDER BY d.\(id) FOR UPDATE", [rowIDs], other)
      }
    }
    var next: [String: [Int64]] = [:]
    for (table, result) in zip(tables, try connection.run(commands)) {
      guard let table else { continue }
      for row in 0..<result.rowCount {
        guard let rowID = result.integer(row, 0),
          rows[table, default: []].insert(rowID).inserted
        else { continue }
        next[table, default: []].append(rowID)
      }
    }
    return next
  }

  /// Locks rows, so that nobody can insert others that lead to them from now on.
  private static func lock(_ table: String) -> String {
    "SELECT 1 FROM \(SQLIdentifier.quoted(table)) WHERE \(SQLIdentifier.rowID) = ANY (?)"
      + " ORDER BY \(SQLIdentifier.rowID) FOR UPDATE"
  }

  private func known(_ table: String) -> PostgresValue {
    .integers((rows[table] ?? []).sorted())
  }

  /// - Throws: ``StoreError/Code/danglingReference`` where a row leads to one that stays, and the rule denies that.
  private func refuseDenied() throws {
    for table in rows.keys.sorted() {
      for rule in references.denials[table] ?? [] {
        let kept = try connection.run(
          PostgresCommand(
            PostgresStatementText.finished(
              "SELECT 1 FROM \(SQLIdentifier.quoted(rule.destination.table)) AS d"
                + " WHERE \(rule.condition) AND d.\(SQLIdentifier.rowID) <> ALL (?) LIMIT 1"),
            [known(table), known(rule.destination.table)]))
        guard kept.rowCount > 0 else { continue }
        throw StoreError(
          .danglingReference, path: store.address,
          explanation: "a relationship leads to a model that isn't stored"
            + " (\(rule.name)\(RelationshipTables.denied))")
      }
    }
  }

  // MARK: - Rows

  /// The use of a statement's result.
  private enum Step {
    case none
    case pairs(RelationshipPlan.JoinTable)
    case nullified(StoreReferences.Reference)
    case rows(PreservedRows)
  }

  /// Removes the links to the rows, and the rows, with one wait.
  ///
  /// - Returns: The deleted rows, by entity.
  private func delete() throws -> [String: [Int64]] {
    var work: [(command: PostgresCommand, step: Step)] = []
    for table in rows.keys.sorted() { unlink(table, &work) }
    let sources = references.order.compactMap { table in
      rows[table].flatMap { rowIDs in
        PreservedRows(table, store).map { (source: $0, rowIDs: rowIDs.sorted()) }
      }
    }
    // Where delete rules lead back, a deletion may delete rows of tables that follow.
    for (source, rowIDs) in sources {
      work.append(
        (
          references.isCyclic ? source.selection(rowIDs) : source.deletion(rowIDs), .rows(source)
        ))
    }
    if references.isCyclic {
      for (source, rowIDs) in sources { work.append((source.deletion(rowIDs), .none)) }
    }
    var deleted: [String: [Int64]] = [:]
    for (result, (_, step)) in zip(try connection.run(work.map(\.command)), work) {
      switch step {
      case .none: break
      case .pairs(let table): recording.link(result, of: table)
      case .nullified(let reference): record(result, reference)
      case .rows(let source):
        let rows = try source.record(result, in: recording)
        deleted.merge(rows) { $0 + $1 }
      }
    }
    return deleted
  }

  private func unlink(_ table: String, _ work: inout [(command: PostgresCommand, step: Step)]) {
    func add(_ sql: String, _ values: [PostgresValue], _ step: Step) {
      work.append((PostgresCommand(PostgresStatementText.finished(sql), values), step))
    }
    let rowIDs = known(table)
    let found = references.references[table] ?? []
    if !found.isEmpty, !found.contains(where: \.deletesRows) {
      add(Self.lock(table), [rowIDs], .none)
    }
    for end in references.pairs[table] ?? [] {
      let columns = [end.table.ownerColumn, end.table.destinationColumn]
        .map(SQLIdentifier.quoted).joined(separator: ", ")
      add(
        "DELETE FROM \(SQLIdentifier.quoted(end.table.name))"
          + " WHERE \(SQLIdentifier.quoted(end.column)) = ANY (?) RETURNING \(columns)",
        [rowIDs], .pairs(end.table))
    }
    for reference in found where !reference.deletesRows {
      let other = reference.plan
      add(
        "UPDATE \(SQLIdentifier.quoted(other.table)) SET \(reference.column) = NULL"
          + " WHERE \(reference.column) = ANY (?) AND \(SQLIdentifier.rowID) <> ALL (?)"
          + " RETURNING \(SQLIdentifier.rowID)\(other.entityColumn())",
        [rowIDs, known(other.table)], .nullified(reference))
    }
  }

  private func record(_ result: PostgresResult, _ reference: StoreReferences.Reference) {
    var mask = ChangeMask()
    mask.insert(reference.property)
    for row in 0..<result.rowCount {
      guard let rowID = result.integer(row, 0) else { continue }
      recording.update([rowID], mask, of: store.plan(reference.plan, result, row))
    }
  }
}

extension EntityPlan {
  /// The column with a row's class behind a comma; empty for a class with its own table.
  ///
  /// - Parameter alias: The table with a full stop; empty for the only one.
  func entityColumn(in alias: String = "") -> String {
    family == nil ? "" : ", " + alias + SQLIdentifier.quoted(EntityFamily.discriminator)
  }
}
