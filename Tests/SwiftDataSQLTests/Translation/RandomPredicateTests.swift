import Foundation
import SwiftDataCore
import SwiftDataSQL
import TestSupport
import Testing

/// Predicates of random shape, made of parts that are each tested separately: these tests cover the
/// composition of the parts.
@Suite("Random predicates select the same rows as evaluation")
struct RandomPredicateTests {
  typealias Truth = any StandardPredicateExpression<Bool>
  typealias Root = PredicateExpressions.Variable<Specimen>

  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory(Array(Samples.specimens().prefix(60))) }

  @Test(arguments: 0..<TestEnvironment.rounds(UInt64(12)))
  func andTheirNegationsTheRest(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let predicate = Predicate<Specimen> { truth($0, depth: 4, using: &generator) }
      let opposite = Predicate<Specimen> { negation(Part($0, predicate)) }
      let yes = try laboratory.translator.translate(LoweredPredicate(predicate))
      let no = try laboratory.translator.translate(LoweredPredicate(opposite))
      let expected = try laboratory.specimens.filter { try predicate.evaluate($0) }
        .map(\.state.rowID)
      let found = try laboratory.rowIDs(yes)
      let rest = try laboratory.rowIDs(no)
      let comment: Comment = "seed \(seed): \(yes.condition?.sql ?? "all")"
      if yes.isExact { #expect(found == expected, comment) }
      #expect(Set(found).isSuperset(of: expected), comment)
      #expect(Set(found).union(rest).count == laboratory.specimens.count, comment)
      if yes.isExact && no.isExact { #expect(Set(found).isDisjoint(with: rest), comment) }
    }
  }

  // MARK: - Generating expressions

  private func truth(_ root: Root, depth: Int, using generator: inout SeededGenerator) -> Truth {
    if depth == 0 { return leaf(root, using: &generator) }
    switch Int.random(in: 0..<9, using: &generator) {
    case 0, 1, 2:
      return conjunction(
        truth(root, depth: depth - 1, using: &generator),
        truth(root, depth: depth - 1, using: &generator))
    case 3, 4, 5:
      return disjunction(
        truth(root, depth: depth - 1, using: &generator),
        truth(root, depth: depth - 1, using: &generator))
    case 6: return negation(truth(root, depth: depth - 1, using: &generator))
    case 7:
      return choice(
        truth(root, depth: depth - 2 < 0 ? 0 : depth - 2, using: &generator),
        truth(root, depth: depth - 1, using: &generator),
        truth(root, depth: depth - 1, using: &generator))
    default:
      return same(
        truth(root, depth: depth - 1, using: &generator),
        truth(root, depth: depth - 1, using: &generator))
    }
  }

  private func leaf(_ root: Root, using generator: inout SeededGenerator) -> Truth {
    let number = generator.one(of: Samples.integers)
    let real = generator.one(of: Samples.reals)
    let text = generator.one(of: Samples.texts)
    let list = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
      generator.one(of: Samples.integers)
    }
    let optional = generator.sometimes(Samples.integers)
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: return Part(root, #Predicate { $0.count > number })
    case 1: return Part(root, #Predicate { $0.rank == optional })
    case 2: return Part(root, #Predicate { ($0.rank ?? number) <= 5 })
    case 3: return Part(root, #Predicate { $0.size >= real })
    case 4: return Part(root, #Predicate { $0.depth != real })
    case 5: return Part(root, #Predicate { $0.name == text })
    case 6: return Part(root, #Predicate { $0.note?.contains(text) == true })
    case 7: return Part(root, #Predicate { $0.note?.contains(text) ?? true })
    case 8: return Part(root, #Predicate { list.contains($0.count) })
    case 9: return Part(root, #Predicate { list.contains($0.rank ?? 3) })
    case 10: return Part(root, #Predicate { $0.isFelt == true })
    case 11: return Part(root, #Predicate { $0.origin?.point.longitude == real })
    case 12: return Part(root, #Predicate { $0.owner?.parent?.name == text })
    case 13: return Part(root, #Predicate { $0.words.isEmpty })
    case 14: return Part(root, #Predicate { if let rank = $0.rank { rank < number } else { true } })
    default: return Part(root, #Predicate { $0.isOpen })
    }
  }

  private func conjunction(_ a: Truth, _ b: Truth) -> Truth {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(
      _ a: A, _ b: B
    ) -> Truth { PredicateExpressions.build_Conjunction(lhs: a, rhs: b) }
    return open(a, b)
  }

  private func disjunction(_ a: Truth, _ b: Truth) -> Truth {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(
      _ a: A, _ b: B
    ) -> Truth { PredicateExpressions.build_Disjunction(lhs: a, rhs: b) }
    return open(a, b)
  }

  private func same(_ a: Truth, _ b: Truth) -> Truth {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(
      _ a: A, _ b: B
    ) -> Truth { PredicateExpressions.build_Equal(lhs: a, rhs: b) }
    return open(a, b)
  }

  private func choice(_ a: Truth, _ b: Truth, _ c: Truth) -> Truth {
    func open<
      A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>,
      C: StandardPredicateExpression<Bool>
    >(_ a: A, _ b: B, _ c: C) -> Truth { PredicateExpressions.build_Conditional(a, b, c) }
    return open(a, b, c)
  }

  private func negation(_ a: Truth) -> Truth {
    func open<A: StandardPredicateExpression<Bool>>(_ a: A) -> Truth {
      PredicateExpressions.build_Negation(a)
    }
    return open(a)
  }
}
