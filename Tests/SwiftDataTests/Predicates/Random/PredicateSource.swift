import SwiftData
import SwiftDataCore

/// Generates random expressions of the variables in scope.
struct PredicateSource {
  var choice: Choice
  let identifiers: [PersistentIdentifier]
  private(set) var root = PredicateExpressions.Variable<Creature>()
  private(set) var creatures: [Erased<Creature>] = []
  private(set) var keepers: [Erased<Keeper>] = []
  private(set) var marks: [Erased<Mark>] = []
  private(set) var integers: [Erased<Int>] = []

  init(_ choice: Choice, identifiers: [PersistentIdentifier]) {
    self.choice = choice
    self.identifiers = identifiers
  }

  mutating func predicate(depth: Int) -> Predicate<Creature> {
    Predicate<Creature> { variable in
      root = variable
      creatures = [Erased(variable)]
      return truth(depth)
    }
  }

  // MARK: - Scopes

  mutating func over<Result>(_ creature: Erased<Creature>, _ body: (inout Self) -> Result) -> Result
  {
    creatures.append(creature)
    defer { creatures.removeLast() }
    return body(&self)
  }

  mutating func over<Result>(_ keeper: Erased<Keeper>, _ body: (inout Self) -> Result) -> Result {
    keepers.append(keeper)
    defer { keepers.removeLast() }
    return body(&self)
  }

  mutating func over<Result>(_ mark: Erased<Mark>, _ body: (inout Self) -> Result) -> Result {
    marks.append(mark)
    defer { marks.removeLast() }
    return body(&self)
  }

  mutating func over<Result>(_ integer: Erased<Int>, _ body: (inout Self) -> Result) -> Result {
    integers.append(integer)
    defer { integers.removeLast() }
    return body(&self)
  }

  /// Returns mostly the innermost creature.
  mutating func creature() -> Erased<Creature> {
    choice.number(3) == 0 ? choice.one(of: creatures) : creatures[creatures.count - 1]
  }

  mutating func keeper() -> Erased<Keeper?> { creature().path(\.keeper) }

  // MARK: - Conditions

  mutating func truth(_ depth: Int) -> Erased<Bool> {
    if depth <= 0 { return leaf() }
    switch choice.number(16) {
    case 0...3:
      return Erased(Node.build_Conjunction(lhs: truth(depth - 1), rhs: truth(depth - 1)))
    case 4...7:
      return Erased(Node.build_Disjunction(lhs: truth(depth - 1), rhs: truth(depth - 1)))
    case 8: return Erased(Node.build_Negation(truth(depth - 1)))
    case 9: return .choice(truth(depth - 2), truth(depth - 1), truth(depth - 1))
    case 10: return truth(depth - 1).equals(truth(depth - 2), not: choice.truth())
    case 11: return optionalTruth(depth - 1).or(truth(depth - 1))
    case 12: return optionalTruth(depth - 1).equals(optionalTruth(depth - 2), not: choice.truth())
    case 13: return composed(depth - 1)
    default: return relation(depth - 1)
    }
  }

  /// Returns a predicate within a predicate, about the fetched creature.
  private mutating func composed(_ depth: Int) -> Erased<Bool> {
    let count = choice.number(3)
    let parts = (0..<count).map { _ in
      var source = PredicateSource(Choice(seed: choice.next()), identifiers: identifiers)
      return source.predicate(depth: depth - 1)
    }
    let whole = choice.truth() ? Predicate(all: parts) : Predicate(any: parts)
    return Erased(whole.condition(about: root))
  }

  mutating func optionalTruth(_ depth: Int) -> Erased<Bool?> {
    switch choice.number(7) {
    case 0: return creature().path(\.isShy)
    case 1: return .constant(choice.maybe { $0.truth() })
    case 2: return keeper().map { keeper in over(keeper) { $0.truth(depth - 1) } }
    case 3: return creature().path(\.parent).map { one in over(one) { $0.truth(depth - 1) } }
    case 4: return creature().path(\.parent).flatMap { $0.path(\.isShy) }
    case 5: return optionalInteger(1).map { number in over(number) { $0.truth(depth - 1) } }
    default:
      return creature().path(\.young).map { young in
        young.contains { one in over(one) { $0.truth(depth - 1) } }
      }
    }
  }
}
