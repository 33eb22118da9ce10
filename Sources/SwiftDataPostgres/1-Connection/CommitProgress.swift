/// The commits to a store that a server, or a copy of it, has.
struct CommitProgress: Equatable, Sendable {
  /// The transactions of other programs that are noted.
  struct Foreign: Equatable, Sendable {
    var count: Int64
    /// The ID of the last one.
    var last: Int64
  }

  /// The last transaction of the history.
  var transaction: Int64
  var foreign: Foreign

  /// Whether everything is there that another state has.
  func contains(_ other: CommitProgress) -> Bool {
    // Notes get their IDs before their transactions are committed, and old ones are removed.
    let hasForeign =
      foreign.last > other.foreign.last
      || foreign.last == other.foreign.last && foreign.count >= other.foreign.count
    return transaction >= other.transaction && hasForeign
  }
}
