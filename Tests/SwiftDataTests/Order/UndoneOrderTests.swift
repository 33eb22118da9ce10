import SwiftData
import Testing

/// Random edits of ordered lists, each of which is undone and redone.
@Suite("Undoing restores the order of lists")
struct UndoneOrderTests {
  private struct Lists: Equatable, CustomStringConvertible {
    var halts: [[String]]
    var guides: [[String]]
    var tours: [String: [String]]

    var description: String { "halts \(halts), guides \(guides), tours \(tours)" }
  }

  private final class Run {
    let context: ModelContext
    let undo = UndoManager()
    var random: SeededGenerator
    let tours = [Tour("a"), Tour("b")]
    var guides: [Guide] = []
    var count = 0

    init(seed: UInt64) throws {
      context = ModelContext(
        try memoryContainer(Tour.self, Halt.self, Guide.self, Postcard.self))
      random = SeededGenerator(seed: seed)
      for tour in tours {
        context.insert(tour)
        for _ in 0..<12 { tour.halts.append(Halt(name())) }
        tour.guides = (0..<6).map { _ in guide() }
      }
      try context.save()
      context.undoManager = undo
    }

    func name() -> String {
      count += 1
      return "\(count)"
    }

    func guide() -> Guide {
      guides.append(Guide(name()))
      return guides[guides.count - 1]
    }

    var lists: Lists {
      Lists(
        halts: tours.map { $0.halts.filter { !$0.isDeleted }.map(\.name) },
        guides: tours.map { $0.guides.filter { !$0.isDeleted }.map(\.name) },
        tours: Dictionary(
          uniqueKeysWithValues: guides.filter { $0.modelContext != nil && !$0.isDeleted }
            .map { ($0.name, $0.tours.map(\.name)) }))
    }

    /// Makes one step, which may change several lists.
    func edit() {
      let list = Int.random(in: 0..<2, using: &random)
      let tour = tours[list]
      let place = tour.halts.indices.randomElement(using: &random)
      let guidePlace = tour.guides.indices.randomElement(using: &random)
      switch (Int.random(in: 0..<16, using: &random), place, guidePlace) {
      case (0, let place?, _): tour.halts.insert(Halt(name()), at: place)
      case (1, _, _):
        let halt = Halt(name())
        context.insert(halt)
        halt.tour = tour
      case (2, let place?, _): tour.halts[place].tour = tours[1 - list]
      case (3, let place?, _): tour.halts[place].tour = nil
      case (4, let place?, _): context.delete(tour.halts[place])
      case (5, let place?, _): tour.halts.swapAt(place, tour.halts.count - 1)
      // Moving the last one would change nothing, and would be an invisible step.
      case (6, let place?, _) where place < tour.halts.count - 1:
        tour.halts.append(tour.halts.remove(at: place))
      case (7, let place?, _): tour.halts = Array(tour.halts[place...] + tour.halts[..<place])
      case (8, _, _): tour.halts.shuffle(using: &random)
      case (9, let place?, _): tour.halts.removeLast(tour.halts.count - place)
      case (10, _, _): tour.halts.reverse()
      case (11, _, let place?): tour.guides.insert(guide(), at: place)
      case (12, _, let place?): tour.guides[place].tours = tours.shuffled(using: &random)
      case (13, _, let place?): tour.guides.remove(at: place)
      case (14, _, let place?): context.delete(tour.guides[place])
      case (15, _, let place?): tour.guides[place].tours.removeAll { $0 === tour }
      default: tour.halts.insert(Halt(name()), at: 0)
      }
      context.processPendingChanges()
    }
  }

  @Test(
    "step by step, with saves in between", arguments: 0..<StoreKind.rounds(60) as Range<UInt64>)
  func random(seed: UInt64) throws {
    let run = try Run(seed: seed)
    var states = [run.lists]
    var present = 0
    for step in 0..<80 {
      switch Int.random(in: 0..<8, using: &run.random) {
      case 0, 1, 2, 3:
        run.edit()
        // A change without effect doesn't count as a step.
        guard run.lists != states[present] else { continue }
        states = states[...present] + [run.lists]
        present += 1
      case 4, 5:
        guard present > 0 else { continue }
        run.undo.undo()
        present -= 1
      case 6:
        guard present < states.count - 1 else { continue }
        run.undo.redo()
        present += 1
      default: try run.context.save()
      }
      #expect(run.lists == states[present], "seed \(seed), step \(step)")
    }
    while present > 0 {
      run.undo.undo()
      present -= 1
      #expect(run.lists == states[present], "seed \(seed), at the end")
    }
    try run.context.save()
    let other = ModelContext(run.context.container)
    let tours = try other.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
    #expect(tours.map { $0.halts.map(\.name) } == states[0].halts)
    #expect(tours.map { $0.guides.map(\.name) } == states[0].guides)
  }

  @Test("concurrent changes of another context stay where they don't conflict")
  func otherContext() throws {
    let run = try Run(seed: 1)
    let tour = run.tours[0]
    let names = tour.halts.map(\.name)
    tour.halts.swapAt(1, 2)
    run.context.processPendingChanges()
    try run.context.save()
    let other = ModelContext(run.context.container)
    let same = try #require(
      try other.fetch(FetchDescriptor<Tour>(predicate: #Predicate { $0.name == "a" })).first)
    same.halts.insert(Halt("first"), at: 0)
    other.delete(same.halts[5])
    try other.save()
    run.context.processPendingChanges()
    #expect(tour.halts.first?.name == "first")
    run.undo.undo()
    #expect(tour.halts.map(\.name) == ["first"] + names[..<4] + names[5...])
  }
}
