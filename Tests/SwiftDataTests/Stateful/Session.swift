import Foundation
import SwiftData

/// A difference between the framework and the dictionary.
struct Difference: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A context that applies changes, with the instances that a program would hold.
final class Session {
  let world: World
  let context: ModelContext
  private(set) var held: [Int: any Being] = [:]

  init(_ world: World, _ container: ModelContainer) {
    self.world = world
    context = ModelContext(container)
  }

  /// Starts recording undo steps.
  func record() -> UndoManager {
    let manager = UndoManager()
    context.undoManager = manager
    return manager
  }

  func forget() { held = [:] }

  /// Releases the instances that are no longer in the graph.
  func keep(_ graph: Graph) { held = held.filter { graph.isLive($0.key) } }

  func model(_ key: Int, _ graph: Graph) throws -> any Being {
    if let known = held[key] { return known }
    guard let node = graph.nodes[key] else { throw Difference("the test has no model \(key)") }
    guard let found = try world.kinds[node.kind].find(context, key) else {
      throw Difference("\(world.kinds[node.kind].name) \(key) isn't found by a predicate")
    }
    held[key] = found
    return found
  }

  /// - Parameter graph: The state before the change.
  func apply(_ change: Change, _ graph: Graph) throws {
    switch change {
    case .insert(let kind, let key, let town):
      let town = try town.map { try model($0, graph) } as? Town
      try insert(try make(kind, key, town), kind)
    case .insertLinked(let kind, let key, let link, let made, let known):
      let model = try make(kind, key, nil)
      let destination = world.links[link].destination
      let new = try made.map { try make(destination, $0, nil) }
      let old = try known.map { try self.model($0, graph) }
      world.links[link].set(model, new + old)
      try insert(model, kind)
    case .edit(let key, let value): try model(key, graph).value = value
    case .assign(let key, let link, let destinations):
      let new = try destinations.map { try model($0, graph) }
      world.links[link].set(try model(key, graph), new)
    case .add(let key, let link, let destination):
      let (owner, new) = (try model(key, graph), try model(destination, graph))
      world.links[link].set(owner, world.links[link].get(owner) + [new])
    case .remove(let key, let link, let destination):
      let (owner, old) = (try model(key, graph), try model(destination, graph))
      world.links[link].set(owner, world.links[link].get(owner).filter { $0 !== old })
    case .delete(let key):
      let model = try model(key, graph)
      if let kind = graph.nodes[key]?.kind { world.kinds[kind].delete(context, model) }
    }
  }

  private func make(_ kind: Int, _ key: Int, _ town: Town?) throws -> any Being {
    guard let model = world.kinds[kind].make(key, town) else {
      throw Difference("\(world.kinds[kind].name) \(key) can't be made")
    }
    held[key] = model
    return model
  }

  private func insert(_ model: any Being, _ kind: Int) throws {
    world.kinds[kind].insert(context, model)
    if model.modelContext !== context { throw Difference("insert left \(model.key) outside") }
  }

  // MARK: Comparing

  /// Compares the context's models and relationships with `graph`.
  func check(_ graph: Graph, isSaved: Bool = false) throws {
    for kind in world.kinds.indices {
      let name = world.kinds[kind].name
      let models = try world.kinds[kind].all(context)
      let keys = models.map(\.key).sorted()
      let expected = graph.live(kind)
      guard keys == expected else { throw Difference("\(name): \(keys), expected \(expected)") }
      let count = try world.kinds[kind].count(context)
      if count != keys.count { throw Difference("\(name): counted \(count) of \(keys.count)") }
      for model in models { try check(model, graph, isSaved: isSaved) }
    }
  }

  private func check(_ model: any Being, _ graph: Graph, isSaved: Bool) throws {
    guard let node = graph.nodes[model.key] else { return }
    let name = "\(world.kinds[node.kind].name) \(model.key)"
    if model.isDeleted { throw Difference("\(name) says that it is deleted") }
    if let known = held[model.key], known !== model {
      throw Difference("\(name) has two instances in one context")
    }
    if model.value != node.value {
      throw Difference("\(name).value is \(model.value), expected \(node.value)")
    }
    for link in world.linksOfKind[node.kind] {
      try check(model, link, graph, isSaved: isSaved)
    }
  }

  /// Compares one relationship of one model.
  func check(_ model: any Being, _ index: Int, _ graph: Graph, isSaved: Bool = false) throws {
    guard let node = graph.nodes[model.key] else { return }
    let link = world.links[index]
    var found = link.get(model)
    // Until a deletion is saved, relationships that it doesn't change may still contain the deleted
    // model.
    let rule = link.inverse.map { world.links[$0].rule }
    if !isSaved, rule == nil || rule == .deny || rule == .noAction || !link.isOptional {
      found.removeAll { $0.isDeleted }
    }
    // The placeholder of a destination that doesn't exist.
    if !link.isOptional { found.removeAll { $0.isDeleted } }
    // Another context deleted the model and left the key: the instance that this context holds may
    // be visible.
    if rule == .noAction { found.removeAll { !graph.isLive($0.key) && !$0.isDeleted } }
    let name = "\(world.kinds[node.kind].name) \(model.key).\(link.name)"
    if let gone = found.first(where: { $0.isDeleted }) {
      throw Difference("\(name) leads to \(gone.key), which is deleted")
    }
    let keys = found.map(\.key).sorted()
    let expected = graph.destinations(model.key, index).sorted()
    if keys != expected { throw Difference("\(name) is \(keys), expected \(expected)") }
  }
}
