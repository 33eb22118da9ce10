/// The capabilities of a database. A feature decides whether text is written; ``SQLDialect`` has the text.
package struct SQLFeatures: Sendable {
  /// Whether triggers enforce delete rules on the own key, whichever program deletes. Otherwise the store has to.
  package var hasTriggers: Bool
  /// Whether foreign keys can be checked at the end of a transaction.
  package var hasDeferredKeys: Bool
  /// Whether a table can refer to one that is created later.
  package var hasForwardReferences: Bool
  /// Whether tables beside those of entities speed up searches.
  package var hasSearchTables: Bool
  /// Whether a migration drops columns in place; otherwise it makes a new table.
  package var dropsColumns: Bool

  package init(
    hasTriggers: Bool, hasDeferredKeys: Bool, hasForwardReferences: Bool, hasSearchTables: Bool,
    dropsColumns: Bool = false
  ) {
    self.hasTriggers = hasTriggers
    self.hasDeferredKeys = hasDeferredKeys
    self.hasForwardReferences = hasForwardReferences
    self.hasSearchTables = hasSearchTables
    self.dropsColumns = dropsColumns
  }
}
