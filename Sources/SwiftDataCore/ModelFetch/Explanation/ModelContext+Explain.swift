import Foundation

/// How a fetch would be carried out. Beyond Apple's interface.
///
///     print(try context.explain(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 5 })))
///
///     Quake in the store default
///       SELECT t0."_id", t0."code", … FROM "Quake" AS t0 WHERE (t0."magnitude" > ?)
///       1: 5.0
///     SQLite's plan
///       SCAN t0
///     Every row of Quake is read: no index serves the query.
extension ModelContext {
  /// Says how ``fetch(_:)`` would answer `descriptor` now: the statement, the indices it uses, and what is left to be
  /// done in memory. No model is fetched.
  ///
  /// - Throws: What ``fetch(_:)`` throws for a descriptor that can't be used.
  public func explain<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> FetchExplanation {
    let map = try identityMap(for: T.self)
    let isMerging = descriptor.includePendingChanges && hasPendingChanges(of: T.self)
    var request = isMerging ? mergingRequest(descriptor, map) : request(for: descriptor, map)
    if !isMerging { request.properties = try propertiesToLoad(descriptor, map.plan) }
    return FetchExplanation(
      entity: map.plan.name, store: map.store.configurationName,
      answer: try map.store.explain(request),
      pendingChanges: isMerging ? pendingCount(of: T.self) : 0,
      isSorted: !descriptor.sortBy.isEmpty,
      isCut: descriptor.fetchLimit ?? 0 > 0 || descriptor.fetchOffset ?? 0 > 0)
  }
}

/// What ``ModelContext/explain(_:)`` found out; ``description`` has all of it as text.
public struct FetchExplanation: Sendable {
  /// A part of a fetch that SQL leaves to memory.
  public struct MemoryPart: Hashable, Sendable {
    /// What is done in memory.
    public enum Work: String, Hashable, Sendable {
      /// Models that the statement gives are tested by the predicate.
      case filter
      /// Models are sorted.
      case sort
      /// Limit and offset are applied.
      case cut
      /// Unsaved changes are merged with what is stored.
      case merge
      /// The store isn't SQLite and does what it does.
      case store
    }

    public let work: Work
    /// Why, in a sentence.
    public let reason: String
  }

  /// The entity that would be fetched.
  public let entity: String
  /// The name of the store's configuration.
  public let store: String
  /// The statement; nil when the store isn't SQLite.
  public let sql: String?
  /// The values of the statement's parameters, described, in their order.
  public let bindings: [String]
  /// SQLite's plan, a line a step, indented below the step it belongs to
  /// (https://sqlite.org/eqp.html).
  public let queryPlan: [String]
  /// The names of the indices that are used, `INTEGER PRIMARY KEY` for look-ups by row id.
  public let indices: [String]
  /// The tables of which every row is read.
  public let scannedTables: [String]
  /// What is done in memory; empty when the statement is the whole answer.
  public let inMemory: [MemoryPart]
  /// How many unsaved changes of the entity's models would be merged.
  public let pendingChanges: Int
}
