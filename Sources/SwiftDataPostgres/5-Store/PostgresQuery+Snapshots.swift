import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: SnapshotReading {}

/// Reads rows as values: the values that only other tables contain come first, then the row.
extension PostgresQuery: SnapshotStatement {
  func forEachSnapshot(_ body: (Int64, inout _SnapshotReader) throws -> Void) throws {
    let columns = SnapshotColumns(queries.plan, plans: store.plansByType)
    let count = columns.extras.count
    var reader = _SnapshotReader(
      plan: queries.plan, storeIdentifier: store.identifier, origins: store.origins,
      links: columns.links)
    let sql =
      "SELECT \((columns.extras + [queries.columns]).joined(separator: ", "))"
      + " FROM \(queries.table) AS t0\(source)"
    let address = store.address
    let kinds = Array(repeating: ColumnKind?.none, count: count) + queries.kinds
    try store.forEachRow(of: command(sql), kinds: kinds, limit: limit) { _, cells in
      let extras = UnsafeBufferPointer(rebasing: cells[..<count])
      try queries.withRow(cells, from: count, address: address) { row in
        reader.move(to: row, extras: extras)
        try body(row.rowID, &reader)
      }
    }
  }
}
