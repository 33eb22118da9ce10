import Foundation
import SwiftData
import Testing

/// SQLite follows delete rules up to a depth of 1,000, also from a row in the middle of a chain.
@Suite("Models of long chains are deleted in any order")
struct DeepModelDeletionTests {
  enum Order: CaseIterable { case fromTheBeginning, fromTheEnd, mixed }

  private let depth = max(Scale.count, 2_000)

  /// Deletes the models of a class in an order, whether they are in the order of a chain or not.
  private func delete<Model: PersistentModel>(
    _ models: [Model], _ order: Order, in context: ModelContext
  ) throws {
    var random = SeededGenerator(seed: 1)
    let ordered =
      switch order {
      case .fromTheBeginning: models
      case .fromTheEnd: Array(models.reversed())
      case .mixed: models.shuffled(using: &random)
      }
    for model in ordered { context.delete(model) }
    try context.save()
  }

  @Test("where each has the models below it", arguments: Order.allCases)
  func trees(order: Order) throws {
    let container = try memoryContainer(Knot.self)
    let context = ModelContext(container)
    var knots = [Knot(0)]
    context.insert(knots[0])
    for number in 1..<depth {
      let knot = Knot(number)
      // Leaves along the chain, and links across.
      knot.above = number % 100 == 1 ? knots[max(0, number - 2)] : knots[number - 1]
      if number % 100 == 50 { knot.side = [knots[number / 2]] }
      if number % 100 == 70 { knot.next = knots[number / 2] }
      knots.append(knot)
    }
    context.insert(Knot(-1))
    try context.save()
    try delete(knots, order, in: context)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Knot>()).map(\.number) == [-1])
    let changes = try #require(try context.history().last).summary
    #expect(changes.count { $0.hasPrefix("delete") } == depth)
  }

  @Test("where each has the next one, in a chain and in a ring", arguments: Order.allCases)
  func rings(order: Order) throws {
    for isClosed in [false, true] {
      let container = try memoryContainer(Ring.self)
      let context = ModelContext(container)
      let rings = (0..<depth).map { _ in Ring() }
      for (ring, next) in zip(rings, rings.dropFirst()) { ring.next = next }
      if isClosed { rings.last?.next = rings.first }
      for ring in rings { context.insert(ring) }
      context.insert(Ring())
      try context.save()
      try delete(rings, order, in: context)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ring>()) == 1)
      let changes = try #require(try context.history().last).summary
      #expect(changes.count { $0.hasPrefix("delete") } == depth)
    }
  }

  @Test("where each has many others, and these have it", arguments: Order.allCases)
  func pairs(order: Order) throws {
    let container = try memoryContainer(Net.self)
    let context = ModelContext(container)
    let nets = (0..<depth).map { _ in Net() }
    for (net, next) in zip(nets, nets.dropFirst()) { net.nodes = [next] }
    for net in nets { context.insert(net) }
    try context.save()
    try delete(nets, order, in: context)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Net>()) == 0)
  }
}

@Model
private final class Net {
  @Relationship(deleteRule: .cascade, inverse: \Net.sources) var nodes: [Net] = []
  @Relationship(deleteRule: .cascade) var sources: [Net] = []

  init() {}
}
