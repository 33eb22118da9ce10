import SwiftData
import Testing

/// Random edits of two ordered lists, compared with arrays of names.
@Suite("Random edits of ordered relationships")
struct RandomOrderTests {
  /// One run: models in a context, and their expected values.
  private struct Run {
    let container: ModelContainer
    var context: ModelContext
    var random: SeededGenerator
    var expected: [[String]] = [[], []]
    var saved: [[String]] = [[], []]
    var count = 0

    init(seed: UInt64) throws {
      container = try memoryContainer(Tour.self, Halt.self, Guide.self, Postcard.self)
      context = ModelContext(container)
      random = SeededGenerator(seed: seed)
      for index in 0..<2 { context.insert(Tour("\(index)")) }
      try context.save()
    }

    func tours() throws -> [Tour] {
      try context.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
    }

    mutating func step() throws {
      let tours = try tours()
      let list = Int.random(in: 0..<2, using: &random)
      let tour = tours[list]
      let place = expected[list].indices.randomElement(using: &random)
      switch (Int.random(in: 0..<10, using: &random), place) {
      case (0, _), (1, nil):
        count += 1
        let end = Int.random(in: 0...expected[list].count, using: &random)
        tour.halts.insert(Halt("\(count)"), at: end)
        expected[list].insert("\(count)", at: end)
      case (1, _), (2, nil):
        count += 1
        let halt = Halt("\(count)")
        context.insert(halt)
        halt.tour = tour
        expected[list].append("\(count)")
      case (2, let place?), (3, let place?):
        let target = Int.random(in: 0..<expected[list].count, using: &random)
        tour.halts.insert(tour.halts.remove(at: place), at: target)
        expected[list].insert(expected[list].remove(at: place), at: target)
      case (4, let place?):
        let halt = tour.halts[place]
        halt.tour = tours[1 - list]
        expected[1 - list].append(expected[list].remove(at: place))
      case (5, let place?):
        context.delete(tour.halts[place])
        expected[list].remove(at: place)
      case (6, _):
        tour.halts.shuffle(using: &random)
        expected[list] = tour.halts.map(\.name)
      case (7, _): try save()
      case (8, _):
        try save()
        context = ModelContext(container)
      default:
        context.rollback()
        expected = saved
      }
    }

    mutating func save() throws {
      try context.save()
      saved = expected
    }

    func check(_ context: ModelContext, _ expected: [[String]], _ note: Comment) throws {
      let tours = try context.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
      #expect(tours.map { $0.halts.map(\.name) } == expected, note)
    }
  }

  @Test(
    "lists equal arrays after the same edits, in the context and in the store",
    arguments: 0..<StoreKind.rounds(40))
  func edits(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for step in 0..<60 {
      try run.step()
      // Not at every step: reading loads the lists, and appending to lists that aren't loaded takes
      // another code path.
      if step % 7 == 0 { try run.check(run.context, run.expected, "seed \(seed), step \(step)") }
      try run.check(ModelContext(run.container), run.saved, "seed \(seed), stored, step \(step)")
    }
    try run.check(run.context, run.expected, "seed \(seed), end")
  }
}
