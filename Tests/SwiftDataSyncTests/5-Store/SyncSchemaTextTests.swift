import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

/// Stores of earlier versions have these texts; a store must not depend on the version that created its tables.
@Suite(
  "The texts of bookkeeping tables in a store",
  .enabled(if: StoreKind.tested == .sqlite, "it compares the texts in SQLite's catalog"))
struct SyncSchemaTextTests {
  @Test("of a client stay the same") func client() throws {
    let store = try TemporaryStore()
    _ = try ModelSyncStorage(Fixture.container(store.file), Fixture.models())
    #expect(
      try Self.texts(store) == [
        """
        CREATE TABLE "_sync_flight" (
          place INTEGER PRIMARY KEY, change BLOB NOT NULL, through INTEGER NOT NULL, unit INTEGER NOT NULL)
        """,
        """
        CREATE TABLE "_sync_object" (
          entity TEXT NOT NULL, key TEXT NOT NULL, row INTEGER, version INTEGER, base BLOB, parking BLOB,
          owed INTEGER NOT NULL, held BLOB, epoch INTEGER NOT NULL, PRIMARY KEY (entity, key))
        """,
        """
        CREATE INDEX "_sync_object_open" ON "_sync_object" (entity, key)
          WHERE owed OR parking IS NOT NULL
        """,
        "CREATE INDEX \"_sync_object_row\" ON \"_sync_object\" (entity, row)",
        "CREATE TABLE \"_sync_progress\" (id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
        "CREATE TABLE \"_sync_resolution\" (number INTEGER PRIMARY KEY, value BLOB NOT NULL)",
        """
        CREATE TABLE "_sync_waiting" (
          entity TEXT NOT NULL, key TEXT NOT NULL, property TEXT NOT NULL, destinationEntity TEXT NOT NULL,
          destinationKey TEXT NOT NULL, place INTEGER NOT NULL,
          PRIMARY KEY (entity, key, property, destinationKey)) WITHOUT ROWID
        """,
        """
        CREATE INDEX "_sync_waiting_destination"
          ON "_sync_waiting" (destinationEntity, destinationKey)
        """,
      ])
  }

  @Test("of a server stay the same") func server() throws {
    let store = try TemporaryStore()
    _ = try SyncServer(
      Fixture.container(store.file), models: Fixture.models(), rules: .everyoneSeesEverything)
    #expect(
      try Self.texts(store) == [
        """
        CREATE TABLE "_syncserver_answer" (
          client TEXT NOT NULL, change TEXT NOT NULL, outcome BLOB NOT NULL, time REAL NOT NULL,
          PRIMARY KEY (client, change)) WITHOUT ROWID
        """,
        "CREATE INDEX \"_syncserver_answer_time\" ON \"_syncserver_answer\" (time)",
        """
        CREATE TABLE "_syncserver_departure" (
          version INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, scope TEXT,
          PRIMARY KEY (version, entity, key)) WITHOUT ROWID
        """,
        """
        CREATE TABLE "_syncserver_object" (
          entity TEXT NOT NULL, key TEXT NOT NULL, row INTEGER, version INTEGER NOT NULL, scope TEXT,
          deleted REAL, PRIMARY KEY (entity, key)) WITHOUT ROWID
        """,
        """
        CREATE TABLE "_syncserver_progress" (
          id INTEGER PRIMARY KEY, absorbed INTEGER NOT NULL, version INTEGER NOT NULL,
          forgotten INTEGER NOT NULL, revision INTEGER NOT NULL)
        """,
        """
        CREATE TABLE "_syncserver_property" (
          entity TEXT NOT NULL, property TEXT NOT NULL, PRIMARY KEY (entity, property)) WITHOUT ROWID
        """,
        "CREATE INDEX \"_syncserver_row\" ON \"_syncserver_object\" (entity, row)",
        """
        CREATE TABLE "_syncserver_skipped" (
          first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (first)) WITHOUT ROWID
        """,
        """
        CREATE TABLE "_syncserver_start" (
          id INTEGER PRIMARY KEY, begun INTEGER NOT NULL, named INTEGER NOT NULL)
        """,
        "CREATE INDEX \"_syncserver_version\" ON \"_syncserver_object\" (version)",
      ])
  }

  private static func texts(_ store: TemporaryStore) throws -> [String?] {
    try store.values(
      "SELECT sql FROM sqlite_master WHERE name LIKE '\\_sync%' ESCAPE '\\' ORDER BY name")
  }
}
