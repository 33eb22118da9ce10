import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// Predicates that a program nests in a loop, on a stack of 512 KiB.
///
/// Nodes are values of nested generic types, so their storage is nested. Composing 10,000 levels takes more stack than
/// that, regardless of this framework.
@Suite("Predicates of any depth are answered or refused", .serialized)
struct DeepPredicateTests {
  enum Shape: CaseIterable {
    case conjunctions, nestedToTheRight, disjunctions, negations, composed
    // Values in a comparison.
    case sums, defaults, choices, minus, quotients

    /// The shapes of conditions and of a value: comparing one takes seconds.
    static let compared: [Shape] = [
      .conjunctions, .nestedToTheRight, .disjunctions, .negations, .composed, .sums,
    ]

    var isValue: Bool {
      switch self {
      case .conjunctions, .nestedToTheRight, .disjunctions, .negations, .composed: false
      case .sums, .defaults, .choices, .minus, .quotients: true
      }
    }
  }

  /// Returns a predicate for numbers above 1, wrapped in `depth` nodes that don't change its result.
  private static func predicate(
    _ shape: Shape, _ depth: Int, above bound: Int = 1
  ) -> Predicate<Knot> {
    if shape == .composed {
      var predicate = #Predicate<Knot> { $0.number > bound }
      for _ in 0..<depth / 4 { predicate = Predicate(not: Predicate(not: predicate)) }
      return predicate
    }
    return Predicate<Knot> { knot in
      let number = PredicateExpressions.build_KeyPath(root: knot, keyPath: \Knot.number)
      if shape.isValue {
        var value: any StandardPredicateExpression<Int> = number
        for _ in 0..<(shape == .minus ? depth / 2 * 2 : depth) {
          value = Self.wrapped(value, shape)
        }
        return Self.isAbove(bound, value)
      }
      var node: any StandardPredicateExpression<Bool> = Self.isAbove(bound, number)
      for _ in 0..<(shape == .negations ? depth / 2 * 2 : depth) { node = wrapped(node, shape) }
      return node
    }
  }

  private static func isAbove(
    _ bound: Int, _ number: some StandardPredicateExpression<Int>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Comparison(
      lhs: number, rhs: PredicateExpressions.build_Arg(bound), op: .greaterThan)
  }

  private static func wrapped(
    _ part: some StandardPredicateExpression<Int>, _ shape: Shape
  ) -> any StandardPredicateExpression<Int> {
    switch shape {
    case .defaults:
      PredicateExpressions.build_NilCoalesce(
        lhs: PredicateExpressions.build_Arg(Int?.none), rhs: part)
    case .choices:
      PredicateExpressions.build_Conditional(
        PredicateExpressions.build_Arg(true), part, PredicateExpressions.build_Arg(0))
    case .minus: PredicateExpressions.build_UnaryMinus(part)
    case .quotients:
      PredicateExpressions.build_Division(lhs: part, rhs: PredicateExpressions.build_Arg(1))
    default:
      PredicateExpressions.build_Arithmetic(
        lhs: part, rhs: PredicateExpressions.build_Arg(0), op: .add)
    }
  }

  private static func wrapped(
    _ part: some StandardPredicateExpression<Bool>, _ shape: Shape
  ) -> any StandardPredicateExpression<Bool> {
    switch shape {
    case .conjunctions:
      PredicateExpressions.build_Conjunction(lhs: part, rhs: PredicateExpressions.build_Arg(true))
    case .nestedToTheRight:
      PredicateExpressions.build_Conjunction(lhs: PredicateExpressions.build_Arg(true), rhs: part)
    case .disjunctions:
      PredicateExpressions.build_Disjunction(lhs: part, rhs: PredicateExpressions.build_Arg(false))
    default: PredicateExpressions.build_Negation(part)
    }
  }

  /// - Returns: The result; nil when the predicate was refused.
  private static func answer<Value>(_ body: () throws -> Value) throws -> Value? {
    do { return try body() } catch SwiftDataError.unsupportedPredicate { return nil }
  }

  private func container() throws -> ModelContainer {
    let container = try memoryContainer(Knot.self)
    let context = ModelContext(container)
    for number in 0..<5 { context.insert(Knot(number)) }
    try context.save()
    return container
  }

