import SwiftDataCore

/// The properties that servers of a store began to synchronize when it had objects already.
extension ModelServerStorage {
  func additions() throws -> [String: [String: Int64]] {
    var additions: [String: [String: Int64]] = [:]
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        SideTableQuery(SyncServerTables.additions, ["entity", "property", "version"])
      ) { columns in
        guard let entity = columns[0].text, let property = columns[1].text else { return }
        additions[entity, default: [:]][property] = columns[2].integer
      }
    }
    return additions
  }

  static func write(
    additions: [String: [String: Int64]], _ transaction: any RowWriteTransaction
  ) throws {
    guard !additions.isEmpty else { return }
    var rows = SideTableRows("entity", "property", "version")
    for (entity, versions) in additions {
      for (property, version) in versions {
        rows.append([.text(entity), .text(property), .integer(version)])
      }
    }
    try transaction.insert(rows, into: SyncServerTables.additions, existing: .replace)
  }
}
