import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: RequestExplaining {
  package func explain<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreExplanation {
    let query = try sqliteQuery(request)
    let sql = query.text.sql
    return StoreExplanation(
      sql: sql, bindings: query.bindings.map(\.explained),
      plan: try withReader { try $0.plan(of: sql, query.bindings) },
      filterReasons: query.form.filterReasons, sortReason: query.form.sortReason,
      tables: ["t0": request.plan.table])
  }
}

extension SQLValue {
  /// The value in a form for developers.
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
