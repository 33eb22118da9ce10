import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  package func explain<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreExplanation? {
    let query = try sqlite(try prepare(request))
    let sql = query.text.sql
    return StoreExplanation(
      sql: sql, bindings: query.bindings.map(\.explained), plan: try plan(of: sql, query.bindings),
      filterReasons: query.form.filterReasons, sortReason: query.form.sortReason,
      tables: ["t0": request.plan.table])
  }

  /// How SQLite would find the rows (https://sqlite.org/eqp.html).
  private func plan(
    of sql: String, _ bindings: [SQLValue]
  ) throws -> [(depth: Int, text: String)] {
    try withReader { connection in
      let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql)
      defer { statement.reset() }
      try statement.bind(bindings)
      var depths: [Int64: Int] = [:]
      var steps: [(depth: Int, text: String)] = []
      while try statement.step() {
        let depth = depths[statement.rowID(at: 1)].map { $0 + 1 } ?? 0
        depths[statement.rowID(at: 0)] = depth
        steps.append((depth, statement.string(at: 3)))
      }
      return steps
    }
  }
}

extension SQLValue {
  /// The value as a developer wants to read it.
  fileprivate var explained: String {
    switch self {
    case .null: "nil"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): text.debugDescription
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
