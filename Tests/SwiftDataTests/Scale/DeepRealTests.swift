import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Model
final class Altitude {
  var metres: Double

  init(_ metres: Double) { self.metres = metres }
}

/// Arithmetic of reals that a program nests in a loop. SQL needs operands twice, because it has no NaN.
@Suite("Nested arithmetic of reals is answered at any depth", .timeLimit(.minutes(20)))
struct DeepRealTests {
  enum Shape: CaseIterable {
    case sums, differences, products, quotients, minus, defaults, choices
  }

  /// Returns a predicate for altitudes above 1, in `depth` nodes that don't change the value.
  private static func predicate(_ shape: Shape, _ depth: Int) -> Predicate<Altitude> {
    Predicate<Altitude> { altitude in
      var value: any StandardPredicateExpression<Double> = PredicateExpressions.build_KeyPath(
        root: altitude, keyPath: \Altitude.metres)
      for _ in 0..<depth { value = wrapped(value, shape) }
      return isHigh(value)
    }
  }

  private static func isHigh(
    _ metres: some StandardPredicateExpression<Double>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Comparison(
      lhs: metres, rhs: PredicateExpressions.build_Arg(1.0), op: .greaterThan)
  }

  private static func wrapped(
    _ part: some StandardPredicateExpression<Double>, _ shape: Shape
  ) -> any StandardPredicateExpression<Double> {
    let (zero, one) = (PredicateExpressions.build_Arg(0.0), PredicateExpressions.build_Arg(1.0))
    return switch shape {
    case .sums: PredicateExpressions.build_Arithmetic(lhs: part, rhs: zero, op: .add)
    case .differences: PredicateExpressions.build_Arithmetic(lhs: part, rhs: zero, op: .subtract)
    case .products: PredicateExpressions.build_Arithmetic(lhs: one, rhs: part, op: .multiply)
    case .quotients: PredicateExpressions.build_Division(lhs: part, rhs: one)
    case .minus: PredicateExpressions.build_UnaryMinus(part)
    case .defaults:
      PredicateExpressions.build_NilCoalesce(
        lhs: PredicateExpressions.build_Arg(Double?.none), rhs: part)
    case .choices:
      PredicateExpressions.build_Conditional(PredicateExpressions.build_Arg(true), part, zero)
    }
  }

  @Test("in fetches and counts", arguments: Shape.allCases, [4, 12, 24, 60])
  func fetches(shape: Shape, depth: Int) throws {
    let container = try memoryContainer(Altitude.self)
    let context = ModelContext(container)
    for metres in [0, 0.5, 1, 1.5, 2, .infinity, -.infinity, .nan] {
      context.insert(Altitude(metres))
    }
    try context.save()
    let descriptor = FetchDescriptor(predicate: Self.predicate(shape, depth))
    let found = try ModelContext(container).fetch(descriptor).map(\.metres).sorted()
    #expect(found == [1.5, 2, .infinity])
    #expect(try context.fetchCount(descriptor) == 3)
  }
}
