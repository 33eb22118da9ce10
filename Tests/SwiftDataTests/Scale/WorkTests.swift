import Foundation
import SwiftData
import SwiftDataCore
import Testing

/// The total work for many models must be linear in their number, counted in models visited.
@Suite("The work for many models grows as their number")
struct WorkTests {
  /// - Parameter most: The largest n.
  /// - Returns: The steps of `work` for n, 2n and 4n models.
  private func growth(
    most: Int = .max, _ work: (Int) throws -> Int
  ) rethrows -> (Int, Int, Int) {
    let count = min(max(Scale.count / 4, 500), most)
    return try (work(count), work(2 * count), work(4 * count))
  }

  /// Twice as many models may take two and a half times as much work: quadratic work would be four times as much.
  private func expectLinear(
    _ steps: (Int, Int, Int), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(steps.0 > 0, sourceLocation: sourceLocation)
    #expect(steps.1 * 2 <= steps.0 * 5, "\(steps)", sourceLocation: sourceLocation)
    #expect(steps.2 * 2 <= steps.1 * 5, "\(steps)", sourceLocation: sourceLocation)
  }

  private func context() throws -> ModelContext {
    ModelContext(try memoryContainer(Knot.self, Card.self, CardBox.self))
  }

  @Test("children that come by their own end of the relationship and leave again")
  func childrenThatLeave() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        let parent = CardBox("p")
        context.insert(parent)
        let cards = (0..<count).map { Card("\($0)") }
        for card in cards { card.box = parent }
        let index = try #require(parent._$modelState.plan?.propertiesByName["cards"])
        for card in cards.reversed() { card.box = nil }
        let steps = parent._$modelState.linkChanges(at: index)?.steps ?? 0
        #expect(parent.cards.isEmpty)
        return steps
      })
  }

  enum Owner: CaseIterable {
    case inserted, saved, alone
  }

  /// A list that is shared while it grows is copied each time, so that its address changes.
  @Test(
    "children that are appended one by one",
    .enabled(if: StoreKind.tested == .sqlite, "is about lists in memory"),
    arguments: Owner.allCases)
  func appendedChildren(owner: Owner) throws {
    expectLinear(
      try growth { count in
        let context = try context()
        let parent = CardBox("p")
        if owner != .alone { context.insert(parent) }
        if owner == .saved { try context.save() }
        var moves = 0
        var place: UnsafeRawPointer?
        for number in 0..<count {
          parent.cards.append(Card("\(number)"))
          let next = parent.cards.withUnsafeBytes { $0.baseAddress }
          if next != place { moves += 1 }
          place = next
        }
        #expect(parent.cards.map(\.key) == (0..<count).map { "\($0)" })
        // Short lists are copied; longer ones move when their capacity doubles.
        #expect(moves < 64)
        return count + moves
      })
  }

  /// The ways in which a model is added to the end of an ordered list.
  enum Arrival: CaseIterable {
    case list, otherEnd, pairs, oneWay

    func append(_ name: String, to tour: Tour, _ context: ModelContext) {
      switch self {
      case .list: tour.halts.append(Halt(name))
      case .otherEnd:
        let halt = Halt(name)
        context.insert(halt)
        halt.tour = tour
      case .pairs: tour.guides.append(Guide(name))
      case .oneWay: tour.postcards.append(Postcard(name))
      }
    }

    func leave(_ tour: Tour) {
      switch self {
      case .list: tour.halts.removeFirst()
      case .otherEnd: tour.halts[0].tour = nil
      case .pairs: tour.guides[0].tours = []
      case .oneWay: tour.postcards.removeFirst()
      }
    }

    func names(_ tour: Tour) -> [String] {
      switch self {
      case .list, .otherEnd: tour.halts.map(\.name)
      case .pairs: tour.guides.map(\.name)
      case .oneWay: tour.postcards.map(\.name)
      }
    }

    /// The address of the list: a copy has another one.
    func place(_ tour: Tour) -> UnsafeRawPointer? {
      switch self {
      case .list, .otherEnd: tour.halts.withUnsafeBytes { $0.baseAddress }
      case .pairs: tour.guides.withUnsafeBytes { $0.baseAddress }
      case .oneWay: tour.postcards.withUnsafeBytes { $0.baseAddress }
      }
    }
  }

  @Test(
    "members of ordered lists that come and go one by one while undo is recorded, and back",
    .enabled(if: StoreKind.tested == .sqlite, "is about lists in memory"),
    arguments: Arrival.allCases)
  func undoneOrder(arrival: Arrival) throws {
    // Each step compares the list's words, as fast as memory is read, and moves them when the first one is removed.
    // With 62,500 to 250,000 models that took more than ten minutes.
    expectLinear(
      try growth(most: 10_000) { count in
        let context = ModelContext(
          try memoryContainer(Tour.self, Halt.self, Guide.self, Postcard.self))
        let undo = UndoManager()
        context.undoManager = undo
        let tour = Tour("t")
        context.insert(tour)
        let names = (0..<count).map { "\($0)" }
        var moves = 0
        func forEach(_ step: (String) -> Void) {
          var place = arrival.place(tour)
          for name in names {
            step(name)
            context.processPendingChanges()
            let next = arrival.place(tour)
            if next != place { moves += 1 }
            place = next
          }
        }
        let work = WorkCounter(of: .undoneOrder)
        WorkCounter.$current.withValue(work) {
          forEach { arrival.append($0, to: tour, context) }
          #expect(arrival.names(tour) == names)
          forEach { _ in undo.undo() }
          #expect(arrival.names(tour).isEmpty)
          forEach { _ in undo.redo() }
          #expect(arrival.names(tour) == names)
          forEach { _ in arrival.leave(tour) }
          #expect(arrival.names(tour).isEmpty)
          forEach { _ in undo.undo() }
          #expect(arrival.names(tour) == names)
        }
        return work.models + moves
      })
  }

  @Test("models that were related before, inserted one after the other")
  func relatedBefore() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        let tag = Knot(-1)
        let knots = (0..<count).map { Knot($0) }
        let parents = (0..<count).map { Knot($0) }
        for (knot, parent) in zip(knots, parents) {
          knot.next = tag
          knot.above = parent
        }
        let work = WorkCounter(of: .detachedModels)
        WorkCounter.$current.withValue(work) {
          for parent in parents { context.insert(parent) }
        }
        #expect(context.insertedModelsArray.count == 2 * count + 1)
        return work.models
      })
  }

  @Test("models with temporary identifiers that are looked up")
  func temporaryIdentifiers() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        var identifiers: [PersistentIdentifier] = []
        var found = 0
        for number in 0..<count {
          let card = Card("\(number)")
          if number.isMultiple(of: 2) { identifiers.append(card.persistentModelID) }
          context.insert(card)
          if !number.isMultiple(of: 2) { identifiers.append(card.persistentModelID) }
          let known: Card? = context.registeredModel(for: identifiers[number / 2])
          if known?.key == "\(number / 2)" { found += 1 }
        }
        for (number, identifier) in identifiers.enumerated()
        where (context.model(for: identifier) as? Card)?.key == "\(number)" {
          found += 1
        }
        #expect(found == 2 * count)
        return context.pendingSteps + count
      })
  }

  @Test("models that are looked for by a key and inserted when there is none")
  func findOrInsert() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        for number in 0..<count {
          let key = "\(number % (count / 2))"
          let found = try context.fetch(
            FetchDescriptor<Card>(predicate: #Predicate { $0.key == key }))
          if let card = found.first {
            card.text += "again"
          } else {
            context.insert(Card(key))
          }
        }
        #expect(context.insertedModelsArray.count == count / 2)
        return context.pendingSteps
      })
  }

  @Test("the same for stored models that are edited")
  func findAndEdit() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        for number in 0..<count { context.insert(Card("\(number)")) }
        try context.save()
        let held = try context.fetch(FetchDescriptor<Card>())
        for number in 0..<count {
          let key = "\(number)"
          let card = try #require(
            try context.fetch(
              FetchDescriptor<Card>(predicate: #Predicate { $0.key == key && $0.text == "" })
            ).first)
          card.text = "edited"
        }
        #expect(context.changedModelsArray.count == count)
        withExtendedLifetime(held) {}
        return context.pendingSteps
      })
  }

  @Test("models that are deleted and saved one by one beside many that stay")
  func deletionsOneByOne() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        let cards = (0..<count).map { Card("\($0)") }
        for (number, card) in cards.enumerated() {
          context.insert(card)
          // The first half is deleted; half of its models are friends of models that stay.
          if number.isMultiple(of: 2) { card.friend = cards[number / 2] }
        }
        try context.save()
        let work = WorkCounter(of: .linkOwners)
        let leaving = (count + 1) / 2
        try WorkCounter.$current.withValue(work) {
          for card in cards[..<leaving] {
            context.delete(card)
            try context.save()
          }
        }
        for (number, card) in cards.enumerated() where number >= leaving {
          #expect(card.friend == nil, "\(number)")
        }
        #expect(try context.fetchCount(FetchDescriptor<Card>()) == count - leaving)
        return work.models + 1
      })
  }

  @Test("fetches of a class without changes beside many pending models of another")
  func otherClass() throws {
    expectLinear(
      try growth { count in
        let context = try context()
        for number in 0..<count { context.insert(Card("\(number)")) }
        for _ in 0..<count { #expect(try context.fetchCount(FetchDescriptor<CardBox>()) == 0) }
        return context.pendingSteps
      })
  }
}

