/// What a ledger has to know of the entities that take part.
package struct SyncSchema: Sendable {
  package struct Entity: Sendable {
    package var name: String
    /// The entities that properties refer to, by property: relationships to one and attributes that hold a key.
    package var references: [String: String]
    package var policy: SyncPolicy

    package init(name: String, references: [String: String] = [:], policy: SyncPolicy) {
      self.name = name
      self.references = references
      self.policy = policy
    }
  }

  package let entities: [String: Entity]
  /// The default values of entities whose objects come from elsewhere.
  package var defaults: [String: SyncValues] = [:]
  /// The entities whose objects say how they stand.
  package var marked: Set<String> = []
  /// Grows from parents to children. Entities that lead to each other have an order, but no good one.
  private let ranks: [String: Int]

  package init(_ entities: [Entity]) {
    self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    var ranks: [String: Int] = [:]
    var visiting: Set<String> = []
    let known = self.entities
    func visit(_ name: String) {
      guard ranks[name] == nil, let entity = known[name], visiting.insert(name).inserted else {
        return
      }
      for parent in Set(entity.references.values).sorted() { visit(parent) }
      ranks[name] = ranks.count
    }
    for name in known.keys.sorted() { visit(name) }
    self.ranks = ranks
  }

  package func rank(of entity: String) -> Int { ranks[entity] ?? 0 }

  package func policy(of entity: String) -> SyncPolicy { entities[entity]?.policy ?? .serverWins }

  /// The values; nil when they are the defaults of an entity whose objects come from elsewhere.
  package func withoutDefaults(_ values: SyncValues, of entity: String) -> SyncValues? {
    defaults[entity] == values ? nil : values
  }

  /// The objects that a property of an object refers to.
  package func references(of entity: String, in values: SyncValues) -> [SyncObjectID] {
    guard let entity = entities[entity] else { return [] }
    return entity.references.compactMap { property, destination in
      values[property].flatMap(Self.key).map { SyncObjectID(destination, $0) }
    }
  }

  /// The key that a value stands for, when it is a reference.
  package static func key(_ value: SyncValue) -> String? {
    switch value {
    case .text(let text): text
    case .integer(let integer): String(integer)
    default: nil
    }
  }
}
