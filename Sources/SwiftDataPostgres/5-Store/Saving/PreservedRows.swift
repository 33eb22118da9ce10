import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The deletion of rows of one table, with the values that their models preserve.
struct PreservedRows {
  let table: String
  private let plan: EntityPlan
  private let store: PostgresStore
  /// The columns of preserved values, each with its kind.
  private let columns: [(name: String, kind: ColumnKind)]

  /// - Returns: nil for a table that isn't an entity's.
  init?(_ table: String, _ store: PostgresStore) {
    guard let plans = store.references.plans[table], let plan = plans.first else { return nil }
    self.table = table
    self.plan = plan
    self.store = store
    var columns: [(name: String, kind: ColumnKind)] = []
    for plan in plans {
      for property in Self.preserved(plan) {
        for column in plan.properties[property].columns
        where !columns.contains(where: { $0.name == plan.columns[column].name }) {
          columns.append((plan.columns[column].name, plan.columns[column].kind))
        }
      }
    }
    self.columns = columns
  }

  /// The properties with preserved values. One that is stored externally isn't among them, as in other stores.
  private static func preserved(_ plan: EntityPlan) -> [Int] {
    plan.properties.indices.filter {
      plan.properties[$0].storage.isPreserved && !plan.properties[$0].storage.isExternal
    }
  }

  // MARK: - Statements

  private var name: String { SQLIdentifier.quoted(table) }

  /// The row ID, the class where the table has several, and the preserved columns.
  private var terms: String {
    ([SQLIdentifier.rowID]
      + (plan.family == nil ? [] : [SQLIdentifier.quoted(EntityFamily.discriminator)])
      + columns.map { SQLIdentifier.quoted($0.name) }).joined(separator: ", ")
  }

  func deletion(_ rowIDs: [Int64]) -> PostgresCommand {
    command(
      "DELETE FROM \(name) WHERE \(SQLIdentifier.rowID) = ANY (?) RETURNING \(terms)",
      [.integers(rowIDs)])
  }

  var deletionOfAll: PostgresCommand { command("DELETE FROM \(name) RETURNING \(terms)", []) }

  var selectionOfAll: PostgresCommand {
    command("SELECT \(terms) FROM \(name) ORDER BY \(SQLIdentifier.rowID) FOR UPDATE", [])
  }

  func selection(_ rowIDs: [Int64]) -> PostgresCommand {
    command(
      "SELECT \(terms) FROM \(name) WHERE \(SQLIdentifier.rowID) = ANY (?)"
        + " ORDER BY \(SQLIdentifier.rowID) FOR UPDATE", [.integers(rowIDs)])
  }

  private func command(_ sql: String, _ values: [PostgresValue]) -> PostgresCommand {
    PostgresCommand(PostgresStatementText.finished(sql), values)
  }

  // MARK: - Recording

  /// Records the rows of a result, in the order of their IDs.
  ///
  /// - Returns: The rows by entity.
  @discardableResult
  func record(
    _ result: PostgresResult, in recording: HistoryRecording
  ) throws -> [String: [Int64]] {
    var deleted: [String: [Int64]] = [:]
    let first = plan.family == nil ? 1 : 2
    let reader = PostgresRowReader(
      result, kinds: Array(repeating: nil, count: first) + columns.map(\.kind))
    let order = (0..<result.rowCount).map { (rowID: result.integer($0, 0) ?? 0, row: $0) }
      .sorted { $0.rowID < $1.rowID }
    for (rowID, row) in order {
      let plan = store.plan(plan, result, row)
      deleted[plan.name, default: []].append(rowID)
      let preserved = Self.preserved(plan)
      guard !preserved.isEmpty else {
        recording.delete(rowID, nil, of: plan)
        continue
      }
      let cells = reader.cells(of: result, row)
      var values = HistoryValues(properties: preserved.count)
      for property in preserved {
        let range = plan.properties[property].columns
        values.begin(property: property, columns: range.count)
        for column in range {
          let name = plan.columns[column].name
          let place = columns.firstIndex { $0.name == name }
          Self.append(place.map { cells[first + $0] } ?? _Cell(kind: .null), to: &values)
        }
      }
      recording.delete(rowID, values, of: plan)
    }
    return deleted
  }

  private static func append(_ cell: _Cell, to values: inout HistoryValues) {
    let hasBytes = cell.kind == .text || cell.kind == .blob
    values.append(
      cell,
      UnsafeRawBufferPointer(
        start: hasBytes ? UnsafeRawPointer(bitPattern: Int(cell.bits)) : nil,
        count: hasBytes ? cell.count : 0))
  }
}

extension PostgresStore {
  /// The class of a row in a result whose second column has it, where classes share a table.
  func plan(_ plan: EntityPlan, _ result: PostgresResult, _ row: Int) -> EntityPlan {
    guard plan.family != nil, let entity = result.text(row, 1) else { return plan }
    return historyPlans.plansByName[entity] ?? plan
  }
}
