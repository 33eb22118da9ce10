/// The plain dictionary that the framework must agree with: models by key, their links as sets of keys.
struct Graph {
  struct Node: Equatable {
    let kind: Int
    var value = 0
    /// The destinations of each relationship, by its position in the world.
    var links: [Int: Set<Int>] = [:]
    /// Deleted, but not saved yet.
    var isDeleted = false
    /// Inserted, but not saved yet.
    var isNew = true
  }

  var nodes: [Int: Node] = [:]

  /// The keys of the models of a kind that aren't deleted, ascending.
  func live(_ kind: Int? = nil) -> [Int] {
    nodes.filter { !$0.value.isDeleted && (kind == nil || $0.value.kind == kind) }.keys.sorted()
  }

  func isLive(_ key: Int) -> Bool { nodes[key].map { !$0.isDeleted } ?? false }

  /// The destinations that aren't deleted.
  func destinations(_ key: Int, _ link: Int) -> Set<Int> {
    (nodes[key]?.links[link] ?? []).filter { isLive($0) }
  }

  // MARK: Changes

  mutating func apply(_ change: Change, _ world: World) {
    switch change {
    case .insert(let kind, let key, let town):
      nodes[key] = Node(kind: kind)
      if let town, let link = world.linksOfKind[kind].first(where: { !world.links[$0].isOptional })
      {
        connect(key, link, town, world)
      }
    case .insertLinked(let kind, let key, let link, let made, let known):
      nodes[key] = Node(kind: kind)
      for key in made { nodes[key] = Node(kind: world.links[link].destination) }
      for destination in made + known { connect(key, link, destination, world) }
    case .edit(let key, let value): nodes[key]?.value = value
    case .assign(let key, let link, let destinations):
      for old in nodes[key]?.links[link] ?? [] where !destinations.contains(old) {
        disconnect(key, link, old, world)
      }
      for new in destinations { connect(key, link, new, world) }
    case .add(let key, let link, let destination): connect(key, link, destination, world)
    case .remove(let key, let link, let destination): disconnect(key, link, destination, world)
    case .delete(let key): delete(key, world)
    }
  }

  private mutating func connect(_ key: Int, _ link: Int, _ destination: Int, _ world: World) {
    guard nodes[key]?.links[link]?.contains(destination) != true else { return }
    if !world.links[link].isToMany {
      for old in nodes[key]?.links[link] ?? [] { disconnect(key, link, old, world) }
    }
    nodes[key]?.links[link, default: []].insert(destination)
    guard let inverse = world.links[link].inverse else { return }
    if !world.links[inverse].isToMany {
      for old in nodes[destination]?.links[inverse] ?? [] {
        disconnect(destination, inverse, old, world)
      }
    }
    nodes[destination]?.links[inverse, default: []].insert(key)
  }

  private mutating func disconnect(_ key: Int, _ link: Int, _ destination: Int, _ world: World) {
    remove(destination, from: key, link)
    if let inverse = world.links[link].inverse { remove(key, from: destination, inverse) }
  }

  private mutating func remove(_ destination: Int, from key: Int, _ link: Int) {
    nodes[key]?.links[link]?.remove(destination)
    if nodes[key]?.links[link]?.isEmpty == true { nodes[key]?.links[link] = nil }
  }

  private mutating func delete(_ key: Int, _ world: World) {
    var waiting = [key]
    while let next = waiting.popLast() {
      guard let node = nodes[next], !node.isDeleted else { continue }
      nodes[next]?.isDeleted = true
      for (link, destinations) in node.links {
        switch world.links[link].rule {
        case .cascade: waiting += destinations
        case let rule where rule == .nullify || node.isNew:
          guard let inverse = world.links[link].inverse else { continue }
          for destination in destinations { remove(next, from: destination, inverse) }
        default: break
        }
      }
      if node.isNew { nodes[next] = nil }
    }
  }

  /// Removes the links that lead back to a model that was never saved.
  private mutating func drop(_ key: Int, _ node: Node, _ world: World) {
    for (link, destinations) in node.links {
      guard let inverse = world.links[link].inverse else { continue }
      for destination in destinations { remove(key, from: destination, inverse) }
    }
  }

  // MARK: Saving

  /// Returns the reason why the graph can't be saved; nil when it can.
  func refusal(_ world: World) -> String? {
    for (key, node) in nodes {
      for index in world.linksOfKind[node.kind] {
        let link = world.links[index]
        if node.isDeleted, link.rule == .deny, !guarded(key, index, world).isEmpty {
          return "\(world.kinds[node.kind].name) \(key) is denied its deletion by \(link.name)"
        }
        if !node.isDeleted, !link.isOptional, destinations(key, index).isEmpty {
          return "\(world.kinds[node.kind].name) \(key) has no \(link.name)"
        }
      }
    }
    return nil
  }

  /// Returns the destinations that may deny an unsaved deletion: a destination that was moved to another owner can't.
  private func guarded(_ key: Int, _ link: Int, _ world: World) -> Set<Int> {
    guard let inverse = world.links[link].inverse else { return destinations(key, link) }
    return destinations(key, link).filter { nodes[$0]?.links[inverse]?.contains(key) == true }
  }

  /// Returns this graph in the state of `other`, expressed as changes of `stored`: models that must go are deleted,
  /// models that must come back are inserted again.
  ///
  /// - Parameter undoing: Whether models go because their insertion is undone, in contrast to redoing their deletion.
  func returned(to other: Graph, stored: Graph, undoing: Bool, _ world: World) -> Graph {
    var result = other
    for (key, node) in nodes where !node.isDeleted && !other.isLive(key) {
      // A stored model is only marked until the save.
      result.nodes[key] = stored.nodes[key].map { _ in node }
      result.nodes[key]?.isDeleted = true
      // The links of an inserted model are undone before its insertion.
      if undoing { result.nodes[key]?.links = [:] }
      if stored.nodes[key] == nil { result.drop(key, node, world) }
    }
    // A deletion that was saved meanwhile is no longer pending.
    result.nodes = result.nodes.filter { !$0.value.isDeleted || stored.nodes[$0.key] != nil }
    for key in result.nodes.keys {
      result.nodes[key]?.isNew = stored.nodes[key] == nil
    }
    return result
  }

  /// The contents of the store after a save.
  var saved: Graph {
    var result = Graph()
    for (key, node) in nodes where !node.isDeleted {
      var kept = node
      kept.isNew = false
      kept.links = node.links.mapValues { $0.filter { isLive($0) } }.filter { !$0.value.isEmpty }
      result.nodes[key] = kept
    }
    return result
  }

  /// Returns the keys at which two graphs differ.
  func difference(from other: Graph) -> Set<Int> {
    Set(nodes.keys).union(other.nodes.keys).filter { nodes[$0] != other.nodes[$0] }
  }

  /// Returns the keys at which two graphs differ in more than whether they are saved.
  func content(differingFrom other: Graph) -> Set<Int> {
    difference(from: other).filter { key in
      guard var mine = nodes[key], let theirs = other.nodes[key] else { return true }
      mine.isNew = theirs.isNew
      return mine != theirs
    }
  }

  /// Returns whether every link has a live destination and is matched by its inverse.
  func isConsistent(_ world: World) -> Bool {
    nodes.allSatisfy { key, node in
      node.isDeleted
        || node.links.allSatisfy { link, destinations in
          destinations.allSatisfy { destination in
            guard isLive(destination) else { return false }
            guard let inverse = world.links[link].inverse else { return true }
            return nodes[destination]?.links[inverse]?.contains(key) == true
          }
        }
    }
  }
}
