import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The SQL conditions on numbers, times and authors in a predicate on transactions.
///
/// Only conditions that hold for every matching transaction are translated: the terms that stand alone or are joined by
/// `&&`. The predicate itself is evaluated on the transactions found unless ``isExact``.
struct HistoryConditions {
  private(set) var terms: [String] = []
  private(set) var bindings: [SQLValue] = []
  /// Whether the terms are the whole predicate.
  private(set) var isExact = true
  /// The earliest position after which transactions are requested; nil when no token gives one.
  private(set) var startToken: Int64?
  /// The terms that depend only on the author.
  private var authorTerms: [any PredicateExpression<Bool>] = []
  private var variable: PredicateExpressions.Variable<DefaultHistoryTransaction>?
  private let store: String

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for the thread's stack.
  init(_ predicate: Predicate<DefaultHistoryTransaction>?, store: String) throws {
    self.store = store
    guard let predicate else { return }
    try ExpressionDepth.check(predicate.expression)
    variable = predicate.variable
    isExact = narrow(by: predicate.expression)
  }

  /// Whether a transaction of an author may match the predicate.
  func mayMatch(author: String?) throws -> Bool {
    guard let variable else { return true }
    let sample = DefaultHistoryTransaction(
      timestamp: .distantPast, changes: [], transactionIdentifier: 0, storeIdentifier: store,
      bundleIdentifier: "", processIdentifier: "", author: author)
    let bindings = PredicateBindings((variable, sample))
    return try authorTerms.allSatisfy { try $0.evaluate(bindings) }
  }

  /// The WHERE clause, or an empty string.
  var clause: String { terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ") }

  /// - Returns: Whether the expression is translated completely.
  mutating func narrow(by expression: Any) -> Bool {
    if let term = expression as? any PredicateExpression<Bool>,
      HistoryAuthors.isOnlyOfAuthor(term)
    {
      authorTerms.append(term)
    }
    guard let term = expression as? any HistoryTerm else { return false }
    return term.narrow(&self)
  }

  enum Comparison: String {
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="

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

  mutating func add(_ left: Any, _ comparison: Comparison, _ right: Any) -> Bool {
    switch (left as? any HistoryOperand, right as? any HistoryOperand) {
    case (let member?, let constant?):
      switch (member.historyOperand, constant.historyOperand) {
      case (.member(let member), .constant(let value)): return add(member, comparison, value)
      case (.constant(let value), .member(let member)):
        return add(member, comparison.mirrored, value)
      default: return false
      }
    default: return false
    }
  }

  private mutating func add(_ member: AnyKeyPath, _ comparison: Comparison, _ value: Any) -> Bool {
    switch (member, value) {
    case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken):
      // Tokens of several stores, or of another store, aren't numbers.
      guard let values = token.tokenValue, values.count == 1, let number = values[store] else {
        return false
      }
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
      // Swift compares strings by canonical equivalence, and so does this function.
      guard comparison == .equal else { return false }
      return append("ifnull(osd_equal(t.author, ?), 0)", .text(author))
    case (\DefaultHistoryTransaction.storeIdentifier, let identifier as String):
      guard comparison == .equal else { return false }
      return append("?", .integer(identifier == store ? 1 : 0))
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

// MARK: - Nodes

/// A node that is a condition on a transaction.
protocol HistoryTerm {
  func narrow(_ conditions: inout HistoryConditions) -> Bool
}

/// A node that is a member of the transaction or a constant.
protocol HistoryOperand {
  var historyOperand: HistoryOperandKind { get }
}

enum HistoryOperandKind {
  case member(AnyKeyPath)
  case constant(Any)
  case other
}

extension PredicateExpressions.Conjunction: HistoryTerm {
  func narrow(_ conditions: inout HistoryConditions) -> Bool {
    let left = conditions.narrow(by: lhs)
    return conditions.narrow(by: rhs) && left
  }
}

extension PredicateExpressions.Equal: HistoryTerm {
  func narrow(_ conditions: inout HistoryConditions) -> Bool {
    conditions.add(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.Comparison: HistoryTerm {
  func narrow(_ conditions: inout HistoryConditions) -> Bool {
    let comparison: HistoryConditions.Comparison
    switch op {
    case .lessThan: comparison = .less
    case .lessThanOrEqual: comparison = .lessOrEqual
    case .greaterThan: comparison = .greater
    case .greaterThanOrEqual: comparison = .greaterOrEqual
    @unknown default: return false
    }
    return conditions.add(lhs, comparison, rhs)
  }
}

extension PredicateExpressions.Value: HistoryOperand {
  var historyOperand: HistoryOperandKind { .constant(value) }
}

extension PredicateExpressions.KeyPath: HistoryOperand {
  var historyOperand: HistoryOperandKind {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? .member(keyPath) : .other
  }
}
