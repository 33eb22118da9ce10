import Foundation

/// A node of a predicate's expression, without the generic types of Foundation's nodes.
///
/// ``PredicateLowering`` makes the tree once; whatever examines a predicate does so by a switch
/// over this type that names every case, so that the compiler points out the places that a new case
/// concerns. A part of a node is the node of a value, whose type a case contains where the type has
/// a meaning. Only evaluation in memory uses Foundation's nodes, see ``PredicateEvaluation``.
package enum PredicateNode {
  // MARK: Leaves

  /// A captured value, which may be nil.
  indirect case value(Any)
  case variable(PredicateExpressions.VariableID)

  // MARK: Logic

  indirect case conjunction(PredicateNode, PredicateNode)
  indirect case disjunction(PredicateNode, PredicateNode)
  indirect case negation(PredicateNode)
  /// One of two values of a type, by a test.
  indirect case conditional(PredicateNode, PredicateNode, PredicateNode, of: any Any.Type)
  /// Another predicate's expression, in which variables stand for those of this predicate.
  indirect case composed(PredicateNode, [Replacement])

  // MARK: Comparisons

  indirect case equal(PredicateNode, PredicateNode, of: any Equatable.Type)
  indirect case notEqual(PredicateNode, PredicateNode, of: any Equatable.Type)
  indirect case comparison(
    PredicateNode, PredicateExpressions.ComparisonOperator, PredicateNode,
    of: any Comparable.Type)

  // MARK: Members and types

  indirect case keyPath(PredicateNode, AnyKeyPath)
  indirect case typeCheck(PredicateNode, any Any.Type)
  indirect case conditionalCast(PredicateNode, any Any.Type)
  indirect case forceCast(PredicateNode, any Any.Type)

  // MARK: Optionals

  /// The first value, or the second one where the first is nil. The type is the first one's.
  indirect case nilCoalesce(PredicateNode, PredicateNode, of: any Any.Type)
  indirect case forcedUnwrap(PredicateNode)
  /// A value made of another one, to which a variable is bound, where that isn't nil.
  indirect case optionalFlatMap(
    PredicateNode, PredicateExpressions.VariableID, PredicateNode, as: any OptionalType.Type)

  // MARK: Arithmetic

  /// A sum, a difference or a product.
  indirect case arithmetic(PredicateNode, IntegerOperation, PredicateNode, of: any Numeric.Type)
  /// A quotient or a remainder.
  indirect case division(PredicateNode, IntegerOperation, PredicateNode, of: any Any.Type)
  indirect case unaryMinus(PredicateNode, of: any SignedNumeric.Type)

  // MARK: Sequences

  /// Whether a sequence contains a value.
  indirect case sequenceContains(PredicateNode, PredicateNode, by: any ElementSearching.Type)
  /// Whether an element of a sequence, to which a variable is bound, passes a test.
  indirect case sequenceContainsWhere(
    PredicateNode, PredicateExpressions.VariableID, PredicateNode, in: any Any.Type)
  indirect case sequenceAllSatisfy(
    PredicateNode, PredicateExpressions.VariableID, PredicateNode, in: any Any.Type)
  indirect case filter(
    PredicateNode, PredicateExpressions.VariableID, PredicateNode, in: any Any.Type)
  indirect case sequenceExtreme(SequenceExtreme, PredicateNode, in: any Any.Type)
  indirect case sequenceStartsWith(PredicateNode, PredicateNode, areTexts: Bool)
  indirect case collectionContains(PredicateNode, PredicateNode, areTexts: Bool)
  indirect case stringOperation(
    PredicateNode, PredicateNode, any _StringPredicateOperation.Type)

  // MARK: Ranges

  indirect case range(
    PredicateNode, PredicateNode, includesUpper: Bool, of: any Comparable.Type)
  /// Whether a range contains a value.
  indirect case rangeContains(PredicateNode, PredicateNode)

  // MARK: Others

  /// An operation that is carried out in memory only.
  indirect case inMemory(MemoryOperation, [PredicateNode])
  /// A node of a type that has no lowering.
  indirect case unknown(any PredicateExpression)

  /// A variable of a predicate that is a part of another one, and the variable that it stands for.
  package struct Replacement {
    package let parameter: PredicateExpressions.VariableID
    package let argument: PredicateExpressions.VariableID
  }

  package enum SequenceExtreme {
    case minimum, maximum
  }

  /// The raw values are the names of Foundation's nodes.
  package enum MemoryOperation: String {
    case stringContainsRegex = "StringContainsRegex"
    case collectionIndexSubscript = "CollectionIndexSubscript"
    case collectionRangeSubscript = "CollectionRangeSubscript"
    case dictionaryKeySubscript = "DictionaryKeySubscript"
    case dictionaryKeyDefaultValueSubscript = "DictionaryKeyDefaultValueSubscript"
  }
}

extension PredicateNode {
  /// The nodes that this node is made of. Those of an unknown node aren't known.
  package var parts: [PredicateNode] {
    switch self {
    case .value, .variable, .unknown: []
    case .negation(let part), .composed(let part, _), .keyPath(let part, _),
      .typeCheck(let part, _), .conditionalCast(let part, _), .forceCast(let part, _),
      .forcedUnwrap(let part), .unaryMinus(let part, _), .sequenceExtreme(_, let part, _):
      [part]
    case .conjunction(let left, let right), .disjunction(let left, let right),
      .equal(let left, let right, _), .notEqual(let left, let right, _),
      .comparison(let left, _, let right, _), .nilCoalesce(let left, let right, _),
      .optionalFlatMap(let left, _, let right, _), .arithmetic(let left, _, let right, _),
      .division(let left, _, let right, _), .sequenceContains(let left, let right, _),
      .sequenceContainsWhere(let left, _, let right, _),
      .sequenceAllSatisfy(let left, _, let right, _), .filter(let left, _, let right, _),
      .sequenceStartsWith(let left, let right, _), .collectionContains(let left, let right, _),
      .stringOperation(let left, let right, _), .range(let left, let right, _, _),
      .rangeContains(let left, let right):
      [left, right]
    case .conditional(let test, let yes, let no, _): [test, yes, no]
    case .inMemory(_, let parts): parts
    }
  }
}
