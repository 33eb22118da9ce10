import SwiftDataCore
import SwiftDataSQL

/// Orders the rows that a save deletes where delete rules lead from a class back to itself: the ends of chains before
/// the rows that lead to them. SQLite would follow a chain from any other row, and fails at a depth of 1,000
/// (https://sqlite.org/limits.html, "Maximum Depth Of Trigger Recursion").
struct DeletionOrder {
  /// The number of rows from which their order matters.
  static let minimumCount = 500

  /// A link that a delete rule follows.
  private struct Link {
    /// The position of the row that it leads to.
    let destination: Int
    /// The position of the rule.
    let rule: Int
  }

  private let rows: [(table: String, rowID: Int64)]
  private let connection: Connection
  private var rules: [Cascade] = []
  /// The links between the rows, by the position of the row from which they lead.
  private var links: [[Link]]

  /// Reads the links between rows.
  init(
    _ rows: [(table: String, rowID: Int64)], _ entities: StoreEntities, on connection: Connection
  ) throws {
    self.rows = rows
    self.connection = connection
    links = Array(repeating: [], count: rows.count)
    var positions: [String: [Int64: Int]] = [:]
    for (position, row) in rows.enumerated() {
      positions[row.table, default: [:]][row.rowID] = position
    }
    let cascades = Cascades(from: positions.keys, entities)
    for (table, owners) in positions {
      for rule in cascades.byTable[table] ?? [] {
        guard let destinations = positions[rule.destination] else { continue }
        rules.append(rule)
        try readLinks(from: owners, to: destinations)
      }
    }
  }

  /// Reads the links of the last rule.
  private mutating func readLinks(
    from owners: [Int64: Int], to destinations: [Int64: Int]
  ) throws {
    let rule = rules.count - 1
    let statement = try connection.statement(rules[rule].select)
    defer { statement.reset() }
    try statement.bind([Cascade.list(owners.keys)])
    while try statement.step() {
      guard let destination = destinations[statement.rowID(at: 0)],
        let owner = owners[statement.rowID(at: 1)], owner != destination
      else { continue }
      links[owner].append(Link(destination: destination, rule: rule))
    }
  }

  /// The positions of the rows in the order in which to delete them; no row of a step leads to another one of it. Where
  /// links form a circle, one of them is removed from the rows.
  func steps() throws -> [[Int]] {
    var steps: [[Int]] = []
    // One more than the longest chain behind a row; 0 before the row is visited, -1 while those behind it are.
    var heights = [Int](repeating: 0, count: rows.count)
    var closing: [Int: (owners: [Int64], destinations: [Int64])] = [:]
    for start in rows.indices where heights[start] == 0 {
      heights[start] = -1
      var path = [(row: start, next: 0)]
      while let (row, next) = path.last {
        guard next < links[row].count else {
          let height = links[row].reduce(1) { max($0, heights[$1.destination] + 1) }
          heights[row] = height
          if height > steps.count { steps.append([]) }
          steps[height - 1].append(row)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let link = links[row][next]
        if heights[link.destination] == 0 {
          heights[link.destination] = -1
          path.append((link.destination, 0))
        } else if heights[link.destination] == -1 {
          closing[link.rule, default: ([], [])].owners.append(rows[row].rowID)
          closing[link.rule]?.destinations.append(rows[link.destination].rowID)
        }
      }
    }
    for (rule, rows) in closing {
      guard let unlink = rules[rule].unlink else { continue }
      let statement = try connection.statement(unlink)
      try statement.bind([Cascade.list(rows.destinations), Cascade.list(rows.owners)])
      try statement.run()
    }
    return steps
  }
}
