/// A change of the models, described by keys: it is applied to the dictionary and to the framework.
enum Change {
  case insert(kind: Int, key: Int, town: Int?)
  /// A model whose relationship was set before the insertion, to other new models and to known ones.
  case insertLinked(kind: Int, key: Int, link: Int, made: [Int], known: [Int])
  case edit(key: Int, value: Int)
  case assign(key: Int, link: Int, destinations: [Int])
  case add(key: Int, link: Int, destination: Int)
  case remove(key: Int, link: Int, destination: Int)
  case delete(key: Int)

  /// The keys of the models that the change names.
  var keys: [Int] {
    switch self {
    case .insert(_, let key, let town): [key] + (town.map { [$0] } ?? [])
    case .insertLinked(_, let key, _, let made, let known): [key] + made + known
    case .edit(let key, _), .delete(let key): [key]
    case .assign(let key, _, let destinations): [key] + destinations
    case .add(let key, _, let destination), .remove(let key, _, let destination):
      [key, destination]
    }
  }

  func words(_ world: World, _ graph: Graph) -> String {
    func name(_ key: Int) -> String {
      "\(graph.nodes[key].map { world.kinds[$0.kind].name } ?? "new") \(key)"
    }
    return switch self {
    case .insert(let kind, let key, let town):
      "insert \(world.kinds[kind].name) \(key)" + (town.map { " of \(name($0))" } ?? "")
    case .insertLinked(let kind, let key, let link, let made, let known):
      "insert \(world.kinds[kind].name) \(key) with \(world.links[link].name) = \((made + known).map(name))"
    case .edit(let key, let value): "\(name(key)).value = \(value)"
    case .assign(let key, let link, let destinations):
      "\(name(key)).\(world.links[link].name) = \(destinations.map(name))"
    case .add(let key, let link, let destination):
      "\(name(key)).\(world.links[link].name) += \(name(destination))"
    case .remove(let key, let link, let destination):
      "\(name(key)).\(world.links[link].name) -= \(name(destination))"
    case .delete(let key): "delete \(name(key))"
    }
  }
}
