import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The terms of a predicate on transactions that depend only on the author, so that they can be
/// evaluated for a transaction of which only the author is known.
enum HistoryAuthors {
  static func isOnlyOfAuthor(_ node: PredicateNode) -> Bool {
    switch node {
    case .value: true
    case .keyPath(.variable, let keyPath): keyPath == \DefaultHistoryTransaction.author
    case .equal, .notEqual, .conjunction, .disjunction, .negation, .nilCoalesce,
      .sequenceContains:
      node.parts.allSatisfy(isOnlyOfAuthor)
    case .keyPath, .variable, .conditional, .composed, .comparison, .typeCheck, .conditionalCast,
      .forceCast, .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus,
      .sequenceContainsWhere, .sequenceAllSatisfy, .filter, .sequenceExtreme,
      .sequenceStartsWith, .collectionContains, .stringOperation, .range, .rangeContains,
      .inMemory, .unknown:
      false
    }
  }

  /// Whether a term may hold for an author. It is false only where the value is known.
  static func mayHold(_ node: PredicateNode, for author: String?) -> Bool {
    truth(of: node, author) ?? true
  }

  private static func truth(of node: PredicateNode, _ author: String?) -> Bool? {
    value(of: node, author) as? Bool
  }

  /// The value of a part of a term that depends only on the author.
  private static func value(of node: PredicateNode, _ author: String?) -> Any? {
    switch node {
    case .value(let value): return value
    case .keyPath: return author as Any
    case .equal(let left, let right, let type): return areEqual(left, right, type, author)
    case .notEqual(let left, let right, let type):
      return areEqual(left, right, type, author).map { !$0 }
    case .conjunction(let left, let right):
      return truth(of: left, author).flatMap { $0 ? truth(of: right, author) : false }
    case .disjunction(let left, let right):
      return truth(of: left, author).flatMap { $0 ? true : truth(of: right, author) }
    case .negation(let part): return truth(of: part, author).map { !$0 }
    case .nilCoalesce(let left, let right, _):
      guard let first = value(of: left, author) else { return nil }
      return ConstantEncoding.unwrap(first) ?? value(of: right, author)
    case .sequenceContains(let sequence, let element, let search):
      guard let sequence = value(of: sequence, author), let element = value(of: element, author)
      else { return nil }
      return search.contains(element, in: sequence)
    case .variable, .conditional, .composed, .comparison, .typeCheck, .conditionalCast, .forceCast,
      .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus,
      .sequenceContainsWhere, .sequenceAllSatisfy, .filter, .sequenceExtreme,
      .sequenceStartsWith, .collectionContains, .stringOperation, .range, .rangeContains,
      .inMemory, .unknown:
      return nil
    }
  }

  private static func areEqual(
    _ left: PredicateNode, _ right: PredicateNode, _ type: any Equatable.Type, _ author: String?
  ) -> Bool? {
    guard let first = value(of: left, author), let second = value(of: right, author) else {
      return nil
    }
    return ConstantOperations.areEqual(first, second, as: type)
  }
}
