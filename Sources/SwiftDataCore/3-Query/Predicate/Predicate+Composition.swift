import Foundation

extension PredicateExpressions {
  /// The expression of a predicate as a part of another predicate, whose variables replace its own.
  public struct _Composed<Condition: PredicateExpression, each Input>: PredicateExpression
  where Condition.Output == Bool {
    public typealias Output = Bool

    public let condition: Condition
    /// The variables that the condition uses.
    public let parameter: (repeat Variable<each Input>)
    /// The variables that replace them.
    public let argument: (repeat Variable<each Input>)

    init(
      _ condition: Condition, _ parameter: repeat Variable<each Input>,
      standingFor argument: repeat Variable<each Input>
    ) {
      self.condition = condition
      self.parameter = (repeat each parameter)
      self.argument = (repeat each argument)
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try condition.evaluate(bound(bindings))
    }

    func bound(_ bindings: PredicateBindings) throws -> PredicateBindings {
      var bindings = bindings
      for (parameter, argument) in repeat (each parameter, each argument) {
        bindings = bindings.binding(parameter, to: try argument.evaluate(bindings))
      }
      return bindings
    }
  }
}

extension PredicateExpressions._Composed: Sendable where Condition: Sendable {}

extension PredicateExpressions._Composed: Codable where Condition: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(condition)
    repeat try container.encode(each parameter)
    repeat try container.encode(each argument)
  }

  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let condition = try container.decode(Condition.self)
    self.init(
      condition, repeat try container.decode(PredicateExpressions.Variable<each Input>.self),
      standingFor: repeat try container.decode(PredicateExpressions.Variable<each Input>.self))
  }
}

extension PredicateExpressions._Composed: StandardPredicateExpression
where Condition: StandardPredicateExpression {}

extension PredicateExpressions._Composed: CustomStringConvertible {
  public var description: String { "(\(condition))" }
}

extension Predicate {
  /// Makes a predicate that holds where all of `predicates` hold; without any predicates, it holds
  /// everywhere.
  public init(all predicates: some Sequence<Predicate<repeat each Input>>) {
    self.init(predicates, isConjunction: true)
  }

  /// Makes a predicate that holds where at least one of `predicates` holds; without any predicates,
  /// it holds nowhere.
  public init(any predicates: some Sequence<Predicate<repeat each Input>>) {
    self.init(predicates, isConjunction: false)
  }

  /// Makes the predicate that holds where `predicate` doesn't.
  public init(not predicate: Predicate<repeat each Input>) {
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      Self.negation(of: predicate.condition(about: repeat each variable))
    }
  }

  private init(
    _ predicates: some Sequence<Predicate<repeat each Input>>, isConjunction: Bool
  ) {
    let parts = Array(predicates)
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      var nodes: [any StandardPredicateExpression<Bool>] = []
      for predicate in parts { nodes.append(predicate.condition(about: repeat each variable)) }
      return Self.join(nodes[...], isConjunction: isConjunction)
    }
  }

  /// Joins the two halves, so that thousands of predicates make a tree of small depth.
  private static func join(
    _ nodes: ArraySlice<any StandardPredicateExpression<Bool>>, isConjunction: Bool
  ) -> any StandardPredicateExpression<Bool> {
    guard let first = nodes.first else { return PredicateExpressions.Value(isConjunction) }
    if nodes.count == 1 { return first }
    let middle = nodes.startIndex + nodes.count / 2
    return join(
      join(nodes[..<middle], isConjunction: isConjunction),
      join(nodes[middle...], isConjunction: isConjunction), isConjunction: isConjunction)
  }

  /// The expression with its variables replaced by those of another predicate.
  package func condition(
    about variable: repeat PredicateExpressions.Variable<each Input>
  ) -> any StandardPredicateExpression<Bool> {
    func open(
      _ condition: some StandardPredicateExpression<Bool>
    ) -> any StandardPredicateExpression<Bool> {
      PredicateExpressions._Composed(
        condition, repeat each self.variable, standingFor: repeat each variable)
    }
    return open(expression)
  }

  private static func join(
    _ left: some StandardPredicateExpression<Bool>,
    _ right: some StandardPredicateExpression<Bool>, isConjunction: Bool
  ) -> any StandardPredicateExpression<Bool> {
    if isConjunction { return PredicateExpressions.Conjunction(lhs: left, rhs: right) }
    return PredicateExpressions.Disjunction(lhs: left, rhs: right)
  }

  private static func negation(
    of part: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.Negation(part)
  }
}
