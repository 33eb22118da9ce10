import Foundation
import SwiftDataCore
import Synchronization

/// The inputs that determine the SQL of a fetch: the compared properties, the comparisons, and the order. The constants
/// that the properties are compared with are stored separately.
///
/// Two fetches of one shape have the same SQL and differ only in the bindings. A fetch has a shape only where this is
/// certain: attributes compared with constants whose SQL is a parameter whatever their value, joined by `&&`, `||` and
/// `!`. All other fetches are translated each time.
package struct QueryShape {
  /// The type of the expression, addresses of key paths, operators, and the words that the caller adds.
  package private(set) var words: [UInt] = []
  /// The values of the parameters, in their order in the SQL.
  package private(set) var constants: [SQLValue] = []
  /// A bit mask of the words that are key paths.
  private var keyPathWords: UInt64 = 0
  /// Whether everything so far has a shape.
  private(set) var isCertain = true
  /// The variable of the current predicate.
  private(set) var variable: PredicateExpressions.VariableID?

  init() { words.reserveCapacity(16) }

  /// The shape of a fetch of whole models; nil when its SQL may depend on more than the shape.
  ///
  /// - Parameter order: Returns the sort descriptors; called when there are any.
  package init?<Model: PersistentModel>(
    _ summary: _FetchSummary, of plan: EntityPlan, order: () -> [SortDescriptor<Model>]
  ) {
    self.init()
    append(plan)
    append(UInt(bitPattern: summary.limit ?? -1))
    append(UInt(bitPattern: summary.offset ?? -1))
    append(UInt(summary.sortCount))
    if summary.sortCount > 0 { append(order()) }
    if let expression = summary.expression {
      variable = summary.variable
      record(expression)
    }
    guard isCertain else { return nil }
  }

  /// Adds a number that the SQL depends on.
  mutating func append(_ word: UInt) { words.append(word) }

  /// Adds an object that the SQL depends on, and that lives as long as the shape is used.
  mutating func append(_ object: AnyObject) {
    words.append(UInt(bitPattern: ObjectIdentifier(object)))
  }

  mutating func append(keyPath: AnyKeyPath) {
    guard words.count < UInt64.bitWidth else { return markUncertain() }
    keyPathWords |= 1 << UInt64(words.count)
    append(keyPath)
  }

  mutating func append(constant: SQLValue?) {
    guard let constant else { return markUncertain() }
    constants.append(constant)
  }

  mutating func markUncertain() { isCertain = false }

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

  private mutating func record<Expression: PredicateExpression>(_ expression: Expression) {
    guard let type = ShapedTypes.shaped(Expression.self) else { return markUncertain() }
    words.append(UInt(bitPattern: ObjectIdentifier(Expression.self)))
    withUnsafePointer(to: expression) { record(UnsafeRawPointer($0), as: type) }
  }

  /// - Parameter expression: An expression of the type, whose conformance has just been checked.
  private mutating func record<Expression: ShapedTruth>(
    _ expression: UnsafeRawPointer, as type: Expression.Type
  ) {
    expression.assumingMemoryBound(to: type).pointee.record(in: &self)
  }

  // MARK: - Order

  /// Adds an order.
  private mutating func append<Model: PersistentModel>(_ sort: [SortDescriptor<Model>]) {
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

/// The types of expressions that have a shape. A runtime query for a conformance costs as much as a translation, so the
/// result is cached for each type.
private enum ShapedTypes {
  private struct Answer: @unchecked Sendable {
    // Unchecked: the conformances are this module's and isolated to nothing.
    let type: (any ShapedTruth.Type)?
  }

  private static let answers = Mutex<[ObjectIdentifier: Answer]>([:])

  /// The depth of types up to which the runtime is queried: it finds the conformances of parts by recursion.
  private static let deepest = 64

  static func shaped<Expression: PredicateExpression>(
    _ type: Expression.Type
  ) -> (any ShapedTruth.Type)? {
    let key = ObjectIdentifier(type)
    if let known = answers.withLock({ $0[key] }) { return known.type }
    let isDeep = ExpressionDepth.of(type) > deepest
    let answer = Answer(type: isDeep ? nil : type as? any ShapedTruth.Type)
    answers.withLock { $0[key] = answer }
    return answer.type
  }
}
