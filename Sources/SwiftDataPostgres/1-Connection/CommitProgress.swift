/// The commits to a store that a server, or a copy of it, has.
struct CommitProgress: Equatable, Sendable {
  /// The transactions of other programs that are noted.
  struct Foreign: Equatable, Sendable {
    /// The sum of the IDs of the last ones, which grows when one is committed late.
    var sum: Int64
    /// The ID of the last one.
    var last: Int64
  }

  /// The last transaction of the history.
  var transaction: Int64
  var foreign: Foreign

  /// Whether everything is there that another state has.
  func contains(_ other: CommitProgress) -> Bool {
    // Notes get their IDs before their transactions are committed.
    let hasForeign =
      foreign.last > other.foreign.last
      || foreign.last == other.foreign.last && foreign.sum >= other.foreign.sum
    return transaction >= other.transaction && hasForeign
  }
}
