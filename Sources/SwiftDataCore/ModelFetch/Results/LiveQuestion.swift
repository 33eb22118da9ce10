import Foundation

/// What an observer asks for, with what follows from it.
struct LiveQuestion<Element: PersistentModel, SectionTitle: Hashable> {
  /// What is fetched, with the order as it was given.
  let descriptor: FetchDescriptor<Element>
  let sectioning: Sectioning<Element, SectionTitle>?
  /// Whether all models are loaded at once, because all are wanted.
  let isEager: Bool
  let context: ModelContext
  let map: IdentityMap
  /// What is fetched, in an order that leaves nothing open.
  let ordered: FetchDescriptor<Element>
  /// The rows on which the answer depends.
  let entities: QueriedEntities

  init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionTitle>?,
    isEager: Bool, _ context: ModelContext
  ) throws {
    self.descriptor = descriptor
    self.sectioning = sectioning
    self.isEager = isEager
    self.context = context
    map = try context.identityMap(for: Element.self)
    ordered = descriptor.ordered(by: sectioning?.order ?? [])
    entities = QueriedEntities(of: ordered, in: context.core)
  }

  /// The same question with another predicate or order.
  func changed(_ change: (inout FetchDescriptor<Element>) -> Void) throws -> LiveQuestion {
    var changed = descriptor
    change(&changed)
    return try LiveQuestion(changed, sectioning, isEager: isEager, context)
  }

  /// Whether the answer is a part of all models that fit, so that one that comes makes another one go.
  var isWindow: Bool { (descriptor.fetchLimit ?? 0) > 0 || (descriptor.fetchOffset ?? 0) > 0 }

  /// Whether rows come in the order of their ids alone.
  var isOrderedByRow: Bool { ordered.sortBy.count == 1 }

  /// What the store is asked when unsaved changes don't take part.
  var stored: FetchDescriptor<Element> {
    var stored = ordered
    stored.includePendingChanges = false
    return stored
  }

  /// Whether unsaved changes of the context take part now.
  var takesPendingChanges: Bool {
    guard descriptor.includePendingChanges else { return false }
    if context.hasPendingChanges(of: Element.self) { return true }
    // A predicate or an order may lead to models with unsaved changes.
    return isEager && !map.plan.relationships.isEmpty && context.hasChanges
  }

  /// Whether the context brings its models up to date by itself.
  var modelsFollow: Bool { context.merging.isAutomatic && map.store.position != nil }

  var keys: ModelKeys { ModelKeys(store: map.store, entity: map.plan.name) }
}

/// What stands for models in a list: their row ids, and negative numbers for models without a row.
struct ModelKeys: Sendable {
  let store: any RowIdentifying
  let entity: String
  /// The entities of rows of subclasses.
  var subclasses: [Int64: String] = [:]

  /// nil for an identifier of another store.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    if case .temporary(let number) = identifier.key {
      return Int64.min &+ Int64(truncatingIfNeeded: number & UInt64(Int64.max))
    }
    return store.rowID(for: identifier)
  }

  func identifier(of key: Int64) -> PersistentIdentifier {
    // Half of all numbers, and far from those of rows.
    guard key < Int64.min / 2 else {
      return store.identifier(rowID: key, entity: subclasses[key] ?? entity)
    }
    return PersistentIdentifier(
      storeIdentifier: nil, entityName: subclasses[key] ?? entity,
      key: .temporary(UInt64(truncatingIfNeeded: key &- Int64.min)))
  }
}
