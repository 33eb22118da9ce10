import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The forms of entities in the table `_history_layout`.
enum HistoryLayoutTable {
  private static let selection = "SELECT id, entity, properties FROM \"_history_layout\""

  /// The statement that writes the forms of a new store; none without entities.
  static func creation(_ plans: [EntityPlan]) -> [String] {
    guard !plans.isEmpty else { return [] }
    let rows = plans.enumerated().map { index, plan in
      let names = SQLIdentifier.literal(StoredLayouts.names(of: plan))
      return "(\(index + 1), \(SQLIdentifier.literal(plan.name)), \(names))"
    }
    return [
      "INSERT INTO \"_history_layout\" (id, entity, properties) VALUES "
        + rows.joined(separator: ", ")
    ]
  }

  /// All forms.
  static func stored(
    _ plans: [EntityPlan], _ connection: PostgresConnection
  ) throws -> StoredLayouts {
    var layouts = StoredLayouts(plans)
    let rows = try connection.run(selection)
    for row in 0..<rows.rowCount {
      layouts.add(
        rows.integer(row, 0) ?? 0, entity: rows.text(row, 1) ?? "", names: rows.text(row, 2) ?? "")
    }
    return layouts
  }

  /// The numbers of the present forms, by entity. Those that are missing are added.
  static func numbers(
    of plans: [EntityPlan], _ connection: PostgresConnection, isReadOnly: Bool
  ) throws -> [String: Int64] {
    let known = try connection.reading { try present(plans, connection) }
    let missing = plans.filter { known[$0.name] == nil }
    if missing.isEmpty || isReadOnly { return known }
    return try connection.transaction {
      // One process at a time gives numbers.
      try connection.run("SELECT 1 FROM \"_store\" WHERE id = 1 FOR UPDATE")
      for plan in missing {
        try connection.run(
          "INSERT INTO \"_history_layout\" (id, entity, properties)"
            + " SELECT coalesce(max(id), 0) + 1, $1::text, $2::text FROM \"_history_layout\""
            + " ON CONFLICT (entity, properties) DO NOTHING",
          [.text(plan.name), .text(StoredLayouts.names(of: plan))])
      }
      return try present(plans, connection)
    }
  }

  private static func present(
    _ plans: [EntityPlan], _ connection: PostgresConnection
  ) throws -> [String: Int64] {
    let rows = try connection.run(selection)
    let names = Dictionary(
      plans.map { ($0.name, StoredLayouts.names(of: $0)) }, uniquingKeysWith: { first, _ in first })
    var numbers: [String: Int64] = [:]
    for row in 0..<rows.rowCount {
      guard let entity = rows.text(row, 1), names[entity] == rows.text(row, 2) else { continue }
      numbers[entity] = rows.integer(row, 0)
    }
    return numbers
  }
}
