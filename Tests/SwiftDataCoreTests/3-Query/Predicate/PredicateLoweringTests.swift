import Foundation
import Testing

@testable import SwiftDataCore

@Suite("The lowering of predicates")
struct PredicateLoweringTests {
  struct Item {
    var name: String
    var count: Int?
  }

  /// A node without a lowering.
  struct Opaque<Part: StandardPredicateExpression<Bool>>: StandardPredicateExpression {
    struct NotCoded: Error {}

    let part: Part

    init(_ part: Part) { self.part = part }

    func evaluate(_ bindings: PredicateBindings) throws -> Bool { try part.evaluate(bindings) }

    init(from decoder: any Decoder) throws { throw NotCoded() }
    func encode(to encoder: any Encoder) throws { throw NotCoded() }
  }

  @Test("keeps values, key paths, operators and variables")
  func tree() throws {
    let name = "a"
    let predicate = #Predicate<Item> { $0.name == name && !(($0.count ?? 0) > 1) }
    let lowered = try LoweredPredicate(predicate)
    guard case .conjunction(let left, let right) = lowered.node,
      case .equal(.keyPath(.variable(let variable), let keyPath), .value(let value), let type) =
        left,
      case .negation(.comparison(let number, let op, .value(let bound), _)) = right,
      case .nilCoalesce(.keyPath(_, let count), .value(let fallback), of: _) = number
    else {
      Issue.record("The tree is another one: \(lowered.node)")
      return
    }
    #expect(variable == lowered.variable && keyPath == \Item.name && count == \Item.count)
    #expect(value as? String == "a" && type == String.self)
    #expect(op == .greaterThan && bound as? Int == 1 && fallback as? Int == 0)
  }

  @Test("keeps a node of another type as it is, the nodes around it have cases")
  func unknownNode() throws {
    let predicate = Predicate<Item> { item in
      let name = PredicateExpressions.build_KeyPath(root: item, keyPath: \Item.name)
      return PredicateExpressions.build_Negation(
        Opaque(
          PredicateExpressions.build_Equal(lhs: name, rhs: PredicateExpressions.build_Arg("a"))))
    }
    guard case .negation(.unknown(let node)) = try LoweredPredicate(predicate).node else {
      Issue.record("The node isn't unknown.")
      return
    }
    #expect(NodeName.of(type(of: node)) == "Opaque")
    #expect(try PredicateKeyPaths(predicate).found == [\Item.name])
  }

  @Test("replaces no variable of a composed predicate, but names the replacements")
  func composition() throws {
    let part = #Predicate<Item> { $0.name == "a" }
    let lowered = try LoweredPredicate(Predicate(all: [part]))
    guard
      case .composed(.equal(.keyPath(.variable(let inner), _), _, _), let replacements) =
        lowered.node
    else {
      Issue.record("The tree is another one: \(lowered.node)")
      return
    }
    #expect(inner == part.variable.key)
    #expect(replacements.map(\.parameter) == [inner])
    #expect(replacements.map(\.argument) == [lowered.variable])
  }
}
