import SwiftDataCore
import SwiftDataSQL

/// The objects of a store's schema in the server's catalog.
struct SchemaObjects {
  /// A foreign key that has to be removed before tables are changed.
  struct Reference {
    let name: String
    /// The quoted name of the table that has the key.
    let table: String
    let definition: String
    /// Whether a store of the new schema doesn't have the key in this form.
    let isObsolete: Bool

    var quotedName: String { SQLIdentifier.quoted(name) }
    var creation: String { "ALTER TABLE \(table) ADD CONSTRAINT \(quotedName) \(definition)" }
  }

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// The names of tables, indices, views, sequences and foreign keys.
  func names() throws -> Set<String> {
    let result = try connection.run(
      """
      SELECT relname::text FROM pg_catalog.pg_class
      WHERE relnamespace = current_schema()::regnamespace
      UNION ALL SELECT conname::text FROM pg_catalog.pg_constraint
      WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
      """)
    return Set((0..<result.rowCount).compactMap { result.text($0, 0) })
  }

  /// The names of the objects of a kind in `pg_class`.
  func names(ofKind kind: String) throws -> Set<String> {
    let result = try connection.run(
      """
      SELECT relname::text FROM pg_catalog.pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind::text = $1
      """, [.text(kind)])
    return Set((0..<result.rowCount).compactMap { result.text($0, 0) })
  }

  /// The names of the tables that the user may change, without those of the store itself.
  func writableTables() throws -> Set<String> {
    let result = try connection.run(
      """
      SELECT relname::text FROM pg_catalog.pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind::text = 'r'
        AND has_table_privilege(oid, 'UPDATE') AND left(relname::text, 1) <> '_'
      """)
    return Set((0..<result.rowCount).compactMap { result.text($0, 0) })
  }

  /// The names of the tables that have the trigger for writes of other programs.
  func tablesWithNoteTrigger() throws -> Set<String> {
    let result = try connection.run(
      """
      SELECT c.relname::text FROM pg_catalog.pg_trigger AS t
      JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
      WHERE c.relnamespace = current_schema()::regnamespace AND t.tgname = $1
      """, [.text(StoreTables.noteTriggerName)])
    return Set((0..<result.rowCount).compactMap { result.text($0, 0) })
  }

  /// The foreign keys of tables and to tables that a step replaces or drops, and those that it changes.
  func references(to step: SchemaStep) throws -> [Reference] {
    let replaced = Set(
      (step.tables.compactMap { table -> String? in
        if case .rebuild = table.action { return table.name }
        return nil
      } + step.pairs.map(\.name) + step.dropped).map(PostgresStatementText.shortened))
    let kept = Set(
      step.result.entities.values.flatMap(\.objects).filter { $0.kind == .reference }
        .map { "\(PostgresStatementText.shortened($0.name)) \($0.statement)" })
    let former = step.formerReferences.map {
      (name: PostgresStatementText.shortened($0.name), statement: $0.statement)
    }
    let obsolete = Set(former.filter { !kept.contains("\($0.name) \($0.statement)") }.map(\.name))
    let result = try connection.run(
      """
      SELECT k.conname::text, t.relname::text, d.relname::text, pg_get_constraintdef(k.oid)
      FROM pg_catalog.pg_constraint AS k
      JOIN pg_catalog.pg_class AS t ON t.oid = k.conrelid
      JOIN pg_catalog.pg_class AS d ON d.oid = k.confrelid
      WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace
      ORDER BY k.conname
      """)
    return (0..<result.rowCount).compactMap { row in
      guard let name = result.text(row, 0), let table = result.text(row, 1),
        let destination = result.text(row, 2), let definition = result.text(row, 3)
      else { return nil }
      let isObsolete = obsolete.contains(name)
      guard isObsolete || replaced.contains(table) || replaced.contains(destination) else {
        return nil
      }
      return Reference(
        name: name, table: SQLIdentifier.quoted(table), definition: definition,
        isObsolete: isObsolete)
    }
  }

  /// The columns that can't be NULL and have no default, as `table.column`.
  func requiredColumns() throws -> Set<String> {
    let result = try connection.run(
      """
      SELECT t.relname || '.' || a.attname FROM pg_catalog.pg_attribute AS a
      JOIN pg_catalog.pg_class AS t ON t.oid = a.attrelid
      WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r'
        AND a.attnum > 0 AND a.attnotnull AND NOT a.atthasdef AND NOT a.attisdropped
      """)
    return Set((0..<result.rowCount).compactMap { result.text($0, 0) })
  }
}
