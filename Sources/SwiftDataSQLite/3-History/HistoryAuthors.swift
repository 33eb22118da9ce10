import Foundation
import SwiftDataCore

/// Finds the terms of a predicate on transactions that depend only on the author, so that they can be evaluated for a
/// transaction of which only the author is known.
enum HistoryAuthors {
  static func isOnlyOfAuthor(_ expression: Any) -> Bool {
    (expression as? any AuthorNode)?.isOnlyOfAuthor ?? false
  }
}

/// A node that may depend only on the author.
private protocol AuthorNode {
  var isOnlyOfAuthor: Bool { get }
}

private func areOnlyOfAuthor(_ expressions: Any...) -> Bool {
  expressions.allSatisfy(HistoryAuthors.isOnlyOfAuthor)
}

extension PredicateExpressions.Value: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { true }
}

extension PredicateExpressions.NilLiteral: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { true }
}

extension PredicateExpressions.KeyPath: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction>
      && keyPath == \DefaultHistoryTransaction.author as AnyKeyPath
  }
}

extension PredicateExpressions.Equal: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(lhs, rhs) }
}

extension PredicateExpressions.NotEqual: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(lhs, rhs) }
}

extension PredicateExpressions.Conjunction: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(lhs, rhs) }
}

extension PredicateExpressions.Disjunction: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(lhs, rhs) }
}

extension PredicateExpressions.Negation: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(wrapped) }
}

extension PredicateExpressions.NilCoalesce: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(lhs, rhs) }
}

extension PredicateExpressions.SequenceContains: AuthorNode {
  fileprivate var isOnlyOfAuthor: Bool { areOnlyOfAuthor(sequence, element) }
}
