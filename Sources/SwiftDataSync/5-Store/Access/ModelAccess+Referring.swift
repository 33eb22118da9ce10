import SwiftDataCore

/// Finds the objects whose values change when another object's key changes: the history names only the row with the
/// key.
extension ModelAccess {
  /// Calls `body` with the row, the key and whether the object is known to be deleted, for each object that rows were
  /// according to the bookkeeping table.
  func forEachRecord(
    ofRows rows: Set<Int64>, of entity: String, _ transaction: any RowReadTransaction,
    _ body: (_ row: Int64, _ key: String, _ isDeleted: Bool) -> Void
  ) throws {
    // Only a server's table has tombstones, which keep the row.
    let hasTombstones = objectTable.columns.contains { $0.name == "deleted" }
    try transaction.forEachRow(
      SideTableQuery(
        objectTable, ["row", "key"] + (hasTombstones ? ["deleted"] : []),
        where: .equal("entity", .text(entity))),
      where: "row", in: rows.map { .integer($0) }
    ) { columns in
      guard let row = columns[0].integer, let key = columns[1].text else { return }
      body(row, key, hasTombstones && columns[2] != .null)
    }
  }

  /// Returns the objects with references to rows of a class, by row.
  func referring(
    toRows rows: Set<Int64>, of entity: String, _ transaction: any RowReadTransaction
  ) throws -> [Int64: [SyncObjectID]] {
    let line = Set(families.line(of: entity))
    let values = rows.sorted().map { ColumnValue.integer($0) }
    var found: [Int64: [SyncObjectID]] = [:]
    for form in forms.values.sorted(by: { $0.entity < $1.entity }) {
      var pairs: [(owner: Int64, destination: Int64)] = []
      for (index, destination) in form.relationships where line.contains(destination) {
        let column = RowColumn.column(form.plan.properties[index].columns.lowerBound)
        try transaction.forEachRow(
          RowRequest(form.plan, [.rowID, column], isExact: true), where: column, in: values
        ) { pairs.append(($0[0].bits, $0[1].bits)) }
      }
      for list in form.lists where line.contains(list.destination) {
        pairs += try owners(of: list, form, with: rows, transaction)
      }
      guard !pairs.isEmpty else { continue }
      let objects = try objects(inRows: Set(pairs.map(\.owner)), of: form.entity, transaction)
      for pair in pairs {
        guard let object = objects[pair.owner], object.entity == form.entity else { continue }
        found[pair.destination, default: []].append(object)
      }
    }
    return found
  }

  /// Returns the pairs of a list whose destinations are among rows.
  private func owners(
    of list: ModelList, _ form: ModelForm, with rows: Set<Int64>,
    _ transaction: any RowReadTransaction
  ) throws -> [(owner: Int64, destination: Int64)] {
    var pairs: [(owner: Int64, destination: Int64)] = []
    if let inverse = list.inverse, let plan = plans[list.destination] {
      try transaction.forEachPair(of: plan, inverse, owners: rows.sorted()) {
        pairs.append(($1, $0))
      }
      return pairs
    }
    var owners: [Int64] = []
    try transaction.forEachRow(RowRequest(form.plan, [.rowID], isExact: true)) {
      owners.append($0[0].bits)
    }
    try transaction.forEachPair(of: form.plan, list.property, owners: owners) {
      if rows.contains($1) { pairs.append(($0, $1)) }
    }
    return pairs
  }
}
