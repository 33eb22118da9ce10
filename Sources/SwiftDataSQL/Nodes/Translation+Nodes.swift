import SwiftDataCore

/// The meaning of nodes. Each method for a node is in a file that is named as Foundation names it.
///
/// The switch over the nodes is in three parts, each of which names every case: a function without
/// optimization has room on the stack for the values of all of its cases at once.
extension Translation {
  mutating func operand(_ node: PredicateNode) throws(Untranslatable) -> Operand {
    switch node {
    case .value(let value): return .constant(value)
    case .variable(let key): return try variable(key)
    case .conjunction(let left, let right): return try joined(left, right, as: .conjunction)
    case .disjunction(let left, let right): return try joined(left, right, as: .disjunction)
    case .negation(let part): return try negation(part)
    case .composed(let condition, let variables): return try composed(condition, variables[...])
    case .equal(let left, let right, let type): return try equal(left, right, type)
    case .notEqual(let left, let right, let type): return try notEqual(left, right, type)
    case .comparison(let left, let op, let right, let type):
      return try comparison(left, op, right, type)
    case .conditional, .keyPath, .typeCheck, .conditionalCast, .nilCoalesce, .forcedUnwrap,
      .optionalFlatMap, .arithmetic, .division, .unaryMinus:
      return try scalar(node)
    case .sequenceContains, .sequenceContainsWhere, .sequenceAllSatisfy, .filter,
      .sequenceExtreme, .sequenceStartsWith, .collectionContains, .stringOperation, .range,
      .rangeContains:
      return try collection(node)
    case .forceCast: throw Self.untranslatable("ForceCast")
    case .inMemory(let operation, _): throw Self.untranslatable(operation.rawValue)
    case .unknown(let expression): throw Self.untranslatable(NodeName.of(type(of: expression)))
    }
  }

  private mutating func scalar(_ node: PredicateNode) throws(Untranslatable) -> Operand {
    switch node {
    case .conditional(let test, let yes, let no, let type):
      return try conditional(test, yes, no, type)
    case .keyPath(let root, let keyPath): return try member(keyPath, of: root)
    case .typeCheck(let input, let type): return try typeCheck(input, type)
    case .conditionalCast(let input, let type): return try conditionalCast(input, type)
    case .nilCoalesce(let left, let right, let type): return try nilCoalesce(left, right, type)
    case .forcedUnwrap(let part): return try forcedUnwrap(part)
    case .optionalFlatMap(let wrapped, let key, let transform, let type):
      return try optionalFlatMap(wrapped, key, transform, type)
    case .arithmetic(let left, let operation, let right, let type):
      return try arithmetic(left, operation, right, type)
    case .division(let left, let operation, let right, let type):
      return try division(left, operation, right, type)
    case .unaryMinus(let part, let type): return try unaryMinus(part, type)
    case .value, .variable, .conjunction, .disjunction, .negation, .composed, .equal, .notEqual,
      .comparison, .forceCast, .sequenceContains, .sequenceContainsWhere, .sequenceAllSatisfy,
      .filter, .sequenceExtreme, .sequenceStartsWith, .collectionContains, .stringOperation,
      .range, .rangeContains, .inMemory, .unknown:
      return try operand(node)
    }
  }

  private mutating func collection(_ node: PredicateNode) throws(Untranslatable) -> Operand {
    switch node {
    case .sequenceContains(let sequence, let element, let search):
      return try sequenceContains(sequence, element, search)
    case .sequenceContainsWhere(let sequence, let key, let test, let type):
      return try sequenceContainsWhere(sequence, key, test, type)
    case .sequenceAllSatisfy(let sequence, let key, let test, let type):
      return try sequenceAllSatisfy(sequence, key, test, type)
    case .filter(let sequence, let key, let test, let type):
      return try filter(sequence, key, test, type)
    case .sequenceExtreme(let extreme, let elements, let type):
      return try sequenceExtreme(extreme, elements, type)
    case .sequenceStartsWith(let base, let prefix, let areTexts):
      return try sequenceStartsWith(base, prefix, areTexts)
    case .collectionContains(let base, let other, let areTexts):
      return try collectionContains(base, other, areTexts)
    case .stringOperation(let text, let other, let operation):
      return try stringOperation(text, other, operation)
    case .range(let lower, let upper, let includesUpper, let type):
      return try range(lower, upper, includesUpper, type)
    case .rangeContains(let range, let element): return try rangeContains(range, element)
    case .value, .variable, .conjunction, .disjunction, .negation, .composed, .equal, .notEqual,
      .comparison, .conditional, .keyPath, .typeCheck, .conditionalCast, .forceCast,
      .nilCoalesce, .forcedUnwrap, .optionalFlatMap, .arithmetic, .division, .unaryMinus,
      .inMemory, .unknown:
      return try operand(node)
    }
  }

  private static func untranslatable(_ node: String) -> Untranslatable {
    Untranslatable("\(node) has no counterpart in SQL")
  }
}
