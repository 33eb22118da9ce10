/// A position in the history of default stores: the number of the last transaction seen, by store.
///
/// Tokens are ordered by time in the stores that both name. In a container of several stores, the transactions of a
/// ``ModelContext/fetchHistory(_:)`` without `sortBy`, and of ``ModelContainer/remoteChanges(after:models:authors:)``,
/// have tokens that name all of them, as ``ModelContainer/currentHistoryToken()`` does: positions to go on from. A
/// predicate finds no transaction by `==` with one; it finds one by `transactionIdentifier` and `storeIdentifier`.
/// Tokens without a common store, such as those of a save, are ordered by the stores' identifiers, which is unrelated
/// to time.
public struct DefaultHistoryToken: HistoryToken {
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction by store identifier.
  public let tokenValue: TokenType?

  package init(store: String, transaction: Int64) { tokenValue = [store: transaction] }

  package init(_ transactions: [String: Int64]) { tokenValue = transactions }

  /// Equal for equal tokens, as long as the process runs.
  public var id: Int { hashValue }

  /// Whether `lhs` is the earlier position; see the type about different stores.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    let (own, others) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
    let common = own.keys.filter { others[$0] != nil }.sorted()
    for store in common {
      if let mine = own[store], let theirs = others[store], mine != theirs { return mine < theirs }
    }
    if !common.isEmpty { return false }
    let left = lhs.parts
    let right = rhs.parts
    for (mine, theirs) in zip(left, right) where mine != theirs { return mine < theirs }
    return left.count < right.count
  }

  private var parts: [(key: String, value: Int64)] {
    (tokenValue ?? [:]).sorted { $0.key < $1.key }
  }
}