  @Test("in fetches, with and without pending changes", arguments: Shape.allCases)
  func fetches(shape: Shape) throws {
    let container = try container()
    // Composing them takes more stack than refusing them.
    var predicates: [(depth: Int, Predicate<Knot>)] = []
    try onStack(of: 256 << 20) {
      // Every store refuses the same predicates.
      let depths = StoreKind.tested == .sqlite ? [3_000, 5_000] : []
      for depth in [10, 30, 100, 300, 1_000] + depths {
        predicates.append((depth, Self.predicate(shape, depth)))
      }
    }
    let made = predicates
    try Scale.onSmallStack {
      for (depth, predicate) in made {
        let descriptor = FetchDescriptor(
          predicate: predicate, sortBy: [SortDescriptor(\Knot.number)])
        let context = ModelContext(container)
        let found = try Self.answer { try context.fetch(descriptor).map(\.number) }
        let count = try Self.answer { try context.fetchCount(descriptor) }
        let identifiers = try Self.answer { try context.fetchIdentifiers(descriptor).count }
        context.insert(Knot(7))
        let merged = try Self.answer { try context.fetch(descriptor).map(\.number) }
        let mergedCount = try Self.answer { try context.fetchCount(descriptor) }
        #expect(found == nil || found == [2, 3, 4])
        #expect(count == nil || count == 3)
        #expect(identifiers == nil || identifiers == 3)
        #expect(merged == nil || merged == [2, 3, 4, 7])
        #expect(mergedCount == nil || mergedCount == 4)
        // Depths that occur in handwritten code are never refused.
        if depth <= 30 { #expect(found != nil && count != nil && merged != nil) }
        if depth >= 5_000 { #expect(found == nil && count == nil && merged == nil) }
      }
    }
  }

  @Test("on a large stack, where more is answered", arguments: Shape.allCases)
  func largeStack(shape: Shape) throws {
    let container = try container()
    try onStack(of: 64 << 20) {
      let descriptor = FetchDescriptor(
        predicate: Self.predicate(shape, 600), sortBy: [SortDescriptor(\Knot.number)])
      let found = try ModelContext(container).fetch(descriptor)
      #expect(found.map(\.number) == [2, 3, 4])
    }
  }

  @Test("in deletions and batches")
  func changes() throws {
    for depth in [30, 2_000] {
      let container = try container()
      try Scale.onSmallStack {
        let predicate = Self.predicate(.conjunctions, depth)
        let updated = try Self.answer {
          try container.batchUpdate(Knot.self, where: predicate) { $0.set(\.number, to: 9) }
        }
        #expect(updated == (depth == 30 ? 3 : nil))
        let gone = try Self.answer { try container.batchDelete(Knot.self, where: predicate) }
        #expect(gone == (depth == 30 ? 3 : nil))
        let context = ModelContext(container)
        let isDeleted = try Self.answer {
          try context.delete(model: Knot.self, where: predicate)
          try context.save()
          return true
        }
        #expect((isDeleted == true) == (depth == 30))
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<Knot>()) == (depth == 30 ? 2 : 5))
      }
    }
  }

  @Test("in questions about the history")
  func history() throws {
    let container = try container()
    try Scale.onSmallStack {
      let context = ModelContext(container)
      for depth in [30, 3_000] {
        let predicate = Predicate<DefaultHistoryTransaction> { transaction in
          let number = PredicateExpressions.build_KeyPath(
            root: transaction, keyPath: \DefaultHistoryTransaction.transactionIdentifier)
          var node: any StandardPredicateExpression<Bool> =
            PredicateExpressions.build_Comparison(
              lhs: number, rhs: PredicateExpressions.build_Arg(Int64(0)), op: .greaterThan)
          for _ in 0..<depth { node = Self.wrapped(node, .conjunctions) }
          return node
        }
        let found = try Self.answer {
          try context.fetchHistory(HistoryDescriptor(predicate: predicate)).count
        }
        #expect(found == (depth == 30 ? 1 : nil))
      }
    }
  }

  @Test("are compared to the bottom")
  func comparison() throws {
    try Scale.onSmallStack {
      func descriptor(_ depth: Int, _ bound: Int) -> FetchDescriptor<Knot> {
        FetchDescriptor(predicate: Self.predicate(.conjunctions, depth, above: bound))
      }
      #expect(descriptor(1_200, 1) == descriptor(1_200, 1))
      #expect(descriptor(1_200, 1) != descriptor(1_200, 2))
      #expect(descriptor(1_200, 1) != descriptor(1_199, 1))
    }
  }

  @Test("are compared in a time that grows as the depth", arguments: Shape.compared)
  func timeOfComparison(shape: Shape) throws {
    try onStack(of: 256 << 20) {
      let descriptors = [1_000, 4_000].map { depth in
        [1, 1, 2].map { bound in
          FetchDescriptor(predicate: Self.predicate(shape, depth, above: bound))
        }
      }
      // The depth is four times as large; quadratic time would be sixteen times as long. Other programs that use the
      // caches can only make a single measurement longer.
      var times: [[Duration]] = []
      repeat {
        times.append(
          descriptors.map { descriptors in
            Scale.processorTime {
              #expect(descriptors[0] == descriptors[1])
              #expect(descriptors[1] != descriptors[2])
            }
          })
      } while times.last.map({ $0[1] >= $0[0] * 8 }) == true && times.count < 5
      #expect(times.contains { $0[1] < $0[0] * 8 }, "\(times)")
    }
  }

  @Test("as many conditions side by side as SQLite takes, and more")
  func width() throws {
    let container = try container()
    // The storage of nested nodes is nested, so thousands of them take much stack.
    try onStack(of: 8 << 20) {
      for count in [900, 999, 1_100, 3_000] {
        let parts = (0..<count).map { number -> Predicate<Knot> in
          let opposite = -number
          return #Predicate<Knot> { $0.number == number || $0.number == opposite }
        }
        let context = ModelContext(container)
        let found = try context.fetchCount(FetchDescriptor(predicate: Predicate(any: parts)))
        #expect(found == 5)
      }
    }
  }
}
