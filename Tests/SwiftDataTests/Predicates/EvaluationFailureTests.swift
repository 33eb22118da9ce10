import SwiftData
import Testing

@Suite("A predicate without a result is an error, for stored and pending models")
struct EvaluationFailureTests {
  private func context(pending: Bool) throws -> ModelContext {
    let context = ModelContext(try memoryContainer(Sample.self))
    for number in [0, 5, Int.max] {
      let sample = Sample(int: number)
      sample.optionalInt = number == 5 ? 5 : nil
      context.insert(sample)
    }
    if !pending { try context.save() }
    return context
  }

  private func expectFailure(
    _ predicate: Predicate<Sample>, _ context: ModelContext,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let descriptor = FetchDescriptor(predicate: predicate)
    #expect(throws: SwiftDataError.unsupportedPredicate, sourceLocation: sourceLocation) {
      try context.fetch(descriptor)
    }
    #expect(throws: SwiftDataError.unsupportedPredicate, sourceLocation: sourceLocation) {
      try context.fetchCount(descriptor)
    }
    #expect(throws: SwiftDataError.unsupportedPredicate, sourceLocation: sourceLocation) {
      try context.fetchIdentifiers(descriptor)
    }
  }

  @Test("arithmetic without a result", arguments: [false, true])
  func arithmetic(pending: Bool) throws {
    let context = try context(pending: pending)
    let one = 1
    let zero = 0
    expectFailure(#Predicate { $0.int + one > 0 }, context)
    expectFailure(#Predicate { $0.int * 3 == one }, context)
    expectFailure(#Predicate { one - $0.int - 5 + $0.int + $0.int == one }, context)
    expectFailure(#Predicate { one / $0.int == 0 }, context)
    expectFailure(#Predicate { $0.int % zero == 0 }, context)
    let found = try context.fetch(
      FetchDescriptor<Sample>(
        predicate: #Predicate { $0.int != 0 && 10 / $0.int == 2 && $0.int < 9 }))
    #expect(found.map(\.int) == [5])
  }

  @Test("arithmetic of an expression that a predicate evaluates", arguments: [false, true])
  func evaluatedExpressions(pending: Bool) throws {
    let context = try context(pending: pending)
    func predicate(_ expression: Expression<Int, Int, Int>, _ other: Int) -> Predicate<Sample> {
      Predicate { sample in
        PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.build_evaluate(
            ExpressionNode(expression),
            PredicateExpressions.build_KeyPath(root: sample, keyPath: \Sample.int),
            PredicateExpressions.build_Arg(other)), rhs: PredicateExpressions.build_Arg(5))
      }
    }
    expectFailure(predicate(#Expression { $0 / $1 }, 0), context)
    expectFailure(predicate(#Expression { $0 + $1 }, 1), context)
    let safe = predicate(#Expression { $0 / $1 }, 1)
    #expect(try context.fetch(FetchDescriptor(predicate: safe)).map(\.int) == [5])
    #expect(FetchDescriptor(predicate: safe) == FetchDescriptor(predicate: safe))
  }

  @Test("ranges that end before they begin", arguments: [false, true])
  func ranges(pending: Bool) throws {
    let context = try context(pending: pending)
    let two = 2
    let none = Double.nan
    expectFailure(#Predicate { ($0.int...two).contains(1) }, context)
    expectFailure(#Predicate { ($0.int..<two).contains(1) }, context)
    expectFailure(#Predicate { (none...$0.double).contains(1) }, context)
  }

  @Test("nil unwrapped by force, an index behind the end", arguments: [false, true])
  func evaluationsOwnErrors(pending: Bool) throws {
    let context = try context(pending: pending)
    #expect(throws: PredicateError.self) {
      try context.fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.optionalInt! == 5 }))
    }
    #expect(throws: PredicateError.self) {
      try context.fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.strings[$0.int] == "" }))
    }
    let safe = FetchDescriptor<Sample>(
      predicate: #Predicate { $0.optionalInt != nil && $0.optionalInt! == 5 })
    #expect(try context.fetch(safe).map(\.int) == [5])
  }
}
