import Foundation

/// The fetch that an observer follows, with the values derived from it.
struct LiveFetch<Element: PersistentModel, SectionTitle: Hashable> {
  /// The fetch, with the order as it was given.
  let descriptor: FetchDescriptor<Element>
  let sectioning: Sectioning<Element, SectionTitle>?
  /// Whether all models are loaded immediately, because all are needed.
  let isEager: Bool
  let context: ModelContext
  let map: IdentityMap
  /// The fetch, with a complete order: no two models are equal in it.
  let ordered: FetchDescriptor<Element>
  /// The rows on which the result depends.
  let entities: QueriedEntities

  /// - Throws: ``SwiftDataError`` for titles or models that can't be fetched.
  init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionTitle>?,
    isEager: Bool, _ context: ModelContext
  ) throws {
    try sectioning?.check()
    self.descriptor = descriptor
    self.sectioning = sectioning
    self.isEager = isEager
    self.context = context
    map = try context.identityMap(for: Element.self)
    ordered = descriptor.ordered(by: sectioning?.order ?? [])
    entities = try QueriedEntities(of: ordered, in: context.core)
  }

  /// The same liveFetch with another predicate or order.
  func changed(_ change: (inout FetchDescriptor<Element>) -> Void) throws -> LiveFetch {
    var changed = descriptor
    change(&changed)
    return try LiveFetch(changed, sectioning, isEager: isEager, context)
  }

  /// Whether the result is a window of the matching models, so that a model that enters it pushes out another one.
  var isWindow: Bool { (descriptor.fetchLimit ?? 0) > 0 || (descriptor.fetchOffset ?? 0) > 0 }

  /// Whether rows are ordered by their ids alone.
  var isOrderedByRow: Bool { ordered.sortBy.count == 1 }

  /// The fetch for the store when unsaved changes don't take part.
  var stored: FetchDescriptor<Element> {
    var stored = ordered
    stored.includePendingChanges = false
    return stored
  }

  /// Whether unsaved changes of the context take part in the result now.
  var takesPendingChanges: Bool {
    guard descriptor.includePendingChanges else { return false }
    if context.hasPendingChanges(of: Element.self) { return true }
    // A predicate or an order may lead to models with unsaved changes.
    return isEager && !map.plan.relationships.isEmpty && context.hasChanges
  }

  /// Whether the context brings its models up to date automatically.
  var modelsFollow: Bool { context.merging.isAutomatic && map.capabilities.commitTracking != nil }

  var keys: ModelKeys { ModelKeys(store: map.store, entity: map.plan.name) }
}

/// The keys that represent models in a list: their row ids, and negative numbers for models without a row.
struct ModelKeys: Sendable {
  let store: any RowIdentifying
  let entity: String
  /// The entities of rows of subclasses.
  var subclasses: [Int64: String] = [:]

  /// The key of a model; nil for an identifier of another store.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    if case .temporary(let number) = identifier.key {
      return Int64.min &+ Int64(truncatingIfNeeded: number & UInt64(Int64.max))
    }
    return store.rowID(for: identifier)
  }

  func identifier(of key: Int64) -> PersistentIdentifier {
    // Temporary numbers have this half of the negative numbers, far from row ids.
    guard key < Int64.min / 2 else {
      return store.identifier(rowID: key, entity: subclasses[key] ?? entity)
    }
    return PersistentIdentifier(
      storeIdentifier: nil, entityName: subclasses[key] ?? entity,
      key: .temporary(UInt64(truncatingIfNeeded: key &- Int64.min)))
  }
}
