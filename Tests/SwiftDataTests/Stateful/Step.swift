/// A random step. Its numbers select among the models that exist when it is applied, so a sequence stays valid when
/// steps are removed from it.
struct Step {
  enum Action: CaseIterable {
    case insert, insertLinked, edit, assign, add, remove, clear, delete
    case rollback, save, reopen, elsewhere, forget, touch, check, undo, redo
  }

  let action: Action
  let picks: [Int]

  /// The relative frequency of each action.
  private static let weights: [(Action, Int)] = [
    (.insert, 14), (.insertLinked, 8), (.edit, 6), (.assign, 12), (.add, 14), (.remove, 8),
    (.clear, 4), (.delete, 8), (.rollback, 3), (.save, 10), (.reopen, 2), (.elsewhere, 8),
    (.forget, 4), (.touch, 8), (.check, 3),
  ]
  private static let plainDeck = deck(weights)
  private static let undoDeck = deck(weights + [(.undo, 8), (.redo, 5)])

  private static func deck(_ weights: [(Action, Int)]) -> [Action] {
    weights.flatMap { Array(repeating: $0.0, count: $0.1) }
  }

  static func sequence(_ count: Int, seed: UInt64, undoes: Bool = false) -> [Step] {
    let deck = undoes ? undoDeck : plainDeck
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let card = Int(generator.next() % UInt64(deck.count))
      return Step(
        action: deck[card],
        picks: (0..<8).map { _ in Int(truncatingIfNeeded: generator.next() >> 33) })
    }
  }

  /// Returns the change that the step makes in `graph`; nil when no model is suitable.
  func change(in graph: Graph, _ world: World, newKey: () -> Int) -> Change? {
    switch action {
    case .insert: return insertion(graph, world, newKey)
    case .insertLinked: return linkedInsertion(graph, world, newKey)
    case .edit:
      return pick(graph.live(), 0).map { .edit(key: $0, value: picks[1] % 1_000) }
    case .delete: return pick(graph.live(), 0).map { .delete(key: $0) }
    case .assign, .add, .remove, .clear: return relation(graph, world)
    default: return nil
    }
  }

  private func pick(_ keys: [Int], _ number: Int) -> Int? {
    keys.isEmpty ? nil : keys[picks[number] % keys.count]
  }

  private func insertion(_ graph: Graph, _ world: World, _ newKey: () -> Int) -> Change? {
    let kind = picks[0] % world.kinds.count
    guard world.kinds[kind].needsTown else {
      return .insert(kind: kind, key: newKey(), town: nil)
    }
    return pick(graph.live(World.town), 1).map { .insert(kind: kind, key: newKey(), town: $0) }
  }

  private func linkedInsertion(_ graph: Graph, _ world: World, _ newKey: () -> Int) -> Change? {
    let kind = picks[0] % 2
    let links = world.linksOfKind[kind]
    let index = links[picks[1] % links.count]
    let link = world.links[index]
    let key = newKey()
    let canMake = !world.kinds[link.destination].needsTown
    let made = canMake ? (0..<picks[2] % 3).map { _ in newKey() } : []
    var known = Set<Int>()
    for number in 0..<picks[3] % 3 {
      if let destination = pick(graph.live(link.destination), 4 + number) {
        known.insert(destination)
      }
    }
    if link.isToMany {
      return .insertLinked(kind: kind, key: key, link: index, made: made, known: known.sorted())
    }
    let only = (made + known.sorted()).first
    return .insertLinked(
      kind: kind, key: key, link: index, made: made.filter { $0 == only },
      known: known.filter { $0 == only })
  }

  private func relation(_ graph: Graph, _ world: World) -> Change? {
    guard let key = pick(graph.live(), 0), let node = graph.nodes[key] else { return nil }
    let links = world.linksOfKind[node.kind]
    let index = links[picks[1] % links.count]
    let link = world.links[index]
    let candidates = graph.live(link.destination)
    let present = graph.destinations(key, index).sorted()
    switch action {
    case .add:
      return pick(candidates, 2).map { destination in
        link.isToMany
          ? .add(key: key, link: index, destination: destination)
          : .assign(key: key, link: index, destinations: [destination])
      }
    case .remove:
      guard let destination = pick(present, 2), link.isOptional else { return nil }
      return link.isToMany
        ? .remove(key: key, link: index, destination: destination)
        : .assign(key: key, link: index, destinations: [])
    case .clear:
      return link.isOptional ? .assign(key: key, link: index, destinations: []) : nil
    default:
      let wanted = link.isToMany ? picks[2] % 4 : 1
      let chosen = Set((0..<wanted).compactMap { pick(candidates, 3 + $0) }).sorted()
      if chosen.isEmpty, !link.isOptional { return nil }
      return .assign(key: key, link: index, destinations: chosen)
    }
  }
}
