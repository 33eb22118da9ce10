import SwiftDataCore
import SwiftDataSQL

/// The database objects for columns whose large values are stored in files.
///
/// Triggers record each reference that a row gives up, whichever program changes the row, in the same transaction;
/// files whose recorded references no row has any more are removed afterwards. The columns are listed in the database,
/// because a file may contain entities that the current schema doesn't name.
enum ExternalStorage {
  static let garbage = "_external_garbage"
  static let list = "_external_columns"

  /// The kind of a value of the column when it is stored in the row; nil for a column that is never stored in files.
  static func inlineKind(of column: ColumnPlan, _ property: PropertyPlan) -> _Cell.Kind? {
    inlineKind(of: column.kind, property.storage)
  }

  static func inlineKind(of kind: ColumnKind, _ storage: AttributeStorage) -> _Cell.Kind? {
    guard storage.isExternal else { return nil }
    if storage.isEncrypted { return .blob }
    switch kind {
    case .text, .url, .json: return .text
    case .data: return .blob
    default: return nil
    }
  }

  /// The statements that create the tables.
  static let tables = [
    "CREATE TABLE IF NOT EXISTS \"\(garbage)\" (name TEXT PRIMARY KEY) WITHOUT ROWID",
    """
    CREATE TABLE IF NOT EXISTS "\(list)" (
      entity TEXT, name TEXT, class TEXT, PRIMARY KEY (entity, name)
    ) WITHOUT ROWID
    """,
  ]

  /// The statements that prepare the database for the entity; none when it has no such column.
  static func statements(for plan: EntityPlan) -> [String] {
    let columns = plan.columns.compactMap { column in
      inlineKind(of: column, plan.properties[column.property]).map { (column.name, $0) }
    }
    guard !columns.isEmpty else { return [] }
    var statements = tables
    for (name, kind) in columns {
      statements += self.statements(plan.table, name, kind == .text ? "blob" : "text")
    }
    return statements
  }

  private static func statements(
    _ entity: String, _ name: String, _ referenceClass: String
  ) -> [String] {
    let table = SQLIdentifier.quoted(entity)
    let column = SQLIdentifier.quoted(name)
    func quoted(_ ending: String) -> String {
      SQLIdentifier.quoted(ObjectNames.name(entity, [name], ending))
    }
    let note =
      "BEGIN INSERT INTO \"\(garbage)\" VALUES (CAST(old.\(column) AS TEXT))"
      + " ON CONFLICT DO NOTHING; END"
    let values = [entity, name, referenceClass].map(SQLIdentifier.literal)
      .joined(separator: ", ")
    let isReference = "typeof(old.\(column)) = '\(referenceClass)'"
    return [
      """
      INSERT INTO "\(list)" VALUES (\(values))
        ON CONFLICT DO UPDATE SET class = excluded.class WHERE class IS NOT excluded.class
      """,
      """
      CREATE INDEX IF NOT EXISTS \(quoted("external")) ON \(table) (\(column))
        WHERE typeof(\(column)) = '\(referenceClass)'
      """,
      """
      CREATE TRIGGER IF NOT EXISTS \(quoted("external_delete")) AFTER DELETE ON \(table)
        WHEN \(isReference) \(note)
      """,
      """
      CREATE TRIGGER IF NOT EXISTS \(quoted("external_update")) AFTER UPDATE OF \(column) ON \(table)
        WHEN \(isReference) AND old.\(column) IS NOT new.\(column) \(note)
      """,
    ]
  }
}