/// The tables of pending values must agree with a search of all pending models.
@Suite("A fetch by a key finds pending models by their present values")
struct PendingKeyTests {
  let context: ModelContext

  init() throws {
    context = ModelContext(try memoryContainer(Knot.self, Card.self, CardBox.self))
  }

  private func texts(_ key: String) throws -> [String] {
    try context.fetch(
      FetchDescriptor<Card>(
        predicate: #Predicate { $0.key == key }, sortBy: [SortDescriptor(\.text)])
    ).map(\.text)
  }

  @Test("after changes of the key, before and after the first question, and back")
  func changes() throws {
    let card = Card("a", text: "one")
    context.insert(card)
    #expect(try texts("a") == ["one"])
    card.key = "b"
    #expect(try texts("a").isEmpty)
    #expect(try texts("b") == ["one"])
    card.key = "a"
    #expect(try texts("a") == ["one"])
    #expect(try texts("b").isEmpty)
    context.insert(Card("b", text: "two"))
    #expect(try texts("b") == ["two"])
    try context.save()
    #expect(try texts("a") == ["one"])
    card.key = "c"
    #expect(try texts("a").isEmpty)
    #expect(try texts("c") == ["one"])
    context.rollback()
    #expect(try texts("a") == ["one"])
    #expect(try texts("c").isEmpty)
    context.delete(card)
    #expect(try texts("a").isEmpty)
    context.rollback()
    card.text = "edited"
    #expect(try texts("a") == ["edited"])
    context.undoManager = UndoManager()
    card.key = "d"
    context.processPendingChanges()
    #expect(try texts("d") == ["edited"])
    context.undoManager?.undo()
    #expect(try texts("d").isEmpty)
    #expect(try texts("a") == ["edited"])
  }

  @Test("among stored rows, with limit, offset and more conditions")
  func descriptors() throws {
    for number in 0..<6 { context.insert(Knot(number % 2)) }
    try context.save()
    let stored = try context.fetch(FetchDescriptor<Knot>(sortBy: [SortDescriptor(\.number)]))
    stored[0].number = 1
    context.delete(stored[5])
    context.insert(Knot(1))
    func count(_ limit: Int?, _ offset: Int?) throws -> [Int] {
      var descriptor = FetchDescriptor<Knot>(
        predicate: #Predicate { $0.number == 1 && $0.next == nil })
      descriptor.fetchLimit = limit
      descriptor.fetchOffset = offset
      return [try context.fetch(descriptor).count, try context.fetchCount(descriptor)]
    }
    #expect(try count(nil, nil) == [4, 4])
    #expect(try count(2, nil) == [2, 2])
    #expect(try count(3, 2) == [2, 2])
    #expect(try count(nil, 9) == [0, 0])
    let all = FetchDescriptor<Knot>(predicate: #Predicate { $0.number >= 0 })
    #expect(try context.fetchCount(all) == 6)
    #expect(try context.fetch(all).count == 6)
  }

  @Test("a random walk agrees with a look at every model")
  func random() throws {
    var generator = SeededGenerator(seed: 6)
    var live: [Card] = []
    var checks = 0
    for step in 0..<600 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...2:
        let card = Card("\(Int.random(in: 0..<12, using: &generator))#\(step)")
        context.insert(card)
        live.append(card)
      case 3, 4:
        guard let card = live.randomElement(using: &generator) else { continue }
        card.key = "\(Int.random(in: 0..<12, using: &generator))#\(step)"
      case 5:
        guard let index = live.indices.randomElement(using: &generator) else { continue }
        context.delete(live.remove(at: index))
      case 6:
        if step.isMultiple(of: 3) { try context.save() }
      default:
        if let card = live.randomElement(using: &generator) { card.text = "edited \(step)" }
      }
      guard let wanted = live.randomElement(using: &generator)?.key else { continue }
      for key in [wanted, "none"] {
        let found = try context.fetch(
          FetchDescriptor<Card>(predicate: #Predicate { $0.key == key }))
        #expect(
          Set(found.map(ObjectIdentifier.init))
            == Set(live.filter { $0.key == key }.map(ObjectIdentifier.init)))
        checks += 1
      }
    }
    #expect(checks > 500)
  }
}
