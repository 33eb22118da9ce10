import SwiftData

// Numbers, texts and their optionals.

extension PredicateSource {
  mutating func integer(_ depth: Int) -> Erased<Int> {
    if depth <= 0 {
      if !integers.isEmpty, choice.truth() { return choice.one(of: integers) }
      return choice.truth() ? creature().path(\.count) : .constant(choice.integer())
    }
    switch choice.number(18) {
    case 0, 1: return creature().path(\.count)
    case 2: return .constant(choice.integer())
    case 3, 4: return optionalInteger(depth - 1).or(integer(depth - 1))
    case 5, 6:
      let op = choice.one(of: [.add, .subtract, .multiply] as [Node.ArithmeticOperator])
      return Erased(
        Node.build_Arithmetic(lhs: integer(depth - 1), rhs: integer(depth - 1), op: op))
    case 7: return Erased(Node.build_Division(lhs: integer(depth - 1), rhs: integer(depth - 1)))
    case 8: return Erased(Node.build_Remainder(lhs: integer(depth - 1), rhs: integer(depth - 1)))
    case 9: return Erased(Node.build_UnaryMinus(integer(depth - 1)))
    case 10: return .choice(truth(depth - 1), integer(depth - 1), integer(depth - 1))
    case 11: return optionalInteger(depth - 1).forced()
    case 12: return text(depth - 1).path(\.count)
    case 13: return creature().path(\.numbers).path(\.count)
    case 14: return creature().path(\.marks).path(\.count)
    case 15:
      return creature().path(\.friends).filter { one in over(one) { $0.truth(depth - 1) } }
        .path(\.count)
    case 16: return creature().path(\.young).map { $0.path(\.count) }.or(integer(0))
    default:
      return creature().path(\.numbers).filter { one in over(one) { $0.truth(depth - 1) } }
        .path(\.count)
    }
  }

  mutating func optionalInteger(_ depth: Int) -> Erased<Int?> {
    switch choice.number(depth <= 0 ? 3 : 11) {
    case 0, 1: return creature().path(\.rank)
    case 2: return .constant(choice.maybe { $0.integer() })
    case 3: return keeper().flatMap { $0.path(\.age) }
    case 4: return keeper().flatMap { $0.path(\.badge).map { $0.path(\.number) } }
    case 5: return Erased(Node.build_min(creature().path(\.numbers)))
    case 6: return Erased(Node.build_max(creature().path(\.numbers)))
    case 7: return optionalInteger(depth - 1).map { one in over(one) { $0.integer(depth - 1) } }
    case 8: return keeper().map { $0.path(\.creatures).path(\.count) }
    case 9:
      return Erased(
        Node.build_subscript(
          creature().path(\.scores), Erased<String>.constant(choice.text())))
    default: return creature().path(\.parent).flatMap { $0.path(\.rank) }
    }
  }

  mutating func real(_ depth: Int) -> Erased<Double> {
    switch choice.number(depth <= 0 ? 3 : 9) {
    case 0, 1: return creature().path(\.size)
    case 2: return .constant(choice.real())
    case 3: return optionalReal(depth - 1).or(real(depth - 1))
    case 4:
      let op = choice.one(of: [.add, .subtract, .multiply] as [Node.ArithmeticOperator])
      return Erased(Node.build_Arithmetic(lhs: real(depth - 1), rhs: real(depth - 1), op: op))
    case 5: return Erased(Node.build_Division(lhs: real(depth - 1), rhs: real(depth - 1)))
    case 6: return Erased(Node.build_UnaryMinus(real(depth - 1)))
    case 7: return creature().path(\.born).path(\.timeIntervalSinceReferenceDate)
    default: return .choice(truth(depth - 1), real(depth - 1), real(depth - 1))
    }
  }

  mutating func optionalReal(_ depth: Int) -> Erased<Double?> {
    switch choice.number(4) {
    case 0: return creature().path(\.depth)
    case 1: return creature().path(\.den).path(\.depth)
    case 2: return creature().path(\.nest).flatMap { $0.path(\.depth) }
    default: return .constant(choice.maybe { $0.real() })
    }
  }

  mutating func text(_ depth: Int) -> Erased<String> {
    if !marks.isEmpty, choice.number(3) == 0 { return choice.one(of: marks).path(\.text) }
    if !keepers.isEmpty, choice.number(3) == 0 { return choice.one(of: keepers).path(\.name) }
    switch choice.number(depth <= 0 ? 4 : 8) {
    case 0, 1: return creature().path(\.name)
    case 2: return .constant(choice.text())
    case 3: return creature().path(\.den).path(\.name)
    case 4: return creature().path(\.diet).path(\.rawValue)
    case 5: return optionalText(depth - 1).forced()
    case 6: return .choice(truth(depth - 1), text(depth - 1), text(depth - 1))
    default: return optionalText(depth - 1).or(text(depth - 1))
    }
  }

  mutating func optionalText(_ depth: Int) -> Erased<String?> {
    switch choice.number(9) {
    case 0, 1: return creature().path(\.note)
    case 2: return creature().path(\.nest).map { $0.path(\.name) }
    case 3: return creature().path(\.nest).flatMap { $0.path(\.note) }
    case 4: return keeper().map { $0.path(\.name) }
    case 5: return creature().path(\.parent).flatMap { $0.path(\.keeper).map { $0.path(\.name) } }
    case 6: return creature().path(\.treat).map { $0.path(\.rawValue) }
    case 7: return creature().path(\.words).path(\.first)
    default: return .constant(choice.maybe { $0.text() })
    }
  }
}
