import SwiftData
import Testing

/// A row of docs/traps.md: saved models whose context has ended, inserted into another container.
@Suite("Models of an ended context bring what they lead to into another container")
struct FollowingModelTests {
  let source: ModelContainer
  let target: ModelContext

  /// The rows of the two containers have the same numbers.
  init() throws {
    source = try memoryContainer(Fragile.self)
    let context = ModelContext(source)
    let red = Fragile("red", number: 7)
    let green = Fragile("green", number: 8)
    context.insert(red)
    try context.save()
    context.insert(green)
    green.mate = red
    context.insert(Piece(1, of: green))
    context.insert(Piece(2, of: red))
    try context.save()
    target = ModelContext(try memoryContainer(Fragile.self))
    for name in ["x", "y", "z"] { target.insert(Fragile(name)) }
    try target.save()
  }

  /// Fetches models in a context that then ends.
  func fetched<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
    try ModelContext(source).fetch(descriptor)
  }

  /// Describes the pieces of the target as stored, in order.
  func storedPieces() throws -> [String] {
    try ModelContext(target.container).fetch(FetchDescriptor<Piece>(sortBy: [.init(\.number)]))
      .map { "\($0.number) \($0.whole.name) \($0.whole.mate?.name ?? "-")" }
  }

  func storedNames() throws -> [String] {
    try ModelContext(target.container).fetch(FetchDescriptor<Fragile>(sortBy: [.init(\.name)]))
      .map(\.name)
  }

  @Test("to-one relationships lead to the same models, read or not", arguments: [false, true])
  func destinations(isRead: Bool) throws {
    let pieces = try fetched(FetchDescriptor<Piece>(sortBy: [.init(\.number)]))
    if isRead { #expect(pieces.map(\.whole.name) == ["green", "red"]) }
    for piece in pieces { target.insert(piece) }
    #expect(pieces.map(\.whole.name) == ["green", "red"])
    try target.save()
    #expect(pieces.map(\.whole.name) == ["green", "red"])
    #expect(try storedPieces() == ["1 green red", "2 red -"])
    #expect(try storedNames() == ["green", "red", "x", "y", "z"])
    #expect(try ModelContext(source).fetchCount(FetchDescriptor<Fragile>()) == 2)
  }

  @Test("lists have the same models, read or not", arguments: [false, true])
  func lists(isRead: Bool) throws {
    let wholes = try fetched(FetchDescriptor<Fragile>(sortBy: [.init(\.name)]))
    if isRead { #expect(wholes.map(\.pieces.count) == [1, 1]) }
    for whole in wholes { target.insert(whole) }
    try target.save()
    #expect(wholes.map { $0.pieces.map(\.number) } == [[1], [2]])
    #expect(try storedPieces() == ["1 green red", "2 red -"])
    #expect(try storedNames() == ["green", "red", "x", "y", "z"])
  }

  @Test("a row that two models lead to comes once, when it was inserted before the second, too")
  func once() throws {
    let wholes = try fetched(
      FetchDescriptor<Fragile>(sortBy: [.init(\.name, order: .reverse)]))
    for whole in wholes {
      target.insert(whole)
      try target.save()
    }
    #expect(wholes.map(\.name) == ["red", "green"] && wholes[1].mate === wholes[0])
    #expect(try storedNames() == ["green", "red", "x", "y", "z"])
  }

  @Test("a model comes with its list when a relationship of a new model leads to it")
  func related() throws {
    let red = try #require(
      try fetched(FetchDescriptor<Fragile>(predicate: #Predicate { $0.name == "red" })).first)
    let new = Fragile("new")
    target.insert(new)
    new.mate = red
    try target.save()
    #expect(try storedNames() == ["new", "red", "x", "y", "z"])
    #expect(try storedPieces() == ["2 red -"])
  }

  @Test("a link that a new model has set stays, instead of the former owner's")
  func taken() throws {
    let pieces = try fetched(FetchDescriptor<Piece>(sortBy: [.init(\.number)]))
    let new = Fragile("new")
    new.pieces = [pieces[0]]
    target.insert(new)
    #expect(new.pieces.map(\.number) == [1])
    try target.save()
    #expect(try storedPieces() == ["1 new -", "2 red -"])
    #expect(try storedNames() == ["green", "new", "red", "x", "y", "z"])
  }

  @Test("a fixture comes with its list and its destination when its first container is gone")
  func fixture() throws {
    let model = Fragile("fixture")
    model.pieces = [Piece(1, of: model), Piece(2, of: model)]
    model.mate = Fragile("mate")
    for _ in 0..<2 {
      let context = ModelContext(try memoryContainer(Fragile.self))
      context.insert(model)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Piece>()) == 2)
      #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 2)
      #expect(model.pieces.count == 2 && model.mate?.name == "mate")
    }
  }

  @Test("properties that the fetch left out come along, into the same container, too")
  func leftOut() throws {
    var descriptor = FetchDescriptor<Fragile>(predicate: #Predicate { $0.name == "red" })
    descriptor.propertiesToFetch = [\.name]
    let context = ModelContext(source)
    for context in [target, context] {
      let model = try #require(try fetched(descriptor).first)
      context.insert(model)
      try context.save()
      #expect(model.number == 7 && model.words == ["a", "red"])
    }
    #expect(try context.fetchCount(descriptor) == 2)
  }
}
