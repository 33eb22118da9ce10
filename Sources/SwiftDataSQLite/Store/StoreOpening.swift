import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Brings a freshly opened database into the state that its models need, or says what is wrong with it.
///
/// The database is marked with an application id and a format number. Beside a table for each entity it has
/// one called `_metadata`: the store's identifier, the schema's description, and values of the toolkits.
struct StoreOpening {
  /// `OSDB` in ASCII (https://sqlite.org/pragma.html#pragma_application_id).
  static let applicationID: Int64 = 0x4F53_4442
  static let format: Int64 = 1

  let connection: Connection
  let plans: [EntityPlan]
  let plansByType: [ObjectIdentifier: EntityPlan]
  let isReadOnly: Bool

  /// - Returns: The store's identifier.
  func run() throws -> String {
    let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    if isEmpty {
      guard !isReadOnly else {
        throw failure(
          .schemaMismatch, "it is empty and was opened read-only, so there is nothing to read")
      }
    } else {
      try checkOwnership()
    }
    if !isReadOnly {
      try configure()
      try connection.transaction {
        try createMissingTables()
      }
    }
    try checkColumns()
    guard let identifier = try metadata("identifier") else {
      throw failure(.damaged, "its metadata has no identifier; restore it from a copy")
    }
    return identifier
  }

  private func failure(_ code: StoreError.Code, _ explanation: String) -> StoreError {
    StoreError(code, path: connection.path, explanation: explanation)
  }

  private func metadata(_ key: String) throws -> String? {
    try connection.text("SELECT value FROM \"_metadata\" WHERE key = ?", [.text(key)])
  }

  private func checkOwnership() throws {
    guard try connection.integer("PRAGMA application_id") == Self.applicationID else {
      throw failure(
        .foreignFile, "it is an SQLite file of another application; choose another path")
    }
    let format = try connection.integer("PRAGMA user_version") ?? 0
    guard format <= Self.format else {
      throw failure(
        .newerFormat,
        "it has the format \(format) of a newer version of this library, which knows up to"
          + " \(Self.format); update the program")
    }
  }

  private func configure() throws {
    // WAL lasts in the file; a database in memory has no journal on disk.
    try connection.execute("PRAGMA journal_mode = \(connection.path.isEmpty ? "MEMORY" : "WAL")")
    try connection.execute("PRAGMA synchronous = FULL")
  }

  private func createMissingTables() throws {
    // Two processes may open a new file at once: inside the transaction the first has made everything.
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \"_metadata\" (key TEXT PRIMARY KEY, value) WITHOUT ROWID")
    if try metadata("identifier") == nil {
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(Self.format)")
      let insert = try connection.statement("INSERT INTO \"_metadata\" VALUES ('identifier', ?)")
      try insert.bind([.text(UUID().uuidString)])
      try insert.run()
    }
    try HistoryTables.create(for: plans, on: connection)
    for plan in plans where try !tableExists(plan.table) {
      for statement in TableDefinition.statements(for: plan, plans: plansByType) {
        try connection.execute(statement)
      }
    }
    try connection.execute(RowNumbers.table)
    for plan in plans {
      if plan.family?.isRoot(plan) ?? true {
        let (name, statement) = RowNumbers.trigger(of: plan)
        try replaceTrigger(name, statement)
      }
      for (name, statements) in RelationshipTables.pairs(of: plan, plans: plansByType)
      where try !tableExists(name) {
        for statement in statements { try connection.execute(statement) }
      }
      for (name, statement) in RelationshipTables.triggers(of: plan, plans: plansByType) {
        try replaceTrigger(name, statement)
      }
    }
  }

  /// Delete rules that are triggers follow the models; a file may come from a version with other rules.
  private func replaceTrigger(_ name: String, _ statement: String) throws {
    let stored = try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", [.text(name)])
    guard stored != statement else { return }
    try connection.execute("DROP TRIGGER IF EXISTS \(SQLIdentifier.quoted(name))")
    try connection.execute(statement)
  }

  private func tableExists(_ name: String) throws -> Bool {
    try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(name)]) == 1
  }

  /// A table whose columns differ from the model's means another version of the program made it.
  private func checkColumns() throws {
    for plan in plans {
      guard try tableExists(plan.table) else {
        throw failure(.schemaMismatch, "it has no table for \(plan.name) and was opened read-only")
      }
      var wanted = Set((plan.family?.plans ?? [plan]).flatMap { $0.columns.map(\.name) })
      if plan.family != nil { wanted.insert(EntityFamily.discriminator) }
      wanted.formUnion(plan.orderColumnsOfTable)
      try compare(plan.table, with: wanted.union([SQLIdentifier.rowID]), of: plan.name)
      for index in plan.ownRelationships {
        guard let join = plan.properties[index].relationship?.joinTable,
          try tableExists(join.name)
        else { continue }
        let orders = [join.ownerOrderColumn, join.destinationOrderColumn].compactMap { $0 }
        try compare(
          join.name, with: Set([join.ownerColumn, join.destinationColumn] + orders),
          of: "\(plan.name).\(plan.properties[index].name)")
      }
    }
  }

  private func compare(_ table: String, with wanted: Set<String>, of model: String) throws {
    let stored = Set(try connection.columns(of: table))
    let missing = wanted.subtracting(stored).sorted()
    let surplus = stored.subtracting(wanted).sorted()
    guard missing.isEmpty && surplus.isEmpty else {
      throw failure(
        .schemaMismatch,
        "its table \(table) doesn't fit the model \(model):"
          + (missing.isEmpty ? "" : " missing \(missing.joined(separator: ", "));")
          + (surplus.isEmpty ? "" : " unknown \(surplus.joined(separator: ", "));")
          + " open it with the version of the program that wrote it, or choose another file")
    }
  }
}
