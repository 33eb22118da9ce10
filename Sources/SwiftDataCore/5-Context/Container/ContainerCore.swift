/// The part that a container and its contexts share: the stores, and the assignment of entities to them.
///
/// Contexts hold this instead of the container, so that a container and its main context don't keep each other alive.
package final class ContainerCore: Sendable {
  package struct Entry: Sendable {
    package let plan: EntityPlan
    package let store: any RowStore
    package let capabilities: StoreCapabilities
    private let origin: PersistentIdentifier.Origin?

    init(plan: EntityPlan, _ capabilities: StoreCapabilities) {
      self.plan = plan
      self.capabilities = capabilities
      store = capabilities.store
      origin = store.origin(of: plan.name)
    }

    /// Returns the identifier of a row of the entity.
    package func identifier(rowID: Int64) -> PersistentIdentifier {
      if let origin { return PersistentIdentifier(origin, rowID: rowID) }
      return store.identifier(rowID: rowID, entity: plan.name)
    }
  }

  package let schema: Schema
  package let stores: [any RowStore]
  /// The stores with their capabilities, in the same order.
  package let capabilities: [StoreCapabilities]
  /// The classes, each by the store that it belongs to.
  package let plans: [EntityPlan]
  /// Whether the stores were made for this container and close with it.
  private let ownsStores: Bool
  private let entriesByType: [ObjectIdentifier: Entry]
  private let entriesByName: [String: Entry]
  private let entriesByPlan: [ObjectIdentifier: Entry]

  package init(schema: Schema, stores: [any RowStore], ownsStores: Bool) {
    self.schema = schema
    self.stores = stores
    // Row numbers are unique in a store only, so a class belongs to one store: the first that has it.
    var taken: Set<String> = []
    let capabilities = stores.map { store in
      let found = StoreCapabilities(store, without: taken)
      taken.formUnion(found.plans.map(\.name))
      return found
    }
    self.capabilities = capabilities
    plans = capabilities.flatMap(\.plans)
    self.ownsStores = ownsStores
    for store in stores { SnapshotPlans.remember(store.plans) }
    var byType: [ObjectIdentifier: Entry] = [:]
    var byName: [String: Entry] = [:]
    var byPlan: [ObjectIdentifier: Entry] = [:]
    for found in capabilities {
      for plan in found.plans where byName[plan.name] == nil {
        let entry = Entry(plan: plan, found)
        byType[ObjectIdentifier(plan.type)] = entry
        byName[plan.name] = entry
        byPlan[ObjectIdentifier(plan)] = entry
        // Only models with relationships can hold each other.
        if !plan.relationships.isEmpty { SequentialDestruction.prepare(plan.type) }
      }
    }
    entriesByType = byType
    entriesByName = byName
    entriesByPlan = byPlan
    HandWrittenStates.releaseGone()
  }

  /// Closes the stores, which nothing uses any more. A look for commits that is still running on another thread would
  /// otherwise keep a store open a little longer, when its owner may have begun to move its file.
  deinit {
    guard ownsStores else { return }
    for store in capabilities { store.commitTracking?.stopWatching() }
  }

  package func entry(for type: any PersistentModel.Type) throws -> Entry {
    guard let entry = entriesByType[ObjectIdentifier(type)] else { throw unknown(type) }
    return entry
  }

  /// The error for a class that isn't part of the schema. Versions of a schema have classes of the same name.
  private func unknown(_ type: any PersistentModel.Type) -> SwiftDataError {
    let name = Schema.entityName(for: type)
    guard let namesake = entriesByName[name]?.plan.type else {
      if schema.entitiesByName[name] != nil {
        return .unknownSchema.explained(
          "No configuration of the container has \(type). Add it to the schema of one of them.")
      }
      return .unknownSchema.explained(
        "\(type) isn't part of the container's schema."
          + " List it in Schema([…]) or ModelContainer(for:).")
    }
    return .unknownSchema.explained(
      "\(String(reflecting: type)) isn't part of the container's schema, which has"
        + " \(String(reflecting: namesake)) under the name \(name). Use that class here, or make the"
        + " container with the other one.")
  }

  package func plan(of type: any PersistentModel.Type) -> EntityPlan? {
    entriesByType[ObjectIdentifier(type)]?.plan
  }

  func entry(of plan: EntityPlan) -> Entry? { entriesByPlan[ObjectIdentifier(plan)] }

  package func entry(named name: String) -> Entry? { entriesByName[name] }
}
