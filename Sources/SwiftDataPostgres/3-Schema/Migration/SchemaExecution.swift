import SwiftDataCore
import SwiftDataSQL

/// Executes a step on a store, in the open transaction: tables that can't be changed in place are created beside the
/// old ones, filled, and renamed to replace them.
struct SchemaExecution {
  let connection: PostgresConnection
  let step: SchemaStep
  /// The entities of the new schema.
  let plans: [EntityPlan]
  let cipher: StoreCipher
  /// The store, for errors.
  let address: String
  let features: PostgresFeatures

  func run() throws {
    guard !step.isEmpty else { return }
    try StepChecks(step, plans: plans, cipher: cipher, address: address, on: connection).run()
    try refuseRecodings()
    // Checks that wait for the end of the transaction prevent changes of their tables.
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    let objects = SchemaObjects(connection)
    try dropViews(objects)
    let pairs = try collectPairs()
    try fill()
    let references = try objects.references(to: step)
    for reference in references {
      try run("ALTER TABLE \(reference.table) DROP CONSTRAINT \(reference.quotedName)")
    }
    for name in step.obsoleteIndices { try run("DROP INDEX IF EXISTS \(quoted(name))") }
    try changeTables()
    try writePairs(pairs)
    try makeObjects(objects, restoring: references)
    let tables = try EntityTables(plans)
    let triggers =
      features.contains(.triggers)
      ? tables.noteTriggers(besides: try objects.tablesWithNoteTrigger()) : []
    for statement in tables.comments + triggers { try run(statement) }
    try composeTexts()
    try connection.execute("SET CONSTRAINTS ALL DEFERRED")
    // Statements that were prepared before may have other columns now.
    try connection.forgetStatements()
  }

  /// Refuses changes of encryption. Large values are in their rows here, whether the model asks for files or not.
  private func refuseRecodings() throws {
    let isEncrypted: (SchemaStep.Recoding) -> Bool = {
      $0.old.storage.isEncrypted || $0.new.storage.isEncrypted
    }
    guard let recoding = step.recodings.first(where: isEncrypted) else { return }
    throw MigrationError(
      .notInferable, path: address, entity: recoding.entity, property: recoding.new.name,
      explanation:
        "\(recoding.entity).\(recoding.new.name) is encrypted in another way than before, which stores on"
        + " PostgreSQL don't migrate. Add a property of another name, and fill it in a custom stage."
    )
  }

  private func run(_ sql: String) throws {
    try connection.run(PostgresStatementText.finished(sql))
  }

  private func quoted(_ name: String) -> String { SQLIdentifier.quoted(name) }

  // MARK: - Tables

  private var rebuilt: [SchemaStep.Table] {
    step.tables.filter { table in
      if case .rebuild = table.action { return true }
      return false
    }
  }

  private func dropViews(_ objects: SchemaObjects) throws {
    let wanted = step.result.entities.values.flatMap(\.objects).filter { $0.kind == .view }
    let names = step.formerObjects.union(wanted.map(\.name)).map(PostgresStatementText.shortened)
    for name in try objects.names(ofKind: "v").intersection(names) {
      try run("DROP VIEW \(quoted(name))")
    }
  }

  private func fill() throws {
    for table in rebuilt {
      try run(table.creation)
      guard let source = table.source else { continue }
      let columns = table.columns.map(quoted).joined(separator: ", ")
      try run("INSERT INTO \(quoted(SchemaStep.prefix + table.name)) (\(columns))\n\(source)")
    }
  }

  private func changeTables() throws {
    for name in step.pairs.map(\.name) + rebuilt.map(\.name) + step.dropped {
      try run("DROP TABLE IF EXISTS \(quoted(name))")
    }
    for table in rebuilt { try rename(table.name) }
    for table in step.tables {
      switch table.action {
      case .create: try run(table.creation)
      case .alter(let statements): for statement in statements { try run(statement) }
      case .rebuild: break
      }
    }
  }

  /// Puts a new table in the place of the old one, with the name that its primary key would have had.
  private func rename(_ name: String) throws {
    let temporary = quoted(SchemaStep.prefix + name)
    try run("ALTER TABLE \(temporary) RENAME TO \(quoted(name))")
    let keys = try connection.run(
      "SELECT conname FROM pg_catalog.pg_constraint WHERE contype = 'p' AND conrelid ="
        + " (quote_ident(current_schema()) || '.' || quote_ident($1))::regclass",
      [.text(PostgresStatementText.shortened(name))])
    guard let key = keys.rowCount > 0 ? keys.text(0, 0) : nil, key.hasPrefix(SchemaStep.prefix)
    else { return }
    try run(
      "ALTER TABLE \(quoted(name)) RENAME CONSTRAINT \(quoted(key))"
        + " TO \(quoted(String(key.dropFirst(SchemaStep.prefix.count))))")
  }

