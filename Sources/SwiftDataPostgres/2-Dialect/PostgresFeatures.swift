/// The features that servers with PostgreSQL's protocol may lack. A store works without them, by other ways.
public struct PostgresFeatures: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Triggers in PL/pgSQL, which note the transactions of programs that don't use this library. Without them, what such
  /// programs write isn't noticed: neither by live results nor by contexts that merge.
  public static let triggers = PostgresFeatures(rawValue: 1)
  /// `LISTEN` and `pg_notify`. Without them, a process with listeners asks for commits of others every 20 to 80
  /// milliseconds.
  public static let notifications = PostgresFeatures(rawValue: 2)
  /// Temporary tables. Without them, a migration or an update of unique values has ordinary tables while it runs.
  public static let temporaryTables = PostgresFeatures(rawValue: 4)
  /// The number of the transaction that wrote a row (`xmin`). Without it, a batch locks the rows that differ, and
  /// compares them again, before it updates them.
  public static let rowVersions = PostgresFeatures(rawValue: 8)
  /// All of them, as PostgreSQL has.
  public static let all: PostgresFeatures = [
    .triggers, .notifications, .temporaryTables, .rowVersions,
  ]
}
