import SwiftData

/// A store with random creatures, and a context with all of them.
struct Menagerie {
  let container: ModelContainer
  let context: ModelContext
  let identifiers: [PersistentIdentifier]

  init(using choice: inout Choice) throws {
    container = try memoryContainer(Creature.self)
    let first = ModelContext(container)
    let marks = ["a", "é", "K", "10"].map(Mark.init)
    let keepers = ["a", "e\u{301}", "Z", ""].map(Keeper.init)
    for (number, keeper) in keepers.enumerated() {
      keeper.age = choice.maybe { $0.integer() }
      if number < 2 { keeper.badge = Badge(choice.integer()) }
    }
    let creatures = (0..<24).map { _ in Creature() }
    for model in keepers as [any PersistentModel] + marks + creatures { first.insert(model) }
    for creature in creatures {
      creature.fill(using: &choice)
      creature.keeper = choice.maybe { $0.one(of: keepers) }
      creature.parent = choice.number(2) == 0 ? nil : choice.one(of: creatures)
      creature.marks = Array(Set(choice.some(of: marks, most: 3)))
      creature.friends = Array(Set(choice.some(of: creatures, most: 2)))
    }
    try first.save()
    context = ModelContext(container)
    identifiers =
      try first.fetchIdentifiers(FetchDescriptor<Creature>())
      + first.fetchIdentifiers(FetchDescriptor<Keeper>())
      + first.fetchIdentifiers(FetchDescriptor<Mark>())
  }

  /// Makes some changes without saving them.
  func disturb(using choice: inout Choice) throws {
    let creatures = try context.fetch(FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.key)]))
    let keepers = try context.fetch(FetchDescriptor<Keeper>(sortBy: [SortDescriptor(\.name)]))
    let marks = try context.fetch(FetchDescriptor<Mark>(sortBy: [SortDescriptor(\.text)]))
    for _ in 0..<1 + choice.number(6) {
      let creature = choice.one(of: creatures)
      let keeper = choice.one(of: keepers)
      switch choice.number(9) {
      case 0: keeper.name = choice.text()
      case 1: keeper.age = choice.maybe { $0.integer() }
      case 2: creature.keeper = choice.maybe { $0.one(of: keepers) }
      case 3: choice.one(of: marks).creatures.append(creature)
      case 4: choice.one(of: marks).text = choice.text()
      case 5: creature.friends = choice.some(of: creatures, most: 1)
      case 6: if !keeper.creatures.isEmpty { keeper.creatures.removeLast() }
      case 7: keeper.badge = choice.truth() ? nil : Badge(choice.integer())
      default: creature.fill(using: &choice)
      }
    }
  }
}

extension Creature {
  func fill(using choice: inout Choice) {
    name = choice.text()
    note = choice.maybe { $0.text() }
    count = choice.integer()
    rank = choice.maybe { $0.integer() }
    small = choice.small()
    big = choice.big()
    size = choice.real()
    depth = choice.maybe { $0.real() }
    ratio = choice.float()
    born = choice.date()
    seen = choice.maybe { $0.date() }
    isTame = choice.truth()
    isShy = choice.maybe { $0.truth() }
    diet = choice.diet()
    treat = choice.maybe { $0.diet() }
    den = choice.den()
    nest = choice.maybe { $0.den() }
    data = choice.data()
    key = choice.key()
    price = choice.price()
    words = choice.some(of: Choice.texts, most: 3)
    numbers = (0..<choice.number(4)).map { _ in choice.integer() }
    diets = choice.some(of: Diet.allCases, most: 2)
    keys = Set((0..<choice.number(3)).map { _ in choice.key() })
    scores = choice.truth() ? [:] : [choice.text(): choice.integer()]
  }
}

extension Choice {
  mutating func den() -> Den {
    Den(name: text(), note: maybe { $0.text() }, depth: maybe { $0.real() })
  }
}
