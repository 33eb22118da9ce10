import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The deletions of a save, with what delete rules do to other rows. The context has followed the rules as far as it
/// knows the rows; those that others have inserted meanwhile are found here, so that the history has them, too.
struct Deletions {
  private let save: SaveOperation
  private let references: StoreReferences
  private var rows: [String: Set<Int64>] = [:]

  init(_ save: SaveOperation) {
    self.save = save
    references = save.store.references
  }

  /// Deletes the rows of models.
  mutating func run(_ models: [any PersistentModel]) throws {
    var fresh: [String: [Int64]] = [:]
    for model in models {
      let table = try save.plan(of: model).table
      let rowID = model._$modelState.rowID
      if rows[table, default: []].insert(rowID).inserted {
        fresh[table, default: []].append(rowID)
      }
    }
    while !fresh.isEmpty { fresh = try follow(fresh) }
    try delete()
  }

  // MARK: - Delete rules

  /// What is done with the result of a statement.
  private enum Step {
    case none
    case pairs(RelationshipPlan.JoinTable)
    case reference(StoreReferences.Reference)
  }

  /// Removes the links to rows that will be deleted, with one wait.
  ///
  /// - Returns: The rows that will be deleted with them.
  private mutating func follow(_ fresh: [String: [Int64]]) throws -> [String: [Int64]] {
    var commands: [PostgresCommand] = []
    var steps: [Step] = []
    func add(_ sql: String, _ values: [PostgresValue], _ step: Step) {
      commands.append(PostgresCommand(PostgresStatementText.finished(sql), values))
      steps.append(step)
    }
    let id = SQLIdentifier.rowID
    for (table, rowIDs) in fresh.sorted(by: { $0.key < $1.key }) {
      let rowIDs = PostgresValue.integers(rowIDs.sorted())
      let found = references.references[table] ?? []
      if !found.isEmpty {
        // Nobody can insert rows that lead to these from now on.
        add(
          "SELECT 1 FROM \(SQLIdentifier.quoted(table)) WHERE \(id) = ANY (?)"
            + " ORDER BY \(id) FOR UPDATE", [rowIDs], .none)
      }
      for end in references.pairs[table] ?? [] {
        let columns = [end.table.ownerColumn, end.table.destinationColumn]
          .map(SQLIdentifier.quoted).joined(separator: ", ")
        add(
          "DELETE FROM \(SQLIdentifier.quoted(end.table.name))"
            + " WHERE \(SQLIdentifier.quoted(end.column)) = ANY (?) RETURNING \(columns)",
          [rowIDs], .pairs(end.table))
      }
      for reference in found {
        let other = SQLIdentifier.quoted(reference.plan.table)
        let known = PostgresValue.integers((rows[reference.plan.table] ?? []).sorted())
        let condition = " WHERE \(reference.column) = ANY (?) AND \(id) <> ALL (?)"
        let columns = id + Self.entityColumn(reference.plan)
        add(
          reference.deletesRows
            ? "SELECT \(columns) FROM \(other)\(condition) ORDER BY \(id) FOR UPDATE"
            : "UPDATE \(other) SET \(reference.column) = NULL\(condition) RETURNING \(columns)",
          [rowIDs, known], .reference(reference))
      }
    }
    var next: [String: [Int64]] = [:]
    for (step, result) in zip(steps, try save.connection.run(commands)) {
      switch step {
      case .none: break
      case .pairs(let table): save.recording.link(result, of: table)
      case .reference(let reference): take(result, reference, &next)
      }
    }
    return next
  }

  private mutating func take(
    _ result: PostgresResult, _ reference: StoreReferences.Reference,
    _ next: inout [String: [Int64]]
  ) {
    var mask = ChangeMask()
    mask.insert(reference.property)
    for row in 0..<result.rowCount {
      guard let rowID = result.integer(row, 0) else { continue }
      if reference.deletesRows {
        let table = reference.plan.table
        if rows[table, default: []].insert(rowID).inserted {
          next[table, default: []].append(rowID)
        }
      } else {
        save.recording.update([rowID], mask, of: save.store.plan(reference.plan, result, row))
      }
    }
  }

  /// The column with the class of a row, behind others.
  private static func entityColumn(_ plan: EntityPlan) -> String {
    plan.family == nil ? "" : ", " + SQLIdentifier.quoted(EntityFamily.discriminator)
  }

  // MARK: - Rows

  private func delete() throws {
    var commands: [PostgresCommand] = []
    var sources: [PreservedRows] = []
    for table in references.order {
      guard let rowIDs = rows[table]?.sorted(), !rowIDs.isEmpty,
        let source = PreservedRows(table, save.store)
      else { continue }
      sources.append(source)
      commands.append(
        references.isCyclic ? source.selection(rowIDs) : source.deletion(rowIDs))
    }
    for (source, result) in zip(sources, try save.connection.run(commands)) {
      try source.record(result, in: save.recording)
    }
    guard references.isCyclic else { return }
    try save.connection.run(sources.map { $0.deletion((rows[$0.table] ?? []).sorted()) })
  }
}
