import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Changing a list in place has the same result as reading it, changing the copy and setting the
/// list to it.
@Suite("Lists of models are changed in place")
struct ChangeInPlaceTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try memoryContainer(Knot.self, Tour.self, Halt.self, Guide.self, Postcard.self, Book.self))
  }

  /// Returns a list that is long enough for a spare copy, which the last append has left.
  private func longList(_ context: ModelContext?) -> Knot {
    let knot = Knot(-1)
    context?.insert(knot)
    for number in 0..<100 { knot.below.append(Knot(number)) }
    return knot
  }

  @Test("code that the change runs finds the list and the other ends as they were")
  func readers() throws {
    for context in [context, nil] {
      let knot = longList(context)
      let all = knot.below
      var seen: Set<[ObjectIdentifier]> = []
      knot.below.removeAll { child in
        seen.insert(knot.below.map(ObjectIdentifier.init))
        if context != nil { #expect(child.above === knot) }
        return child.number.isMultiple(of: 2)
      }
      #expect(seen == [all.map(ObjectIdentifier.init)])
      #expect(knot.below.map(\.number) == (0..<100).filter { !$0.isMultiple(of: 2) })
      if context != nil {
        #expect(all.allSatisfy { ($0.above === knot) == !$0.number.isMultiple(of: 2) })
      }
    }
  }

  @Test("code that the change runs may save, roll back, change the other end and set the list")
  func reentrance() throws {
    let knot = longList(context)
    let all = knot.below
    try context.save()
    var isFirst = true
    try knot.below.removeAll { child in
      if isFirst { try context.save() }
      isFirst = false
      return child.number < 10
    }
    #expect(knot.below.count == 90 && context.hasChanges)
    context.rollback()
    #expect(Set(knot.below.map(\.number)) == Set(0..<100))
    knot.below.append(Knot(100))
    // The result of the change is final, as when a copy is set.
    knot.below.removeAll { child in
      if child.number == 50 { knot.below = [] }
      if child.number == 60 { all[0].above = nil }
      return child.number < 90
    }
    #expect(Set(knot.below.map(\.number)) == Set(90...100))
    #expect(all.allSatisfy { ($0.above === knot) == ($0.number >= 90) })
    try context.save()
    let read = try ModelContext(context.container).fetch(
      FetchDescriptor<Knot>(predicate: #Predicate { $0.number == -1 }))
    #expect(Set(read[0].below.map(\.number)) == Set(90...100))
  }

  private struct Refusal: Error {}

  @Test("changes before an error stay")
  func failure() throws {
    let knot = longList(context)
    func change(_ list: inout [Knot]) throws {
      list.removeLast(60)
      throw Refusal()
    }
    #expect(throws: Refusal.self) { try change(&knot.below) }
    #expect(knot.below.map(\.number) == Array(0..<40))
  }

  @Test("observers are notified once for each change, and see the former list")
  func observation() throws {
    let knot = longList(context)
    let counts = Mutex<[Int]>([])
    nonisolated(unsafe) let observed = knot
    for number in 100..<103 {
      withObservationTracking {
        _ = observed.below.count
      } onChange: {
        counts.withLock { $0.append(observed.below.count) }
      }
      knot.below.append(Knot(number))
    }
    #expect(counts.withLock { $0 } == [100, 101, 102])
  }

  @Test("models that have left the list aren't kept")
  func lifetimes() throws {
    let knot = longList(nil)
    weak let last = knot.below.last
    knot.below.removeLast()
    #expect(last == nil)
    weak let next = knot.below.last
    knot.below = Array(knot.below.dropLast())
    #expect(next == nil)
    let gone = longList(context)
    weak let child = gone.below.last
    child?.above = nil
    if let child { context.delete(child) }
    #expect(gone.below.count == 99)
    #expect(child == nil)
  }

  @Test("optional lists, models that came by their own end, and lists held elsewhere")
  func kinds() throws {
    let book = Book("b")
    context.insert(book)
    book.pages = []
    var held: [[Page]?] = []
    for number in 0..<80 {
      let page = Page(number)
      if number.isMultiple(of: 3) { page.book = book } else { book.pages?.append(page) }
      if number.isMultiple(of: 2), page.book !== book { Issue.record("page \(number)") }
      if number.isMultiple(of: 7) { held.append(book.pages) }
      if number.isMultiple(of: 5) { book.pages?.append(page) }
    }
    #expect(Set(try #require(book.pages).map(\.number)) == Set(0..<80))
    #expect(book.pages?.count == 80)
    let counts = (0..<80).filter { $0.isMultiple(of: 7) }.map { $0 + 1 }
    #expect(held.compactMap { $0?.count } == counts)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Page>()).count == 80)
  }

  /// One of two worlds with the same edits; one of them makes the edits in place.
  private final class World {
    let context: ModelContext
    let tours: [Tour]
    let halts: [Halt]
    let guides: [Guide]
    let postcards: [Postcard]
    let changesInPlace: Bool

    init(_ container: ModelContainer, changesInPlace: Bool) {
      self.changesInPlace = changesInPlace
      context = ModelContext(container)
      context.undoManager = UndoManager()
      tours = (0..<2).map { Tour("\($0)") }
      halts = (0..<120).map { Halt("\($0)") }
      guides = (0..<120).map { Guide("\($0)") }
      postcards = (0..<120).map { Postcard("\($0)") }
      for tour in tours { context.insert(tour) }
    }

    func change<Element>(
      _ list: ReferenceWritableKeyPath<Tour, [Element]>, of tour: Tour,
      _ inPlace: (Tour) -> Void, _ change: (inout [Element]) -> Void
    ) {
      guard !changesInPlace else { return inPlace(tour) }
      var copy = tour[keyPath: list]
      change(&copy)
      tour[keyPath: list] = copy
    }

    func step(_ generator: inout SeededGenerator) throws {
      let tour = tours[Int.random(in: 0..<8, using: &generator) / 7]
      let number = Int.random(in: 0..<120, using: &generator)
      let (halt, guide, postcard) = (halts[number], guides[number], postcards[number])
      let place = Int.random(in: 0...100, using: &generator)
      switch Int.random(in: 0..<14, using: &generator) {
      case 0...3: change(\.halts, of: tour, { $0.halts.append(halt) }, { $0.append(halt) })
      case 4, 5: change(\.guides, of: tour, { $0.guides.append(guide) }, { $0.append(guide) })
      case 6:
        change(
          \.postcards, of: tour, { $0.postcards.append(postcard) }, { $0.append(postcard) })
      case 7:
        func insert(_ list: inout [Halt]) { list.insert(halt, at: min(place, list.count)) }
        change(\.halts, of: tour, { insert(&$0.halts) }, insert)
      case 8:
        func remove(_ list: inout [Guide]) {
          if !list.isEmpty { list.remove(at: place % list.count) }
        }
        change(\.guides, of: tour, { remove(&$0.guides) }, remove)
      case 9:
        func sort(_ list: inout [Halt]) { list.sort { $0.name < $1.name } }
        change(\.halts, of: tour, { sort(&$0.halts) }, sort)
      case 10:
        func swap(_ list: inout [Postcard]) {
          if list.count > 2 { list.swapAt(0, list.count - 1) }
        }
        change(\.postcards, of: tour, { swap(&$0.postcards) }, swap)
      case 11: halt.tour = place.isMultiple(of: 3) ? nil : tour
      case 12: if place.isMultiple(of: 4) { try context.save() }
      default:
        context.processPendingChanges()
        if place.isMultiple(of: 2) { context.undoManager?.undo() }
      }
    }

    /// The contents of all lists and of their other ends.
    var state: [[String]] {
      tours.map { ["h"] + $0.halts.map(\.name) } + tours.map { ["g"] + $0.guides.map(\.name) }
        + tours.map { ["p"] + $0.postcards.map(\.name) } + [halts.map { $0.tour?.name ?? "-" }]
        + guides.map { $0.tours.map(\.name) } + [["\(context.hasChanges)"]]
        + [
          context.insertedModelsArray.map { "\(type(of: $0))" },
          context.changedModelsArray.map { "\(type(of: $0))" },
        ]
    }
  }

  @Test("random changes give the same as assigning copies", arguments: 1...StoreKind.rounds(8))
  func random(seed: Int) throws {
    let types: [any PersistentModel.Type] = [Tour.self, Halt.self, Guide.self, Postcard.self]
    func world(_ changesInPlace: Bool) throws -> World {
      World(
        try memoryContainer(for: Schema(types)),
        changesInPlace: changesInPlace)
    }
    let worlds = [try world(true), try world(false)]
    var generators = worlds.map { _ in SeededGenerator(seed: UInt64(seed)) }
    var longest = 0
    for step in 0..<500 {
      for (index, world) in worlds.enumerated() { try world.step(&generators[index]) }
      let (mine, other) = (worlds[0].state, worlds[1].state)
      try #require(mine == other, "step \(step)")
      longest = max(longest, worlds[0].tours[0].halts.count)
    }
    #expect(longest > 40)
  }
}
