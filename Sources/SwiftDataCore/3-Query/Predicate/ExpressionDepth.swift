import Foundation
import Synchronization

/// The nesting depth of a predicate's nodes, and a check whether the thread's stack has room for it.
///
/// A node is a value of a generic type over the types of its parts. Foundation, the Swift runtime and this framework go
/// from a node to its parts by recursion, so a predicate that a program nests in a loop could exhaust the stack.
package enum ExpressionDepth {
  /// The number of levels for which every stack has room.
  package static let certain = 40

  #if DEBUG
    /// The maximum stack that one level takes, in bytes, in addition to copies of the node. Measured for eight shapes
    /// of predicates on stacks of 512 KiB to 8 MiB, and by the frames of the translation of `??`, the largest.
    private static let bytesPerLevel = 9_216
  #else
    private static let bytesPerLevel = 3_072
  #endif
  /// The stack, in bytes, for calls at the deepest level, including SQLite's.
  private static let reserve = 64 << 10

  /// The depths by type. Types are never freed.
  private static let known = Mutex<[ObjectIdentifier: Int]>([:])

  /// The number of nodes on the longest path from a node to a leaf.
  package static func of<Expression: PredicateExpression>(_ type: Expression.Type) -> Int {
    let key = ObjectIdentifier(type)
    if let depth = known.withLock({ $0[key] }) { return depth }
    let depth = measured(type)
    known.withLock { $0[key] = depth }
    return depth
  }

  private static func measured(_ type: any PredicateExpression.Type) -> Int {
    var deepest = 0
    var waiting: [(type: any PredicateExpression.Type, depth: Int)] = [(type, 1)]
    while let (next, depth) = waiting.popLast() {
      deepest = max(deepest, depth)
      guard let node = next as? any LowerableExpression.Type else { continue }
      for part in node.parts { waiting.append((part, depth + 1)) }
    }
    return deepest
  }

  /// - Parameter levels: The number of nodes that enclose the expression.
  /// - Returns: ``SwiftDataError/unsupportedPredicate`` with an explanation when the stack of this thread is too small
  ///   for the expression, otherwise nil.
  package static func failure(
    of expression: some PredicateExpression, inside levels: Int = 0
  ) -> SwiftDataError? {
    failure(of: expression, depth: levels + of(type(of: expression)))
  }

  private static func failure<Expression: PredicateExpression>(
    of expression: Expression, depth: Int
  ) -> SwiftDataError? {
    guard depth > certain else { return nil }
    // A node contains its parts, and each level of a recursion copies its parts: on average half of the whole
    // expression, perhaps twice.
    let perLevel = bytesPerLevel + MemoryLayout<Expression>.size
    let room = ThreadStack.room
    guard room < depth * perLevel + reserve else { return nil }
    return .unsupportedPredicate.explained(
      "The predicate is nested \(depth) levels deep, for which the stack of this thread has no room. Join"
        + " conditions with Predicate(all:) or Predicate(any:), which nest little, or use a thread with a"
        + " stack of \((depth * perLevel + reserve) >> 20 + 1) MiB.")
  }
}
