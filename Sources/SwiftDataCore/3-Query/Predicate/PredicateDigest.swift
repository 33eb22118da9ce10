import Foundation
@_spi(Reflection) import Swift

/// The content of a predicate as text, which is equal for predicates with equal content while the program runs.
///
/// `Predicate.description` ends the process when it meets a node that isn't Foundation's own, such as
/// `localizedStandardContains` here, so this type walks the nodes by reflection. Captured values are included by their
/// own reflection; variables by the order of their first occurrence, because their numbers differ each time. Pending
/// nodes are in a list rather than on the stack: predicates may be deeply nested. A node contains all of its parts, so
/// nodes are read in place: copying each of them would take time in proportion to the square of the depth. Descriptions
/// of dates and bytes leave parts out, so these are added exactly.
package enum PredicateDigest {
  package static func text<each Input>(of predicate: Predicate<repeat each Input>) -> String {
    func open<Root: PredicateExpression>(_ root: Root) -> String {
      var walk = Walk()
      withUnsafePointer(to: root) { walk.append(.field($0, Root.self)) }
      return walk.text
    }
    return open(predicate.expression)
  }

  private enum Step {
    /// A field of a node of known structure, by its address and type.
    case field(UnsafeRawPointer, any Any.Type)
    case value(Any)
    case end
  }

  private struct Walk {
    var text = ""
    private var variables: [PredicateExpressions.VariableID: Int] = [:]

    mutating func append(_ first: Step) {
      var steps = [first]
      while let step = steps.popLast() {
        switch step {
        case .end: text += "),"
        case .field(let place, let type as any LowerableExpression.Type):
          begin(type)
          steps.append(.end)
          steps += Self.fields(of: type, at: place).reversed()
        case .field(let place, let type): steps.append(.value(Self.value(of: type, at: place)))
        case .value(let node as any PredicateExpression):
          begin(type(of: node))
          steps.append(.end)
          steps += Mirror(reflecting: node).children.map { .value($0.value) }.reversed()
        case .value(let captured as any CapturedExpression):
          begin(type(of: captured))
          steps += [.end, .value(captured.body)]
        case .value(let leaf):
          let mirror = Mirror(reflecting: leaf)
          if mirror.displayStyle == .tuple {
            // The nodes of a parameter pack.
            text += "("
            steps.append(.end)
            steps += mirror.children.map { .value($0.value) }.reversed()
          } else {
            append(leaf: leaf)
            text += ","
          }
        }
      }
    }

    private mutating func begin(_ type: any Any.Type) {
      text += "\(NodeName.of(type))<\(UInt(bitPattern: ObjectIdentifier(type)))>("
    }

    private static func fields(of type: any Any.Type, at place: UnsafeRawPointer) -> [Step] {
      var fields: [Step] = []
      _ = _forEachField(of: type) { _, offset, type, _ in
        fields.append(.field(place + offset, type))
        return true
      }
      return fields
    }

    private static func value(of type: any Any.Type, at place: UnsafeRawPointer) -> Any {
      func open<Value>(_ type: Value.Type) -> Any {
        place.assumingMemoryBound(to: Value.self).pointee
      }
      return _openExistential(type, do: open)
    }

    private mutating func append(leaf value: Any) {
      switch value {
      case let id as PredicateExpressions.VariableID:
        let position = variables[id] ?? variables.count
        variables[id] = position
        text += "$\(position)"
      case let keyPath as AnyKeyPath: text += "\(keyPath)#\(keyPath.hashValue)"
      default:
        text += String(reflecting: value)
        append(hiddenIn: value)
      }
    }

    /// Appends the dates and bytes in a captured value.
    private mutating func append(hiddenIn value: Any) {
      var waiting = [value]
      while let next = waiting.popLast() {
        switch next {
        case let date as Date: text += "@\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case let data as Data: text += "#\(data.base64EncodedString())"
        // The most common values have none.
        case is String, is Int, is Double, is Bool, is UUID, is [String], is [Int], is Set<String>,
          is Set<Int>:
          break
        default:
          let mirror = Mirror(reflecting: next)
          if mirror.displayStyle != .class { waiting += mirror.children.map(\.value).reversed() }
        }
      }
    }
  }
}

/// An expression or a predicate as a captured value. Describing it could end the process.
private protocol CapturedExpression {
  var body: any PredicateExpression { get }
}

extension Expression: CapturedExpression {
  fileprivate var body: any PredicateExpression { expression }
}

extension Predicate: CapturedExpression {
  fileprivate var body: any PredicateExpression { expression }
}
