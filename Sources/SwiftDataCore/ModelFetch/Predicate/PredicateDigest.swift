import Foundation

/// What a predicate says, as text that is equal for predicates that say the same.
///
/// `Predicate.description` ends the process when it meets a node that isn't Foundation's own, such
/// as `localizedStandardContains` here, so this walks the nodes by reflection. Captured values
/// enter by their own reflection; variables by the order in which they are met, because their
/// numbers differ each time.
package enum PredicateDigest {
  package static func text<each Input>(of predicate: Predicate<repeat each Input>) -> String {
    var walk = Walk()
    walk.append(predicate.expression)
    return walk.text
  }

  private struct Walk {
    var text = ""
    private var variables: [PredicateExpressions.VariableID] = []
    private var depth = 0

    mutating func append(_ value: Any) {
      switch value {
      case let id as PredicateExpressions.VariableID:
        let position = variables.firstIndex(of: id) ?? variables.endIndex
        if position == variables.endIndex { variables.append(id) }
        text += "$\(position)"
      case let keyPath as AnyKeyPath: text += "\(keyPath)#\(keyPath.hashValue)"
      case let node as any PredicateExpression: append(node)
      default: text += String(reflecting: value)
      }
    }

    private mutating func append(_ node: any PredicateExpression) {
      text += String(reflecting: type(of: node)) + "("
      depth += 1
      // Deeper than any predicate that the compiler takes.
      if depth < 1_000 {
        for child in Mirror(reflecting: node).children {
          append(child.value)
          text += ","
        }
      }
      depth -= 1
      text += ")"
    }
  }
}
