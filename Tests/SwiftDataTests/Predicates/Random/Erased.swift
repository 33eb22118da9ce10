import Foundation

@testable import SwiftDataCore

/// An expression with an erased type, of which only the type of the value is known, so that
/// expressions can be composed at random. In memory and in SQL it is equivalent to the expression
/// that it contains.
struct Erased<Output>: StandardPredicateExpression {
  struct NotCoded: Error {}

  let base: any StandardPredicateExpression<Output>

  init(_ base: some StandardPredicateExpression<Output>) { self.base = base }

  func evaluate(_ bindings: PredicateBindings) throws -> Output { try base.evaluate(bindings) }

  init(from decoder: any Decoder) throws { throw NotCoded() }
  func encode(to encoder: any Encoder) throws { throw NotCoded() }
}

extension Erased: LowerableExpression {
  // The type doesn't reveal the contained expression.
  static var parts: [any PredicateExpression.Type] { [] }

  func checked() -> Checked<Output> { base.checkedNode() }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode { lowering.node(base) }
}

// MARK: - Composing expressions

typealias Node = PredicateExpressions

extension Erased {
  func path<Member>(_ keyPath: any KeyPath<Output, Member> & Sendable) -> Erased<Member> {
    Erased<Member>(Node.build_KeyPath(root: self, keyPath: keyPath))
  }

  func or<Wrapped>(_ fallback: Erased<Wrapped>) -> Erased<Wrapped> where Output == Wrapped? {
    Erased<Wrapped>(Node.build_NilCoalesce(lhs: self, rhs: fallback))
  }

  /// Returns `optional?.…` with a value at the end.
  func map<Wrapped, Result>(
    _ transform: (Erased<Wrapped>) -> Erased<Result>
  ) -> Erased<Result?> where Output == Wrapped? {
    Erased<Result?>(Node.build_flatMap(self) { transform(Erased<Wrapped>($0)) })
  }

  /// Returns `optional?.…` with an optional value at the end.
  func flatMap<Wrapped, Result>(
    _ transform: (Erased<Wrapped>) -> Erased<Result?>
  ) -> Erased<Result?> where Output == Wrapped? {
    Erased<Result?>(
      Node.OptionalFlatMap<_, _, _, Result>(self) { transform(Erased<Wrapped>($0)) })
  }

  func forced<Wrapped>() -> Erased<Wrapped> where Output == Wrapped? {
    Erased<Wrapped>(Node.build_ForcedUnwrap(self))
  }

  func equals(_ other: Erased<Output>, not: Bool) -> Erased<Bool> where Output: Equatable {
    not
      ? Erased<Bool>(Node.build_NotEqual(lhs: self, rhs: other))
      : Erased<Bool>(Node.build_Equal(lhs: self, rhs: other))
  }

  func compares(
    _ op: Node.ComparisonOperator, _ other: Erased<Output>
  ) -> Erased<Bool> where Output: Comparable {
    Erased<Bool>(Node.build_Comparison(lhs: self, rhs: other, op: op))
  }

  static func constant(_ value: Output) -> Erased where Output: Codable & Sendable {
    Erased(Node.build_Arg(value))
  }

  static func choice(_ test: Erased<Bool>, _ yes: Erased, _ no: Erased) -> Erased {
    Erased(Node.build_Conditional(test, yes, no))
  }
}

extension Erased where Output: Sequence {
  func contains(
    where test: (Erased<Output.Element>) -> Erased<Bool>
  ) -> Erased<Bool> {
    Erased<Bool>(Node.build_contains(self, where: { test(Erased<Output.Element>($0)) }))
  }

  func allSatisfy(_ test: (Erased<Output.Element>) -> Erased<Bool>) -> Erased<Bool> {
    Erased<Bool>(Node.build_allSatisfy(self) { test(Erased<Output.Element>($0)) })
  }

  func filter(
    _ test: (Erased<Output.Element>) -> Erased<Bool>
  ) -> Erased<[Output.Element]> {
    Erased<[Output.Element]>(Node.build_filter(self) { test(Erased<Output.Element>($0)) })
  }

  func includes(_ element: Erased<Output.Element>) -> Erased<Bool>
  where Output.Element: Equatable {
    Erased<Bool>(Node.build_contains(self, element))
  }
}
