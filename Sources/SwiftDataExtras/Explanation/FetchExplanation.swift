import SwiftDataCore

/// The result of ``ModelContext/explain(_:)``; ``description`` has all of it as text.
public struct FetchExplanation: Sendable {
  /// A part of a fetch that is done in memory instead of in SQL.
  public struct MemoryPart: Hashable, Sendable {
    /// The kind of work that is done in memory.
    public enum Work: String, Hashable, Sendable {
      /// The models that the statement returns are tested with the predicate.
      case filter
      /// Models are sorted.
      case sort
      /// Limit and offset are applied.
      case cut
      /// Unsaved changes are merged with the stored models.
      case merge
      /// The store isn't a database with SQL and carries out the fetch in its own way.
      case store
    }

    /// The kind of work.
    public let work: Work
    /// The reason, in words.
    public let reason: String
  }

  /// The entity that would be fetched.
  public let entity: String
  /// The name of the store's configuration.
  public let store: String
  /// The statement; nil when the store isn't a database with SQL.
  public let sql: String?
  /// The values of the statement's parameters, described, in their order.
  public let bindings: [String]
  /// The database's plan: one line for each step, indented below the step it belongs to
  /// (https://sqlite.org/eqp.html, https://www.postgresql.org/docs/15/using-explain.html).
  public let queryPlan: [String]
  /// The names of the indices that are used, `INTEGER PRIMARY KEY` for look-ups by row id.
  public let indices: [String]
  /// The tables whose rows are all read.
  public let scannedTables: [String]
  /// The work that is done in memory; empty when the statement gives the complete answer.
  public let inMemory: [MemoryPart]
  /// The number of the entity's models whose unsaved changes would be merged.
  public let pendingChanges: Int
  /// The name of the database.
  let database: String
}
