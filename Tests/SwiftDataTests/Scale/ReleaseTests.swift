import Foundation
import SwiftData
import Testing

/// Each chain is many times longer than a stack of 512 KiB allows if models are released recursively.
@Suite(
  "Long chains of models are released without recursion", .serialized,
  .enabled(if: StoreKind.tested == .sqlite, "is about models in memory"))
struct ReleaseTests {
  /// The length of a chain whose recursive release overflows such a stack in any case.
  private let count = max(Scale.count, 8_000)

  enum Shape: CaseIterable {
    case toOne, toMany, bothEnds, mixed, bushy
  }

  /// - Parameter context: The context that models are inserted into when they are created; nil for none.
  private func chain(_ shape: Shape, _ context: ModelContext?) -> Knot {
    let first = Knot(0)
    context?.insert(first)
    var last = first
    for number in 1..<count {
      let knot = Knot(number)
      context?.insert(knot)
      switch shape {
      case .toOne: last.next = knot
      case .toMany: last.side = [knot]
      case .bothEnds: last.below = [knot]
      case .mixed: if number.isMultiple(of: 2) { last.next = knot } else { last.side = [knot] }
      case .bushy:
        last.side = [Knot(-1), knot, Knot(-2)]
        last.next = Knot(-3)
      }
      last = knot
    }
    return first
  }

  @Test("models of no context", arguments: Shape.allCases)
  func detached(shape: Shape) throws {
    let container = try memoryContainer(Knot.self)
    try Scale.onSmallStack {
      weak var first: Knot?
      do {
        let chain = chain(shape, nil)
        first = chain
        #expect(first != nil)
        withExtendedLifetime(chain) {}
      }
      #expect(first == nil)
    }
    withExtendedLifetime(container) {}
  }

  @Test("models that were dropped with their context", arguments: Shape.allCases)
  func inserted(shape: Shape) throws {
    let container = try memoryContainer(Knot.self)
    try Scale.onSmallStack {
      var first: Knot?
      do {
        let context = ModelContext(container)
        first = chain(shape, context)
        #expect(context.insertedModelsArray.count >= count)
      }
      #expect(first?.number == 0)
      first = nil
    }
  }

  @Test("models that were rolled back", arguments: Shape.allCases)
  func rolledBack(shape: Shape) throws {
    let container = try memoryContainer(Knot.self)
    try Scale.onSmallStack {
      let context = ModelContext(container)
      var first: Knot? = chain(shape, context)
      context.rollback()
      weak let watched = first
      first = nil
      #expect(watched == nil || shape == .bothEnds)
    }
  }

  @Test("saved models, in a context that stays", arguments: [Shape.toOne, .toMany, .mixed])
  func saved(shape: Shape) throws {
    let container = try memoryContainer(Knot.self)
    let count = count
    try Scale.onSmallStack {
      let context = ModelContext(container)
      var first: Knot? = chain(shape, context)
      try context.save()
      weak let watched = first
      first = nil
      #expect(watched == nil)
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == count)
    }
  }

  @Test("a model's own deinit runs once for each, wherever it stands")
  func deinits() throws {
    let container = try memoryContainer(CountedKnot.self)
    let count = count
    let counter = KnotCounter()
    try Scale.onSmallStack {
      var first: CountedKnot? = CountedKnot(counter, next: nil)
      for _ in 1..<count { first = CountedKnot(counter, next: first) }
      first = nil
    }
    #expect(counter.count == count)
    withExtendedLifetime(container) {}
  }
}

final class KnotCounter {
  var count = 0
}

@Model
final class CountedKnot {
  var number = 0
  @Relationship(inverse: nil) var next: CountedKnot?
  @Transient var counter: KnotCounter?

  init(_ counter: KnotCounter, next: CountedKnot?) {
    self.counter = counter
    self.next = next
  }

  deinit { counter?.count += 1 }
}
