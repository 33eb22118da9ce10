/// The transactions of several stores in one order, with tokens that name the position in each store.
///
/// The token of one store says nothing about the others: a reader that continued from it would miss their transactions,
/// or get them again.
struct HistoryMerge {
  private var rest: [ArraySlice<DefaultHistoryTransaction>]
  /// The number of the last transaction before the next one, by store.
  private var positions: [String: Int64]

  /// - Parameters:
  ///   - answers: The transactions of each store, in the order of their numbers.
  ///   - tokens: The tokens in the predicate that found them.
  ///   - last: The number of each store's last transaction before they were read.
  init(
    _ answers: [[DefaultHistoryTransaction]], after tokens: [DefaultHistoryToken],
    last: [String: Int64]
  ) {
    rest = answers.map { $0[...] }
    positions = last
    for transaction in answers.compactMap(\.first) {
      // A damaged store may have any number.
      let number = max(transaction.transactionIdentifier, .min + 1)
      positions[transaction.storeIdentifier] = number - 1
    }
    // The predicate may have left transactions out that come between its token and the first one found.
    for store in positions.keys {
      guard let start = tokens.compactMap({ $0.tokenValue?[store] }).min() else { continue }
      positions[store] = min(start, positions[store] ?? start)
    }
  }

  /// Returns the transactions by time, those of one store in the order of their numbers.
  mutating func transactions(_ limit: Int?) -> [DefaultHistoryTransaction] {
    var merged: [DefaultHistoryTransaction] = []
    while merged.count < limit ?? .max {
      let heads = rest.indices.compactMap { index in
        rest[index].first.map { (index: index, timestamp: $0.timestamp) }
      }
      guard let next = heads.min(by: { $0.timestamp < $1.timestamp })?.index,
        let transaction = rest[next].popFirst()
      else { break }
      positions[transaction.storeIdentifier] = transaction.transactionIdentifier
      merged.append(transaction.positioned(at: DefaultHistoryToken(positions)))
    }
    return merged
  }
}
