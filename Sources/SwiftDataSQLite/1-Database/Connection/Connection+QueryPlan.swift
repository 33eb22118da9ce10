import SwiftDataSQL

extension Connection {
  /// The way in which SQLite would find the rows of a statement (https://sqlite.org/eqp.html): its steps, each with its
  /// nesting depth.
  func plan(
    of sql: String, _ bindings: [SQLValue] = []
  ) throws -> [(depth: Int, text: String)] {
    let statement = try statement("EXPLAIN QUERY PLAN " + sql)
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
