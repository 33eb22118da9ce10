import SwiftData

// Conditions without nested conditions, except for the closures of lists.

extension PredicateSource {
  private mutating func op() -> Node.ComparisonOperator {
    choice.one(of: [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
  }

  private mutating func not() -> Bool { choice.truth() }

  mutating func leaf() -> Erased<Bool> {
    switch choice.number(12) {
    case 0...2: return numberLeaf()
    case 3...5: return textLeaf()
    case 6, 7: return typeLeaf()
    case 8, 9: return listLeaf()
    default: return relationLeaf()
    }
  }

  private mutating func numberLeaf() -> Erased<Bool> {
    switch choice.number(11) {
    case 0: return integer(2).compares(op(), integer(2))
    case 1: return integer(1).equals(integer(2), not: not())
    case 2: return optionalInteger(1).equals(optionalInteger(2), not: not())
    case 3: return real(2).compares(op(), real(1))
    case 4: return real(1).equals(real(2), not: not())
    case 5: return optionalReal(1).equals(optionalReal(1), not: not())
    case 6: return creature().path(\.small).compares(op(), smallNumber())
    case 7: return creature().path(\.big).compares(op(), .constant(choice.big()))
    case 8: return creature().path(\.ratio).compares(op(), .constant(choice.float()))
    case 9: return range()
    default: return creature().path(\.price).compares(op(), .constant(choice.price()))
    }
  }

  private mutating func smallNumber() -> Erased<Int8> {
    let number = Erased<Int8>.constant(choice.small())
    guard choice.truth() else { return number }
    return Erased(
      Node.build_Arithmetic(lhs: creature().path(\.small), rhs: number, op: .add))
  }

  private mutating func range() -> Erased<Bool> {
    switch choice.number(5) {
    case 0:
      let bounds = [choice.integer(), choice.integer()].sorted()
      return Erased(
        Node.build_contains(Node.build_Arg(bounds[0]...bounds[1]), integer(1)))
    case 1:
      return Erased(
        Node.build_contains(Node.build_Range(lower: integer(0), upper: integer(1)), integer(1)))
    case 2:
      return Erased(
        Node.build_contains(Node.build_ClosedRange(lower: real(0), upper: real(1)), real(1)))
    case 3:
      let start = choice.date()
      // The standard library traps on a range that starts at NaN.
      guard start == start else { return .constant(false) }
      return Erased(Node.build_contains(Node.build_Arg(start...), date()))
    default:
      let texts = [choice.text(), choice.text()].sorted()
      guard texts[0] <= texts[1] else { return .constant(true) }
      return Erased(Node.build_contains(Node.build_Arg(texts[0]..<texts[1]), text(1)))
    }
  }

  private mutating func textLeaf() -> Erased<Bool> {
    switch choice.number(9) {
    case 0: return text(1).equals(text(2), not: not())
    case 1: return text(1).compares(op(), text(1))
    case 2: return optionalText(1).equals(optionalText(1), not: not())
    case 3: return Erased(Node.build_contains(text(1), text(0)))
    case 4: return Erased(Node.build_starts(text(1), with: text(0)))
    case 5: return Erased(Node.build_localizedStandardContains(text(1), text(0)))
    case 6: return text(1).path(\.isEmpty)
    case 7:
      let order = choice.one(of: [.orderedAscending, .orderedSame] as [ComparisonResult])
      return Erased(
        Node.build_Equal(
          lhs: Node.build_caseInsensitiveCompare(text(1), text(0)), rhs: Node.Value(order)))
    default:
      let order = choice.one(of: [.orderedAscending, .orderedSame] as [ComparisonResult])
      return Erased(
        Node.build_Equal(
          lhs: Node.build_localizedCompare(text(1), text(0)), rhs: Node.Value(order)))
    }
  }

  private mutating func date() -> Erased<Date> {
    switch choice.number(3) {
    case 0: return creature().path(\.born)
    case 1: return creature().path(\.seen).or(.constant(choice.date()))
    default: return .constant(choice.date())
    }
  }

  private mutating func typeLeaf() -> Erased<Bool> {
    switch choice.number(14) {
    case 0: return date().compares(op(), date())
    case 1: return date().equals(date(), not: not())
    case 2:
      let date = choice.maybe { $0.date() }
      return creature().path(\.seen).equals(.constant(date), not: not())
    case 3: return creature().path(\.isTame)
    case 4:
      return creature().path(\.isShy).equals(.constant(choice.maybe { $0.truth() }), not: not())
    case 5: return creature().path(\.diet).equals(.constant(choice.diet()), not: not())
    case 6:
      return creature().path(\.treat).equals(.constant(choice.maybe { $0.diet() }), not: not())
    case 7: return creature().path(\.data).equals(.constant(choice.data()), not: not())
    case 8: return creature().path(\.key).compares(op(), .constant(choice.key()))
    case 9: return creature().path(\.key).equals(.constant(choice.key()), not: not())
    case 10: return creature().path(\.price).equals(.constant(choice.price()), not: not())
    case 11: return creature().path(\.nest).equals(.constant(Den?.none), not: not())
    case 12:
      return Erased(Node.TypeCheck<Erased<Int?>, Int>(optionalInteger(1)))
    default:
      let cast = Erased<Int?>(Node.ConditionalCast<Erased<Int?>, Int>(optionalInteger(1)))
      return cast.equals(.constant(choice.maybe { $0.integer() }), not: not())
    }
  }

  private mutating func listLeaf() -> Erased<Bool> {
    switch choice.number(17) {
    case 0:
      let numbers = (0..<choice.number(4)).map { _ in choice.integer() }
      return Erased.constant(numbers).includes(integer(1))
    case 1:
      let numbers = (0..<choice.number(4)).map { _ in choice.maybe { $0.integer() } }
      return Erased.constant(numbers).includes(optionalInteger(1))
    case 2: return Erased.constant(choice.some(of: Choice.texts, most: 4)).includes(text(1))
    case 3: return Erased.constant(choice.some(of: Choice.reals, most: 3)).includes(real(1))
    case 4: return Erased.constant(Set([choice.diet()])).includes(creature().path(\.diet))
    case 5: return creature().path(\.words).includes(text(1))
    case 6: return creature().path(\.numbers).includes(integer(1))
    case 7: return creature().path(\.words).path(\.isEmpty)
    case 8:
      return creature().path(\.numbers).contains { one in over(one) { $0.numberLeaf() } }
    case 9:
      return creature().path(\.numbers).allSatisfy { one in over(one) { $0.numberLeaf() } }
    case 10:
      let texts = Erased.constant(choice.some(of: Choice.texts, most: 3))
      let text = text(1)
      return texts.contains { Erased(Node.build_contains(text, $0)) }
    case 11:
      let texts = Erased.constant(choice.some(of: Choice.texts, most: 3))
      let text = text(1)
      return texts.allSatisfy { $0.equals(text, not: true) }
    case 12: return creature().path(\.diets).includes(.constant(choice.diet()))
    case 13: return creature().path(\.keys).includes(.constant(choice.key()))
    case 14: return creature().path(\.diets).includes(creature().path(\.diet))
    case 15:
      let words = creature().path(\.words)
      return Erased<String>(
        Node.build_subscript(words, Erased<Int>.constant(choice.number(3)))
      ).equals(text(1), not: not())
    default:
      return Erased<Int>(
        Node.build_subscript(
          creature().path(\.scores), Erased<String>.constant(choice.text()),
          default: integer(1))
      ).compares(op(), integer(1))
    }
  }
}
