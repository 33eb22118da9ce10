import Foundation

extension StoreHistory {
  /// Returns the number of the last transaction; 0 when there is none.
  func lastTransaction() throws -> Int64 {
    let token = try lastHistoryToken() as? DefaultHistoryToken
    return token?.tokenValue?[identifier] ?? 0
  }
}

extension ContainerCore {
  /// Refuses a predicate with a token of none of the container's stores. Its order among their transactions says
  /// nothing: they would all be found, or all be missing.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired``, and
  ///   ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for the thread's stack.
  /// - Returns: The tokens in the predicate.
  @discardableResult
  func requireOwnTokens<T: HistoryTransaction>(
    in descriptor: HistoryDescriptor<T>
  ) throws -> [DefaultHistoryToken] {
    guard let predicate = descriptor.predicate as Any as? Predicate<DefaultHistoryTransaction>
    else { return [] }
    var tokens: [DefaultHistoryToken] = []
    var nodes = [try LoweredPredicate(predicate).node]
    while let node = nodes.popLast() {
      switch node {
      case .value(let value):
        if let token = value as? DefaultHistoryToken {
          try requireOwn(token)
          tokens.append(token)
        }
      case .conjunction(let left, let right), .disjunction(let left, let right),
        .equal(let left, let right, _), .notEqual(let left, let right, _),
        .comparison(let left, _, let right, _):
        nodes += [left, right]
      case .negation(let part): nodes.append(part)
      case .variable, .conditional, .composed, .keyPath, .typeCheck, .conditionalCast, .forceCast,
        .nilCoalesce, .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus,
        .sequenceContains, .sequenceContainsWhere, .sequenceAllSatisfy, .filter,
        .sequenceExtreme, .sequenceStartsWith, .collectionContains, .stringOperation, .range,
        .rangeContains, .inMemory, .unknown:
        break
      }
    }
    return tokens
  }

  /// - Throws: ``SwiftDataError/historyTokenExpired`` for a token of none of the container's stores.
  func requireOwn(_ token: DefaultHistoryToken) throws {
    let stores = capabilities.compactMap(\.history).map(\.identifier)
    guard let named = token.tokenValue?.keys, !named.isEmpty, !stores.isEmpty,
      !named.contains(where: stores.contains)
    else { return }
    throw SwiftDataError.historyTokenExpired.explained(
      "The token is of another store than the container's: the store may have been deleted and made"
        + " anew. Read the models anew, then go on from the newest token.")
  }
}
