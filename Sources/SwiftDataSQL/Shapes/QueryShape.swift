import Foundation
import SwiftDataCore

/// The inputs that determine the SQL of a fetch: the compared properties, the comparisons, and the
/// order. The constants that the properties are compared with are stored separately; one walk over
/// the predicate collects both.
///
/// Two fetches of one shape have the same SQL and differ only in the bindings. A fetch has a shape only where this is
/// certain: attributes compared with constants whose SQL is a parameter whatever their value, joined by `&&`, `||` and
/// `!`. All other fetches are translated each time.
package struct QueryShape {
  /// The type of the expression, addresses of key paths, the nodes, and the words that the caller
  /// adds.
  package private(set) var words: [UInt] = []
  /// The values of the parameters, in their order in the SQL.
  package private(set) var constants: [SQLValue] = []
  /// A bit mask of the words that are key paths.
  private var keyPathWords: UInt64 = 0
  /// Whether everything so far has a shape.
  package private(set) var isCertain = true
  /// The last nodes, four bits each, that aren't among the words yet.
  private var nodes: UInt = 0
  private var nodeCount = 0

  package init() { words.reserveCapacity(16) }

  /// Adds a number that the SQL depends on.
  package mutating func append(_ word: UInt) { words.append(word) }

  /// Adds an object that the SQL depends on, and that lives as long as the shape is used.
  package mutating func append(_ object: AnyObject) {
    words.append(UInt(bitPattern: ObjectIdentifier(object)))
  }

  private mutating func append(keyPath: AnyKeyPath) {
    guard words.count < UInt64.bitWidth else { return markUncertain() }
    keyPathWords |= 1 << UInt64(words.count)
    append(keyPath)
  }

  private mutating func append(_ node: Node) {
    nodes = nodes << 4 | node.rawValue
    nodeCount += 1
    if nodeCount == UInt.bitWidth / 4 { appendNodes() }
  }

  private mutating func appendNodes() {
    append(nodes)
    nodes = 0
    nodeCount = 0
  }

  private mutating func markUncertain() { isCertain = false }

  /// The key paths of the shape. A holder of the shape must also hold the key paths, so that no other key path gets the
  /// address of one of them. Call this while the recorded objects are alive.
  package var keyPaths: [AnyKeyPath] {
    words.indices.compactMap { index in
      guard index < UInt64.bitWidth, keyPathWords & (1 << UInt64(index)) != 0 else { return nil }
      return UnsafeRawPointer(bitPattern: words[index]).map {
        Unmanaged<AnyKeyPath>.fromOpaque($0).takeUnretainedValue()
      }
    }
  }

  // MARK: - Predicates

  /// The nodes that have a shape. The zero is a place without a node.
  private enum Node: UInt {
    case conjunction = 1
    case disjunction, negation, truth
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// Before a comparison whose first operand is the constant.
    case mirrored

    init?(_ op: PredicateExpressions.ComparisonOperator) {
      switch op {
      case .lessThan: self = .less
      case .lessThanOrEqual: self = .lessOrEqual
      case .greaterThan: self = .greater
      case .greaterThanOrEqual: self = .greaterOrEqual
      @unknown default: return nil
      }
    }
  }

  /// Adds a predicate.
  package mutating func append(_ predicate: LoweredPredicate) {
    append(UInt(bitPattern: predicate.type))
    record(predicate.node, predicate.variable)
    appendNodes()
  }

  /// Adds a truth value whose SQL is known without the values of its constants.
  private mutating func record(
    _ node: PredicateNode, _ variable: PredicateExpressions.VariableID
  ) {
    guard isCertain else { return }
    switch node {
    case .conjunction(let left, let right):
      append(.conjunction)
      record(left, variable)
      record(right, variable)
    case .disjunction(let left, let right):
      append(.disjunction)
      record(left, variable)
      record(right, variable)
    case .negation(let part):
      append(.negation)
      record(part, variable)
    case .equal(let left, let right, _): record(.equal, left, right, variable)
    case .notEqual(let left, let right, _): record(.notEqual, left, right, variable)
    case .comparison(let left, let op, let right, _):
      guard let comparison = Node(op) else { return markUncertain() }
      record(comparison, left, right, variable)
    case .keyPath(.variable(variable), let keyPath):
      guard type(of: keyPath).valueType == Bool.self else { return markUncertain() }
      append(.truth)
      append(keyPath: keyPath)
    // Including the variable of another predicate, which a predicate that was built manually may
    // contain.
    case .keyPath, .value, .variable, .conditional, .composed, .typeCheck, .conditionalCast,
      .forceCast, .nilCoalesce, .forcedUnwrap, .optionalFlatMap, .arithmetic, .division,
      .unaryMinus, .sequenceContains, .sequenceContainsWhere, .sequenceAllSatisfy, .filter,
      .sequenceExtreme, .sequenceStartsWith, .collectionContains, .stringOperation, .range,
      .rangeContains, .inMemory, .unknown:
      markUncertain()
    }
  }

  /// Adds the comparison of an attribute of the fetched model with a constant. Two constants are
  /// folded, and two attributes are compared by the rules of both.
  private mutating func record(
    _ comparison: Node, _ left: PredicateNode, _ right: PredicateNode,
    _ variable: PredicateExpressions.VariableID
  ) {
    let isEquality = comparison == .equal || comparison == .notEqual
    switch (left, right) {
    case (.keyPath(.variable(variable), let keyPath), .value(let value)):
      append(comparison)
      append(keyPath: keyPath)
      append(constant: value, isEquality)
    case (.value(let value), .keyPath(.variable(variable), let keyPath)):
      append(.mirrored)
      append(comparison)
      append(keyPath: keyPath)
      append(constant: value, isEquality)
    default: markUncertain()
    }
  }

  private mutating func append(constant value: Any, _ isEquality: Bool) {
    guard let constant = ShapedConstants.parameter(value, isEquality: isEquality) else {
      return markUncertain()
    }
    constants.append(constant)
  }

  // MARK: - Order

  /// Adds an order.
  package mutating func append<Model: PersistentModel>(_ sort: [SortDescriptor<Model>]) {
    append(UInt(sort.count))
    // Iterating an empty list of a type that is generic here costs as much as hashing the whole shape.
    guard sort.count > 0 else { return }
    for descriptor in sort {
      guard let keyPath = descriptor.keyPath else { return markUncertain() }
      append(keyPath: keyPath)
      append(descriptor.order == .forward ? 0 : 1)
      guard let comparator = descriptor.stringComparator else {
        append(0)
        continue
      }
      switch StringOrder(comparator) {
      case .lexical: append(1)
      case .localizedStandard: append(2)
      case .localized: append(3)
      case nil: markUncertain()
      }
    }
  }
}
