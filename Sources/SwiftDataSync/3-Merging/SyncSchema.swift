/// The properties of the synchronized entities that a ledger needs.
package struct SyncSchema: Sendable {
  /// A to-many relationship whose value is a list of keys.
  package struct List: Hashable, Sendable {
    package var destination: String
    /// Whether the order is significant; lists without an order are sorted.
    package var isOrdered: Bool

    package init(to destination: String, isOrdered: Bool = false) {
      self.destination = destination
      self.isOrdered = isOrdered
    }
  }

  package struct Entity: Sendable {
    package var name: String
    /// The entities that properties refer to, by property: to-one relationships and attributes that hold a key.
    package var references: [String: String]
    /// The to-many relationships whose pairs belong to this entity, by property.
    package var lists: [String: List]
    package var policy: SyncPolicy
    /// The names of the synchronized properties, sorted; empty when they aren't known.
    package var properties: [String]
    /// The values of the properties that have one in a row of which nothing is known.
    package var initial: SyncValues

    package init(
      name: String, references: [String: String] = [:], lists: [String: List] = [:],
      policy: SyncPolicy, properties: [String] = [], initial: SyncValues = [:]
    ) {
      self.name = name
      self.references = references
      self.lists = lists
      self.policy = policy
      self.properties = properties.sorted()
      self.initial = initial
    }

    /// Returns values of other synchronized properties, as those of another version of the app, for these properties:
    /// without the others, and with the initial values of those that are missing.
    package func adapted(_ values: SyncValues) -> SyncValues {
      guard !properties.isEmpty else { return values }
      var adapted = known(values)
      for (property, value) in initial where adapted[property] == nil { adapted[property] = value }
      return adapted
    }

    /// Returns the values without those of properties that aren't synchronized.
    package func known(_ values: SyncValues) -> SyncValues {
      guard !properties.isEmpty else { return values }
      let count = properties.count { values[$0] != nil }
      guard count < values.count else { return values }
      let names = Set(properties)
      return values.filter { names.contains($0.key) }
    }

    /// The entities that this entity refers to.
    var destinations: Set<String> {
      Set(references.values).union(lists.values.map(\.destination))
    }
  }

  package let entities: [String: Entity]
  /// The entities of the objects that a reference to an entity can refer to: the entity itself and its subclasses.
  private let members: [String: [String]]
  /// The default values of annotated entities, whose objects come from another source.
  package var defaults: [String: SyncValues] = [:]
  /// The entities whose objects display their sync state.
  package var marked: Set<String> = []
  /// Ranks that increase from parents to children. Entities that refer to each other have an arbitrary order.
  private let ranks: [String: Int]

  /// - Parameter members: The synchronized entities of each class with subclasses, itself included.
  package init(_ entities: [Entity], members: [String: [String]] = [:]) {
    self.members = members
    self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    var ranks: [String: Int] = [:]
    var visiting: Set<String> = []
    let known = self.entities
    func visit(_ name: String) {
      guard ranks[name] == nil, let entity = known[name], visiting.insert(name).inserted else {
        return
      }
      for destination in entity.destinations.sorted() {
        for parent in members[destination] ?? [destination] { visit(parent) }
      }
      ranks[name] = ranks.count
    }
    for name in known.keys.sorted() { visit(name) }
    self.ranks = ranks
  }

  package func rank(of entity: String) -> Int { ranks[entity] ?? 0 }

  package func policy(of entity: String) -> SyncPolicy { entities[entity]?.policy ?? .serverWins }

  /// The names of the synchronized properties, by entity, of the entities for which they are known.
  package var properties: [String: [String]] {
    entities.compactMapValues { $0.properties.isEmpty ? nil : $0.properties }
  }

  /// The lists of an entity, by property.
  package func lists(of entity: String) -> [String: List] { entities[entity]?.lists ?? [:] }

  /// Returns the objects that a reference may mean: one object, or, for a class with subclasses, an object of each
  /// class, because any of them may have the key.
  package func candidates(_ entity: String, _ key: String) -> [SyncObjectID] {
    (members[entity] ?? [entity]).map { SyncObjectID($0, key) }
  }

  /// Whether properties of an entity may refer to objects of one of the others.
  func refers(_ entity: String, toAnyOf others: Set<String>) -> Bool {
    entities[entity]?.destinations.contains { destination in
      others.contains { (members[destination] ?? [destination]).contains($0) }
    } ?? false
  }

  /// Returns the values; nil when they are the defaults of an annotated entity.
  package func withoutDefaults(_ values: SyncValues, of entity: String) -> SyncValues? {
    defaults[entity] == values ? nil : values
  }

  /// Returns the objects that the properties of an object refer to; for a class with subclasses, all candidates.
  package func references(of entity: String, in values: SyncValues) -> [SyncObjectID] {
    guard let entity = entities[entity] else { return [] }
    var found = entity.references.flatMap { property, destination in
      values[property].flatMap(Self.key).map { candidates(destination, $0) } ?? []
    }
    for (property, list) in entity.lists {
      guard case .list(let elements) = values[property] else { continue }
      found += elements.compactMap(Self.key).flatMap { candidates(list.destination, $0) }
    }
    return found
  }

  /// Returns the values with the new keys of renamed objects that they refer to.
  ///
  /// - Parameter value: Returns the value of a key in a property; nil for a key that doesn't fit.
  package func redirected(
    _ values: SyncValues, of entity: String, _ renames: [SyncObjectID: SyncObjectID],
    value: (_ key: String, _ property: String, _ old: SyncValue) -> SyncValue?
  ) -> SyncValues {
    guard !renames.isEmpty, let entity = entities[entity] else { return values }
    func renamed(_ destination: String, _ key: String) -> SyncObjectID? {
      candidates(destination, key).lazy.compactMap { renames[$0] }.first
    }
    var values = values
    for (property, destination) in entity.references {
      guard let old = values[property], let key = Self.key(old),
        let new = renamed(destination, key), let value = value(new.key, property, old)
      else { continue }
      values[property] = value
    }
    for (property, list) in entity.lists {
      guard case .list(let elements) = values[property] else { continue }
      let others = elements.map { element in
        Self.key(element).flatMap { renamed(list.destination, $0) }
          .map { SyncValue.text($0.key) } ?? element
      }
      guard others != elements else { continue }
      values[property] = ListMerge.canonical(.list(others), isOrdered: list.isOrdered)
    }
    return values
  }

  /// The key that a value represents if it is a reference.
  package static func key(_ value: SyncValue) -> String? {
    switch value {
    case .text(let text): text
    case .integer(let integer): String(integer)
    default: nil
    }
  }
}
