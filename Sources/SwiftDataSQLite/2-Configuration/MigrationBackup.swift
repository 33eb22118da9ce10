import Foundation

/// The treatment of the copy of a store's file that is made before a migration rewrites its rows.
///
/// A migration is one transaction, so the copy isn't needed after a crash: it preserves data that a migration leaves
/// out intentionally. Where it is ``kept``, it also protects against mistakes in a custom stage. Migrations that only
/// add to a file make no copy. Large values of the copy are in the folder `.<name>.before-migration_SUPPORT` beside it.
public enum MigrationBackup: Hashable, Sendable {
  /// The copy is removed after the migration, unless values or models had no place in the new schema.
  case automatic
  /// The copy is kept until the next migration replaces it.
  case kept
  /// No copy is made.
  case none
}

extension ModelConfiguration {
  /// The copy of the store from before its last migration, if there is one: an independent store.
  public var migrationBackupURL: URL {
    url.deletingLastPathComponent().appending(path: url.lastPathComponent + ".before-migration")
  }
}