  /// Composes the texts of columns that weren't unique before, of many rows at once.
  private func composeTexts() throws {
    for composition in step.compositions {
      let query = PostgresStatementText.finished(
        composition.query + " AND \(SQLIdentifier.rowID) > ? ORDER BY \(SQLIdentifier.rowID)"
          + " LIMIT \(Self.composedCount)")
      var last = Int64.min
      while let end = try composeTexts(composition, query, after: last) { last = end }
    }
  }

  /// The number of rows whose texts are read at once.
  static let composedCount = 5_000

  /// - Returns: The last row that was read; nil when there are no more.
  private func composeTexts(
    _ composition: TextComposition, _ query: String, after last: Int64
  ) throws -> Int64? {
    let found = try connection.run(query, [.integer(last)])
    let reader = PostgresRowReader(found, kinds: [nil, .text])
    var end: Int64?
    var rowIDs: [Int64] = []
    var changes = PostgresList(of: composition.sealedName == nil ? .text : .data)
    for row in 0..<found.rowCount {
      let cells = reader.cells(of: found, row)
      end = cells[0].bits
      guard let value = composition.change(of: SQLValue(cells[1]), cipher.cipher) else { continue }
      rowIDs.append(cells[0].bits)
      try append(value, to: &changes)
    }
    if !rowIDs.isEmpty {
      let column = quoted(composition.column)
      try connection.run(
        PostgresCommand(
          PostgresStatementText.finished(
            "UPDATE \(quoted(composition.table)) AS t SET \(column) = v.value"
              + " FROM unnest(?::bigint[], ?::\(changes.element.name)[]) AS v(id, value)"
              + " WHERE t.\(SQLIdentifier.rowID) = v.id"), [.integers(rowIDs), .list(changes)]))
    }
    return end
  }

  private func append(_ value: SQLValue, to list: inout PostgresList) throws {
    let (kind, bytes): (_Cell.Kind, [UInt8])
    switch value {
    case .text(let text): (kind, bytes) = (.text, Array(text.utf8))
    case .blob(let data): (kind, bytes) = (.blob, data)
    case .integer, .real, .null: return
    }
    try bytes.withUnsafeBytes { bytes in
      do throws(PostgresValueProblem) {
        try list.append(_Cell(kind: kind, count: bytes.count), bytes)
      } catch {
        throw StoreError(.unsupportedValue, path: address, explanation: error.explanation)
      }
    }
  }

  // MARK: - Pairs

  /// Keeps the pairs of new tables until the tables that they lead to are in their places.
  private func collectPairs() throws -> [(pairs: SchemaStep.Pairs, table: String?)] {
    try step.pairs.enumerated().map { position, pairs in
      guard let source = pairs.source else { return (pairs, nil) }
      let table = quoted("\(SchemaStep.prefix)pairs_\(position)")
      let words = features.contains(.temporaryTables) ? ("TEMPORARY ", " ON COMMIT DROP") : ("", "")
      try run("CREATE \(words.0)TABLE \(table)\(words.1) AS \(source)")
      return (pairs, table)
    }
  }

  private func writePairs(_ collected: [(pairs: SchemaStep.Pairs, table: String?)]) throws {
    for (pairs, table) in collected {
      try run(pairs.creation)
      try run(
        "ALTER TABLE \(quoted(SchemaStep.prefix + pairs.name)) RENAME TO \(quoted(pairs.name))")
      guard let table else { continue }
      let columns = pairs.columns.map(quoted).joined(separator: ", ")
      try run("INSERT INTO \(quoted(pairs.name)) (\(columns)) SELECT * FROM \(table)")
      try run("DROP TABLE \(table)")
    }
  }

  // MARK: - Foreign keys, indices and views

  private func makeObjects(
    _ objects: SchemaObjects, restoring references: [SchemaObjects.Reference]
  ) throws {
    var existing = try objects.names()
    let wanted = step.result.entities.values.sorted { $0.name < $1.name }.flatMap(\.objects)
    for kind in [DatabaseObject.Kind.table, .index] {
      for object in wanted where object.kind == kind {
        let name = PostgresStatementText.shortened(object.name)
        if existing.insert(name).inserted { try run(object.statement) }
      }
    }
    let ownReferences = Set(
      wanted.filter { $0.kind == .reference }.map { PostgresStatementText.shortened($0.name) })
    let gone = Set((rebuilt.map(\.name) + step.pairs.map(\.name) + step.dropped).map(quotedName))
    // Keys of tables of pairs, and of other programs' tables, which only followed another table.
    for reference in references
    where !ownReferences.contains(reference.name) && !reference.isObsolete
      && !gone.contains(reference.table)
    {
      try run(reference.creation)
      existing.insert(reference.name)
    }
    for kind in [DatabaseObject.Kind.reference, .view] {
      for object in wanted where object.kind == kind {
        let name = PostgresStatementText.shortened(object.name)
        if existing.insert(name).inserted { try run(object.statement) }
      }
    }
  }

  private func quotedName(_ table: String) -> String {
    quoted(PostgresStatementText.shortened(table))
  }
}
