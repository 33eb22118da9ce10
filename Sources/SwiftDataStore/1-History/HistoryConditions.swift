import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The SQL conditions on numbers, times and authors in a predicate on transactions.
///
/// Only conditions that hold for every matching transaction are translated: the terms that stand alone or are joined by
/// `&&`. The predicate itself is evaluated on the transactions found unless ``isExact``.
package struct HistoryConditions {
  package private(set) var terms: [String] = []
  package private(set) var bindings: [SQLValue] = []
  /// Whether the terms are the whole predicate.
  package private(set) var isExact = true
  /// The earliest position after which transactions are requested; nil when no token gives one.
  package private(set) var startToken: Int64?
  /// The terms that depend only on the author.
  private var authorTerms: [PredicateNode] = []
  private let store: String
  private let forms: Forms

  /// The conditions that databases write differently, with `?` for the value.
  package struct Forms: Sendable {
    /// The author is the value, as Swift compares strings: by canonical equivalence.
    package let author: String
    /// The value is 1.
    package let truth: String

    package init(author: String, truth: String) {
      self.author = author
      self.truth = truth
    }
  }

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for the thread's stack.
  package init(
    _ predicate: Predicate<DefaultHistoryTransaction>?, store: String, forms: Forms
  ) throws {
    self.store = store
    self.forms = forms
    guard let predicate else { return }
    isExact = narrow(by: try LoweredPredicate(predicate).node)
  }

  /// Whether a transaction of an author may match the predicate.
  package func mayMatch(author: String?) -> Bool {
    authorTerms.allSatisfy { HistoryAuthors.mayHold($0, for: author) }
  }

  /// The WHERE clause, or an empty string.
  package var clause: String { terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ") }

  /// - Returns: Whether the node is translated completely.
  private mutating func narrow(by node: PredicateNode) -> Bool {
    if HistoryAuthors.isOnlyOfAuthor(node) { authorTerms.append(node) }
    switch node {
    case .conjunction(let left, let right):
      let isLeftExact = narrow(by: left)
      return narrow(by: right) && isLeftExact
    case .equal(let left, let right, _): return add(left, .equal, right)
    case .comparison(let left, let op, let right, _):
      guard let comparison = Comparison(op) else { return false }
      return add(left, comparison, right)
    case .value, .variable, .disjunction, .negation, .conditional, .composed, .notEqual, .keyPath,
      .typeCheck, .conditionalCast, .forceCast, .nilCoalesce, .forcedUnwrap, .optionalFlatMap,
      .arithmetic, .division, .unaryMinus, .sequenceContains, .sequenceContainsWhere,
      .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith, .collectionContains,
      .stringOperation, .range, .rangeContains, .inMemory, .unknown:
      return false
    }
  }

  enum Comparison: String {
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="

    init?(_ op: PredicateExpressions.ComparisonOperator) {
      switch op {
      case .lessThan: self = .less
      case .lessThanOrEqual: self = .lessOrEqual
      case .greaterThan: self = .greater
      case .greaterThanOrEqual: self = .greaterOrEqual
      @unknown default: return nil
      }
    }

    var mirrored: Comparison {
      switch self {
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      case .equal: .equal
      }
    }
  }

  private mutating func add(
    _ left: PredicateNode, _ comparison: Comparison, _ right: PredicateNode
  ) -> Bool {
    switch (left, right) {
    case (.keyPath(.variable, let member), .value(let value)):
      add(member, comparison, value)
    case (.value(let value), .keyPath(.variable, let member)):
      add(member, comparison.mirrored, value)
    default: false
    }
  }

  private mutating func add(_ member: AnyKeyPath, _ comparison: Comparison, _ value: Any) -> Bool {
    switch (member, value) {
    case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken):
      // A token of another store is no number here. In a store, no transaction has a token of several stores: an answer
      // over several gives them these.
      guard let values = token.tokenValue, let number = values[store],
        comparison != .equal || values.count == 1
      else { return false }
      record(comparison, number)
      return append("t.number \(comparison.rawValue) ?", .integer(number))
    case (\DefaultHistoryTransaction.transactionIdentifier, let number as Int64),
      (\DefaultHistoryTransaction.id, let number as Int64):
      return append("t.number \(comparison.rawValue) ?", .integer(number))
    case (\DefaultHistoryTransaction.timestamp, let date as Date):
      let seconds = date.timeIntervalSinceReferenceDate
      guard !seconds.isNaN else { return false }
      return append("t.timestamp \(comparison.rawValue) ?", .real(seconds))
    case (\DefaultHistoryTransaction.author, let author as String):
      guard comparison == .equal else { return false }
      return append(forms.author, .text(author))
    case (\DefaultHistoryTransaction.storeIdentifier, let identifier as String):
      guard comparison == .equal else { return false }
      return append(forms.truth, .integer(identifier == store ? 1 : 0))
    default: return false
    }
  }

  private mutating func record(_ comparison: Comparison, _ number: Int64) {
    let start: Int64? =
      switch comparison {
      case .greater: number
      // A token may contain any number.
      case .greaterOrEqual, .equal: max(number, .min + 1) - 1
      case .less, .lessOrEqual: nil
      }
    guard let start else { return }
    startToken = max(startToken ?? .min, start)
  }

  private mutating func append(_ sql: String, _ value: SQLValue) -> Bool {
    terms.append(sql)
    bindings.append(value)
    return true
  }
}
