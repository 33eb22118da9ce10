import Foundation

/// What becomes of the copy that is made of a store's file before a migration writes its rows anew.
///
/// A migration is one transaction, so that the copy isn't needed after a crash: it is for what a migration leaves out
/// on purpose, and for mistakes in a custom stage. Migrations that only add to a file make none.
public enum MigrationBackup: Hashable, Sendable {
  /// The copy goes after the migration, unless values or models had no place in the new schema.
  case automatic
  /// The copy stays, until the next migration replaces it.
  case kept
  /// No copy is made.
  case none
}

extension ModelConfiguration {
  /// The copy of the store from before its last migration, when there is one: a store of its own.
  public var migrationBackupURL: URL {
    url.deletingLastPathComponent().appending(path: url.lastPathComponent + ".before-migration")
  }
}
