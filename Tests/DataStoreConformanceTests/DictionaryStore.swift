import Foundation
import SwiftData

/// A store in a dictionary, which can break any rule on demand and records its requests.
final class DictionaryStore: DataStoreBatching {
  typealias Configuration = DictionaryConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: DictionaryConfiguration
  let identifier: String
  let schema: Schema
  private var place: DictionaryPlace { configuration.place }
  private var fault: Fault? { configuration.fault }

  init(
    _ configuration: DictionaryConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.fault == .hasNoSchema ? Schema() : configuration.schema ?? Schema()
    identifier =
      configuration.fault == .changesItsIdentifier ? UUID().uuidString : configuration.name
    configuration.place.store = self
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    place.log.append("fetch \(T.self)")
    try decline(request.descriptor)
    let entity = Schema.entityName(for: T.self)
    let entities = place.answersOwnClassOnly ? [entity] : family(of: entity)
    var found = place.snapshots.values.filter {
      fault == .mixesEntities || entities.contains($0.persistentIdentifier.entityName)
    }
    if request.descriptor.predicate != nil, let matches = place.matches {
      found.removeAll { !matches($0) }
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: found.sorted { $0.persistentIdentifier < $1.persistentIdentifier },
      relatedSnapshots: place.bringsRelated ? place.snapshots : [:])
  }

  /// Returns the names of an entity and of those that inherit from it.
  private func family(of entity: String) -> Set<String> {
    let heirs = schema.entitiesByName[entity]?.subentities ?? []
    return heirs.reduce(into: [entity]) { $0.formUnion(family(of: $1.name)) }
  }

  private func decline<T>(_ descriptor: FetchDescriptor<T>) throws {
    if descriptor.predicate != nil, fault != .ignoresPredicates, !place.findsIdentifiers,
      place.matches == nil
    {
      throw DataStoreError.preferInMemoryFilter
    }
    if !descriptor.sortBy.isEmpty, fault != .ignoresOrder, !place.keepsOrder {
      throw DataStoreError.preferInMemorySort
    }
  }

  func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    place.log.append("count \(T.self)")
    try decline(request.descriptor)
    return try fetch(request).fetchedSnapshots.count + (fault == .miscounts ? 1 : 0)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    place.log.append("save by \(request.editingState.author ?? "nobody")")
    if let failure = place.nextFailure {
      place.nextFailure = nil
      throw failure
    }
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      if fault != .sharesIdentifiers { place.lastKey += 1 }
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: place.lastKey)
    }
    for snapshot in request.inserted { insert(snapshot, remapped) }
    for snapshot in request.updated { try update(snapshot, remapped) }
    for snapshot in request.deleted where fault != .keepsDeleted {
      place.snapshots[snapshot.persistentIdentifier] = nil
    }
    if fault == .deletesTooMuch, !request.deleted.isEmpty { place.snapshots = [:] }
    return DataStoreSaveChangesResult(
      for: fault == .misnamesItself ? "?" : identifier,
      remappedIdentifiers: fault == .forgetsToRemap ? [:] : remapped,
      snapshotsToReregister: place.rewrite?(place.snapshots) ?? [:])
  }

  private func insert(
    _ snapshot: DefaultSnapshot, _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) {
    let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
    place.snapshots[identifier] = snapshot.copy(
      persistentIdentifier: identifier,
      remappedIdentifiers: fault == .keepsTemporaryReferences ? nil : remapped)
  }

  private func update(
    _ snapshot: DefaultSnapshot, _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws {
    if fault == .savesByHalves, place.snapshots[snapshot.persistentIdentifier] == nil {
      throw DataStoreError.unsupportedFeature
    }
    switch fault {
    case .ignoresUpdates: break
    case .insertsUpdates:
      place.lastKey += 1
      let identifier = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: place.lastKey)
      insert(snapshot, [snapshot.persistentIdentifier: identifier])
    default: insert(snapshot, remapped)
    }
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    if request.predicate != nil, fault != .ignoresPredicates {
      throw DataStoreError.preferInMemoryFilter
    }
    let entity = Schema.entityName(for: T.self)
    place.snapshots = place.snapshots.filter { $0.key.entityName != entity }
  }

  func erase() throws {
    if fault != .onlyClaimsToErase { place.snapshots = [:] }
  }

  func initializeState(for editingState: EditingState) {
    place.open.insert(editingState.id)
  }

  func invalidateState(for editingState: EditingState) {
    place.open.remove(editingState.id)
    if fault == .forgetsWithTheContext { place.snapshots = [:] }
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    if fault == .cachesTooMuch { return place.snapshots }
    guard place.caches else { return [:] }
    return place.snapshots.filter { persistentIdentifiers.contains($0.key) }
  }
}

/// The faults of a ``DictionaryStore``.
enum Fault: String, CaseIterable {
  case forgetsToRemap, sharesIdentifiers, misnamesItself, keepsTemporaryReferences
  case ignoresUpdates, insertsUpdates, keepsDeleted, deletesTooMuch, savesByHalves
  case ignoresPredicates, ignoresOrder, mixesEntities, miscounts, cachesTooMuch
  case onlyClaimsToErase, forgetsWithTheContext, changesItsIdentifier, hasNoSchema
}

/// The contents of a ``DictionaryStore``, and the records for a test.
final class DictionaryPlace {
  var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  var lastKey = 0
  var bringsRelated = false
  var caches = false
  /// Makes a fetch of a class omit the instances of its subclasses.
  var answersOwnClassOnly = false
  /// Treats every predicate as one on identifiers, and returns all snapshots.
  var findsIdentifiers = false
  /// Evaluates all predicates on the stored values.
  var matches: ((DefaultSnapshot) -> Bool)?
  /// Treats every order as that of the identifiers.
  var keepsOrder = false
  /// The error that the next save throws.
  var nextFailure: (any Error)?
  /// Returns the snapshots that contexts have to take over after a save.
  var rewrite:
    (([PersistentIdentifier: DefaultSnapshot]) -> [PersistentIdentifier: DefaultSnapshot])?
  var log: [String] = []
  /// The editing states of contexts that use the store.
  var open: Set<UUID> = []
  weak var store: DictionaryStore?
}

/// The configuration of a ``DictionaryStore``.
struct DictionaryConfiguration: DataStoreConfiguration {
  typealias Store = DictionaryStore

  var name: String
  var schema: Schema?
  var fault: Fault?
  var place = DictionaryPlace()

  static func == (lhs: DictionaryConfiguration, rhs: DictionaryConfiguration) -> Bool {
    lhs.place === rhs.place
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
