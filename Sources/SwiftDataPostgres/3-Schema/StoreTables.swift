import SwiftDataCore
import SwiftDataSQL

/// The tables of a store besides those of its entities.
enum StoreTables {
  /// The version of these tables.
  static let format = 1

  /// The number of row IDs that the sequence gives at once.
  static let rowIDBlock = 1024

  private static let text = PostgresDialect().type(of: .text)

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
      key uuid NOT NULL UNIQUE,
      timestamp double precision NOT NULL,
      author \(text),
      program \(text) NOT NULL,
      host \(text) NOT NULL,
      process integer NOT NULL,
      total bigint NOT NULL
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
