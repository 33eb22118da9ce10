import Foundation

/// What a predicate says, as text that is equal for predicates that say the same, as long as the program runs.
///
/// `Predicate.description` ends the process when it meets a node that isn't Foundation's own, such
/// as `localizedStandardContains` here, so this walks the nodes by reflection. Captured values
/// enter by their own reflection; variables by the order in which they are met, because their
/// numbers differ each time. Nodes wait in a list rather than on the stack: predicates may be
/// nested deep.
package enum PredicateDigest {
  package static func text<each Input>(of predicate: Predicate<repeat each Input>) -> String {
    var walk = Walk()
    walk.append(predicate.expression)
    return walk.text
  }

  private struct Walk {
    private enum Step {
      case value(Any)
      case end
    }

    var text = ""
    private var variables: [PredicateExpressions.VariableID] = []

    mutating func append(_ value: Any) {
      var steps = [Step.value(value)]
      while let step = steps.popLast() {
        switch step {
        case .end: text += "),"
        case .value(let node as any PredicateExpression):
          let type = type(of: node)
          text += "\(NodeName.of(type))<\(UInt(bitPattern: ObjectIdentifier(type)))>("
          steps.append(.end)
          steps += Mirror(reflecting: node).children.map { .value($0.value) }.reversed()
        case .value(let leaf):
          append(leaf: leaf)
          text += ","
        }
      }
    }

    private mutating func append(leaf value: Any) {
      switch value {
      case let id as PredicateExpressions.VariableID:
        let position = variables.firstIndex(of: id) ?? variables.endIndex
        if position == variables.endIndex { variables.append(id) }
        text += "$\(position)"
      case let keyPath as AnyKeyPath: text += "\(keyPath)#\(keyPath.hashValue)"
      default: text += String(reflecting: value)
      }
    }
  }
}
