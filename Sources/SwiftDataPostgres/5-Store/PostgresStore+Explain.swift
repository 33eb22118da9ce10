import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: RequestExplaining {
  package func explain<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreExplanation {
    let query = try postgresQuery(request)
    let command = PostgresCommand("EXPLAIN (FORMAT JSON) " + query.text, query.parameters)
    let text = try withReader { connection, _ in try connection.run(command) }.text(0, 0) ?? "[]"
    let plans = try JSONDecoder().decode([ExplainedPlan].self, from: Data(text.utf8))
    let steps = plans.flatMap { $0.root.steps(depth: 0) }
    var explanation = StoreExplanation(
      sql: query.text, bindings: query.parameters.map(\.explained),
      plan: steps.map { ($0.depth, $0.step.description) }, filterReasons: query.filterReasons,
      sortReason: query.sortReason, tables: ["t0": request.plan.table])
    explanation.database = "PostgreSQL"
    explanation.indices = steps.compactMap(\.step.index)
    explanation.scannedTables = steps.compactMap { $0.step.isScan ? $0.step.table : nil }
    return explanation
  }
}

/// A plan of the server (https://www.postgresql.org/docs/15/using-explain.html).
private struct ExplainedPlan: Decodable {
  let root: Step

  enum CodingKeys: String, CodingKey {
    case root = "Plan"
  }

  final class Step: Decodable {
    let kind: String
    let table: String?
    let alias: String?
    let index: String?
    let condition: String?
    let filter: String?
    let steps: [Step]?

    enum CodingKeys: String, CodingKey {
      case kind = "Node Type"
      case table = "Relation Name"
      case alias = "Alias"
      case index = "Index Name"
      case condition = "Index Cond"
      case filter = "Filter"
      case steps = "Plans"
    }

    /// Whether every row of the table is read.
    var isScan: Bool { kind == "Seq Scan" }

    var description: String {
      var text = kind
      if let index { text += " using \(index)" }
      if let table { text += " on \(table)" + (alias.map { " \($0)" } ?? "") }
      if let condition { text += ", index: \(condition)" }
      if let filter { text += ", filter: \(filter)" }
      return text
    }

    func steps(depth: Int) -> [(depth: Int, step: Step)] {
      [(depth, self)] + (steps ?? []).flatMap { $0.steps(depth: depth + 1) }
    }
  }
}
