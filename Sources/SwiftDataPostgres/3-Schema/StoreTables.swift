import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The tables of a store besides those of its entities.
enum StoreTables {
  /// The version of these tables.
  static let format = 1
  /// The version of a store to which a copy isn't complete.
  static let unfinishedFormat: Int64 = 0

  /// The number of row IDs that the sequence gives at once.
  static let rowIDBlock = 1024

  private static let text = PostgresDialect().type(of: .text)

  /// The channel on which commits are announced.
  static func channel(of identifier: String) -> String { "osd_" + identifier.lowercased() }

  /// Reads the store's identifier and format.
  static let identity = "SELECT identifier, format FROM \"_store\" WHERE id = 1"

  /// Whether the row of the table is that of a store with an identifier, and of a format that this library knows.
  static func identityCondition(_ identifier: String, _ format: String) -> String {
    "id = 1 AND identifier = \(identifier) AND format BETWEEN \(unfinishedFormat + 1) AND \(format)"
  }

  /// Fails unless it is. The failure ends the transaction without a wait for the answer.
  static let identityTest =
    "SELECT 1 / (SELECT count(*) FROM \"_store\" WHERE "
    + identityCondition("$1::uuid", "$2::bigint") + ")"

  /// The `SQLSTATE` of that failure, a division by zero.
  static let identityTestFailure = "22012"

  /// The function that notes the transactions of other programs, each once, and announces them. It has the rights of
  /// the store's owner, because any program may write to the tables.
  ///
  /// - Parameter channel: The channel for announcements; nil without any.
  static func noteFunction(channel: String?) -> String {
    let notice = channel.map { "PERFORM pg_notify(''\($0)'', '''');" } ?? ""
    return """
      CREATE FUNCTION "_noteForeign"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = pg_catalog, pg_temp AS '
      BEGIN
        IF coalesce(current_setting(''osd.noted'', true), '''') <> TG_TABLE_SCHEMA THEN
          EXECUTE format(
            ''INSERT INTO %I."_foreign" (at)''
              || '' VALUES (extract(epoch FROM clock_timestamp()) - 978307200)'',
            TG_TABLE_SCHEMA);
          \(notice)
          PERFORM set_config(''osd.noted'', TG_TABLE_SCHEMA, true);
        END IF;
        RETURN NULL;
      END'
      """
  }

  /// Notes that any row may have changed.
  static let foreignNote =
    "INSERT INTO \"_foreign\" (at) VALUES (extract(epoch FROM clock_timestamp()) - 978307200)"

  /// The trigger that calls it for a table. The function isn't called in this library's own transactions.
  static func noteTrigger(of table: String) -> String {
    "CREATE TRIGGER \"\(noteTriggerName)\" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE"
      + " ON \(SQLIdentifier.quoted(table)) FOR EACH STATEMENT"
      + " WHEN (current_setting('osd.own', true) IS DISTINCT FROM '1')"
      + " EXECUTE FUNCTION \"_noteForeign\"()"
  }

  static let noteTriggerName = "_noteForeign"

  /// The statement that writes the row of a new store.
  static func row(of identifier: UUID) -> String {
    "INSERT INTO \"_store\" (id, identifier, format, number, total, deleted)"
      + " VALUES (1, '\(identifier.uuidString)', \(format), 0, 0, 0)"
  }

  /// The statements that create them.
  static let creation: [String] = [
    "CREATE SEQUENCE \"_rows\" AS bigint INCREMENT BY \(rowIDBlock) CACHE 1",
    // Little of a page is used, so that the new versions of the only row stay in it.
    """
    CREATE TABLE "_store" (
      id smallint PRIMARY KEY CHECK (id = 1),
      identifier uuid NOT NULL,
      format integer NOT NULL,
      number bigint NOT NULL,
      total bigint NOT NULL,
      deleted bigint NOT NULL
    ) WITH (fillfactor = 10)
    """,
    """
    CREATE TABLE "_foreign" (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at double precision NOT NULL
    )
    """,
    """
    CREATE TABLE "_metadata" (
      key \(text) PRIMARY KEY,
      kind smallint NOT NULL,
      value bytea
    )
    """,
    """
    CREATE TABLE "_history_transaction" (
      number bigint PRIMARY KEY,
      key uuid NOT NULL,
      timestamp double precision NOT NULL,
      author \(text),
      program \(text) NOT NULL,
      host \(text) NOT NULL,
      process integer NOT NULL,
      total bigint NOT NULL
    )
    """,
    // The keys stay longer than transactions that are deleted from the history: a save may be about to look for its
    // own.
    """
    CREATE TABLE "_history_key" (
      key uuid PRIMARY KEY,
      number bigint NOT NULL,
      total bigint NOT NULL,
      attempt smallint NOT NULL,
      at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp())
    )
    """,
    """
    CREATE TABLE "_history_layout" (
      id bigint PRIMARY KEY,
      entity \(text) NOT NULL,
      properties \(text) NOT NULL,
      UNIQUE (entity, properties)
    )
    """,
    """
    CREATE TABLE "_history_change" (
      number bigint,
      layout bigint,
      part integer,
      changes bytea NOT NULL,
      PRIMARY KEY (number, layout, part)
    )
    """,
  ]
}
