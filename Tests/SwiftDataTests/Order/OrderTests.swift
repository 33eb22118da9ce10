import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("Ordered relationships to many")
struct OrderTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(
      try store.container(Tour.self, Halt.self, Guide.self, Postcard.self))
  }

  /// Returns a saved tour whose halts are named after the letters of `names`.
  private func tour(_ names: String) throws -> Tour {
    let tour = Tour("t")
    context.insert(tour)
    tour.halts = names.map { Halt(String($0)) }
    try context.save()
    return tour
  }

  private func names(_ halts: [Halt]) -> String { halts.map(\.name).joined() }

  /// Returns the halts as another context reads them.
  private func stored(_ name: String = "t") throws -> String {
    let other = ModelContext(context.container)
    let descriptor = FetchDescriptor<Tour>(predicate: #Predicate { $0.name == name })
    return names(try #require(try other.fetch(descriptor).first).halts)
  }

  private func positions() throws -> [String?] {
    try store.values("SELECT \"_order_tour\" FROM \"Halt\" ORDER BY \"_id\"")
  }

  // MARK: One to many

  @Test("the array's order is kept across saves and reopenings")
  func kept() throws {
    _ = try tour("dacb")
    #expect(try stored() == "dacb")
    let again = ModelContext(
      try store.container(Tour.self, Halt.self, Guide.self, Postcard.self))
    let same = try #require(try again.fetch(FetchDescriptor<Tour>()).first)
    #expect(names(same.halts) == "dacb")
  }

  @Test("moving one among many is an edit that writes one position")
  func move() throws {
    let tour = try tour("abcdefgh")
    let before = try positions()
    tour.halts.insert(tour.halts.remove(at: 6), at: 1)
    #expect(tour.hasChanges && context.hasChanges)
    try context.save()
    #expect(try stored() == "agbcdefh")
    let after = try positions()
    #expect(zip(before, after).filter { $0 != $1 }.count == 1)
    #expect(!context.hasChanges)
  }

  @Test("a list that is assigned in another order is in that order")
  func reversal() throws {
    let tour = try tour("abcd")
    tour.halts.reverse()
    tour.halts.insert(Halt("x"), at: 2)
    try context.save()
    #expect(try stored() == "dcxba")
    #expect(names(tour.halts) == "dcxba")
  }

  @Test(
    "a model added from the other end is appended, whether the list is loaded or not")
  func inverse() throws {
    let tour = try tour("ba")
    let third = Halt("c")
    context.insert(third)
    third.tour = tour
    #expect(names(tour.halts) == "bac")
    try context.save()
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    for name in ["e", "d"] {
      let halt = Halt(name)
      other.insert(halt)
      halt.tour = same
    }
    try other.save()
    #expect(try stored() == "baced")
    #expect(names(same.halts) == "baced")
  }

  @Test("a model that changes its owner is appended to the new owner's list")
  func newOwner() throws {
    let first = try tour("abc")
    let second = Tour("u")
    context.insert(second)
    second.halts = [Halt("x"), Halt("y")]
    try context.save()
    first.halts[0].tour = second
    try context.save()
    #expect(try stored() == "bc")
    #expect(try stored("u") == "xya")
    second.halts.insert(first.halts.remove(at: 1), at: 1)
    try context.save()
    #expect(try stored() == "b")
    #expect(try stored("u") == "xcya")
  }

  @Test(
    "a model that leaves and comes back is at the end, whether the list was read meanwhile or not")
  func comingBack() throws {
    let tour = try tour("abc")
    let first = tour.halts[0]
    first.tour = nil
    first.tour = tour
    #expect(names(tour.halts) == "bca")
    try context.save()
    #expect(try stored() == "bca")
  }

  @Test("a deletion leaves the others in their order")
  func deletion() throws {
    let tour = try tour("dbca")
    context.delete(tour.halts[1])
    #expect(names(tour.halts.filter { !$0.isDeleted }) == "dca")
    try context.save()
    #expect(try stored() == "dca")
  }

  @Test("rollback gives the order back")
  func rollback() throws {
    let tour = try tour("abc")
    tour.halts.swapAt(0, 2)
    context.rollback()
    #expect(names(tour.halts) == "abc")
    #expect(!context.hasChanges)
  }

  @Test("rows that another program made without a position come last, oldest first")
  func foreignRows() throws {
    let tour = try tour("ba")
    for (row, name) in [(9_001, "y"), (9_002, "x")] {
      try store.execute(
        "INSERT INTO \"Halt\" (_id, name, tour) SELECT \(row), '\(name)', _id FROM \"Tour\"")
    }
    #expect(try stored() == "bayx")
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    let last = Halt("z")
    other.insert(last)
    last.tour = same
    try other.save()
    #expect(try stored() == "bayxz")
    same.halts.swapAt(0, 2)
    try other.save()
    #expect(try stored() == "yabxz")
    #expect(tour.name == "t")
  }

  @Test("prefetching reads the lists in order with one statement")
  func prefetching() throws {
    for index in 0..<20 {
      let tour = Tour("p\(index)")
      context.insert(tour)
      tour.halts = "cab".map { Halt(String($0)) }
    }
    try context.save()
    let other = ModelContext(context.container)
    let before = other.container.executedStatementCount
    var descriptor = FetchDescriptor<Tour>()
    descriptor.relationshipKeyPathsForPrefetching = [\.halts]
    let tours = try other.fetch(descriptor)
    #expect(tours.allSatisfy { names($0.halts) == "cab" })
    #expect(other.container.executedStatementCount - before == 2)
  }

  // MARK: Pairs

  @Test("both ends of many to many have an order of their own")
  func pairs() throws {
    let tours = "abc".map { Tour(String($0)) }
    let guides = "xyz".map { Guide(String($0)) }
    for tour in tours { context.insert(tour) }
    tours[0].guides = [guides[2], guides[0], guides[1]]
    tours[1].guides = [guides[1], guides[2]]
    guides[2].tours = [tours[2], tours[1], tours[0]]
    try context.save()
    func check(_ expected: [String], _ found: [String]) throws {
      let other = ModelContext(context.container)
      let tours = try other.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
      #expect(tours.map { $0.guides.map(\.name).joined() } == expected)
      let guides = try other.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
      #expect(guides.map { $0.tours.map(\.name).joined() } == found)
    }
    try check(["zxy", "yz", "z"], ["a", "ab", "cba"])
    guides[2].tours.swapAt(0, 2)
    tours[0].guides.swapAt(0, 1)
    try context.save()
    try check(["xzy", "yz", "z"], ["a", "ab", "abc"])
    tours[0].guides.removeFirst()
    guides[0].tours.append(tours[2])
    try context.save()
    try check(["zy", "yz", "zx"], ["c", "ab", "abc"])
  }

  @Test("a list without an inverse has its order too")
  func oneWay() throws {
    let tour = try tour("")
    tour.postcards = "bca".map { Postcard(String($0)) }
    try context.save()
    tour.postcards.swapAt(0, 1)
    try context.save()
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    #expect(same.postcards.map(\.name) == ["c", "b", "a"])
  }

  // MARK: Undo

  @Test("moves, removals and deletions are undone with their places", arguments: [false, true])
  func undo(isSaved: Bool) throws {
    let tour = try tour("abcd")
    context.undoManager = UndoManager()
    func step(_ change: () throws -> Void, _ expected: String) throws {
      try change()
      context.processPendingChanges()
      #expect(names(tour.halts.filter { !$0.isDeleted }) == expected)
      if isSaved { try context.save() }
      context.undoManager?.undo()
      #expect(names(tour.halts) == "abcd")
      context.undoManager?.redo()
      #expect(names(tour.halts.filter { !$0.isDeleted }) == expected)
      context.undoManager?.undo()
      try context.save()
      #expect(try stored() == "abcd")
    }
    try step({ tour.halts.swapAt(0, 3) }, "dbca")
    try step({ tour.halts[1].tour = nil }, "acd")
    try step({ context.delete(tour.halts[2]) }, "abd")
  }

  // MARK: History

  @Test("a move is an update of the owner's relationship in the history")
  func history() throws {
    let tour = try tour("abc")
    let guides = "xy".map { Guide(String($0)) }
    tour.guides = guides
    try context.save()
    func changes(after change: () -> Void) throws -> [String] {
      change()
      try context.save()
      return try #require(try context.history().last).summary
    }
    #expect(try changes { tour.halts.swapAt(1, 2) } == ["update Tour 1 halts"])
    #expect(try changes { tour.guides.swapAt(0, 1) } == ["update Tour 1 guides"])
  }

  // MARK: Schema

  @Test(
    "a store that was made without the order doesn't fit",
    .enabled(
      if: StoreKind.tested == .sqlite, "a server's tables are compared by their description only"))
  func otherSchema() throws {
    _ = try tour("ab")
    try store.execute("DROP VIEW \"Halt_readable\"")
    try store.execute("ALTER TABLE \"Halt\" DROP COLUMN \"_order_tour\"")
    #expect(throws: StoreError.self) {
      try store.container(Tour.self, Halt.self, Guide.self, Postcard.self)
    }
  }

  @Test(
    "a store whose pairs have no order doesn't fit either",
    .enabled(
      if: StoreKind.tested == .sqlite, "a server's tables are compared by their description only"))
  func otherPairs() throws {
    _ = try tour("ab")
    try store.execute("ALTER TABLE \"Tour_postcards\" DROP COLUMN \"_order_owner\"")
    #expect(throws: StoreError.self) {
      try store.container(Tour.self, Halt.self, Guide.self, Postcard.self)
    }
  }

  @Test("the option is part of the schema, and refused for a relationship to one")
  func schema() throws {
    let schema = Schema([Tour.self, Halt.self, Guide.self, Postcard.self])
    let relationships = try #require(schema.entity(for: Tour.self)).relationships
    #expect(relationships.map(\.isOrdered) == [true, true, true])
    #expect(throws: SchemaError.self) {
      try memoryContainer(MisplacedOrder.Leg.self, MisplacedOrder.Track.self)
    }
  }
}
