import Foundation
import SwiftData
import SwiftDataSync

@Model class Place {
  @Attribute(.unique) var key: String
  var name: String?
  @Attribute(.unique) var badge: String?
  var shared: String?
  var updated: Double?
  var pair: String?
  var generation: Int?
  var bad: Bool?
  var own0: Int?
  var own1: Int?
  var own2: Int?
  var own3: Int?
  var own4: Int?
  @Relationship(deleteRule: .deny, inverse: \Visit.place) var visits: [Visit] = []
  @Relationship(inverse: \Visit.hosts) var guests: [Visit] = []

  init(key: String) { self.key = key }
}

@Model final class Hut: Place {
  var beds: Int?

  override init(key: String) { super.init(key: key) }
}

@Model final class Visit {
  @Attribute(.unique) var key: String
  var place: Place?
  var hosts: [Place] = []
  @Relationship(.ordered, inverse: nil) var route: [Place] = []
  var shared: String?
  var updated: Double?
  var pair: String?
  var generation: Int?
  var bad: Bool?
  var own0: Int?
  var own1: Int?
  var own2: Int?
  var own3: Int?
  var own4: Int?
  var hasEdits = false
  var agreed = Date.distantPast

  init(key: String) { self.key = key }
}

/// A model without relationships.
@Model final class Note {
  @Attribute(.unique) var key: String
  var shared: String?
  var updated: Double?
  var pair: String?
  var generation: Int?
  var bad: Bool?
  var own0: Int?
  var own1: Int?
  var own2: Int?
  var own3: Int?
  var own4: Int?

  init(key: String) { self.key = key }
}

/// A model with a large value.
@Model final class Snap {
  @Attribute(.unique) var key: String
  @Attribute(.externalStorage) var photo: Data?
  var shared: String?
  var updated: Double?
  var pair: String?
  var generation: Int?
  var bad: Bool?
  var own0: Int?
  var own1: Int?
  var own2: Int?
  var own3: Int?
  var own4: Int?

  init(key: String) { self.key = key }
}

/// A model that an import creates, with annotations of a user.
@Model final class Sight {
  @Attribute(.unique) var key: String
  /// The value that the import sets.
  var imported: Int
  var shared: String?
  var updated: Double?
  var own0: Int?
  var own1: Int?
  var own2: Int?
  var own3: Int?
  var own4: Int?

  init(key: String, imported: Int) {
    self.key = key
    self.imported = imported
  }
}

/// The real store of a replica: models in SQLite, edits by saves of a context.
package final class ModelReplicaStore: ReplicaStore {
  let container: ModelContainer
  private let synced: ModelSyncStorage
  private let kept: KilledStorage

  package var storage: any SyncStorage { kept }
  package var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void {
    get { kept.onCommit }
    set { kept.onCommit = newValue }
  }

  package init(_ policy: SyncPolicy) throws {
    container = try ModelContainer(
      for: Place.self, Hut.self, Visit.self, Note.self, Snap.self,
      Sight.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    synced = try ModelSyncStorage(
      container,
      [
        SyncedModel(Place.self, key: \.key, policy: policy),
        SyncedModel(Hut.self, key: \.key, policy: policy),
        SyncedModel(
          Visit.self, key: \.key, policy: policy,
          marks: [.hasEdits(\.hasEdits), .lastAgreed(\.agreed)]),
        SyncedModel(Note.self, key: \.key, policy: policy),
        SyncedModel(Snap.self, key: \.key, policy: policy),
        SyncedModel(
          annotating: Sight.self, key: \.key,
          properties: [
            .init(\.shared, default: nil), .init(\.updated, default: nil),
            .init(\.own0, default: nil), .init(\.own1, default: nil),
            .init(\.own2, default: nil), .init(\.own3, default: nil),
            .init(\.own4, default: nil),
          ], policy: policy),
      ], separatesAttachments: true)
    kept = KilledStorage(synced)
  }

  package var sights: [SyncObjectID: SyncValues] {
    var sights: [SyncObjectID: SyncValues] = [:]
    do {
      for sight in try ModelContext(container).fetch(FetchDescriptor<Sight>()) {
        sights[SyncObjectID("Sight", sight.key)] = [
          "shared": value(sight.shared), "updated": value(sight.updated),
          "own0": value(sight.own0), "own1": value(sight.own1), "own2": value(sight.own2),
          "own3": value(sight.own3), "own4": value(sight.own4),
        ]
      }
    } catch { preconditionFailure("the store of a replica can't be read: \(error)") }
    return sights
  }

  package func setSight(_ object: SyncObjectID, isThere: Bool) {
    let context = ModelContext(container)
    context.author = "import"
    let key = object.key
    do {
      if isThere {
        context.insert(Sight(key: key, imported: 1))
        for sight in try context.fetch(FetchDescriptor<Sight>()) { sight.imported += 1 }
      } else {
        try context.delete(model: Sight.self, where: #Predicate { $0.key == key })
      }
      try context.save()
    } catch { preconditionFailure("an import fails: \(error)") }
  }

  package var markedCount: Int {
    do {
      return try ModelContext(container).fetchCount(
        FetchDescriptor<Visit>(predicate: #Predicate { $0.hasEdits }))
    } catch { preconditionFailure("the store of a replica can't be read: \(error)") }
  }

  package var objects: [SyncObjectID: SyncValues] {
    let context = ModelContext(container)
    var objects: [SyncObjectID: SyncValues] = [:]
    do {
      for place in try context.fetch(FetchDescriptor<Place>()) {
        var values: SyncValues = [
          "name": value(place.name), "badge": value(place.badge), "shared": value(place.shared),
          "updated": value(place.updated),
          "pair": value(place.pair), "generation": value(place.generation), "bad": value(place.bad),
          "own0": value(place.own0), "own1": value(place.own1), "own2": value(place.own2),
          "own3": value(place.own3), "own4": value(place.own4),
          "guests": .list(place.guests.map(\.key).sorted().map { .text($0) }),
        ]
        if let hut = place as? Hut { values["beds"] = value(hut.beds) }
        objects[SyncObjectID(place is Hut ? "Hut" : "Place", place.key)] = values
      }
      for visit in try context.fetch(FetchDescriptor<Visit>()) {
        objects[SyncObjectID("Visit", visit.key)] = [
          "place": value(visit.place?.key), "shared": value(visit.shared),
          "updated": value(visit.updated), "pair": value(visit.pair),
          "generation": value(visit.generation), "bad": value(visit.bad), "own0": value(visit.own0),
          "own1": value(visit.own1), "own2": value(visit.own2), "own3": value(visit.own3),
          "own4": value(visit.own4), "route": .list(visit.route.map { .text($0.key) }),
        ]
      }
      for note in try context.fetch(FetchDescriptor<Note>()) {
        objects[SyncObjectID("Note", note.key)] = [
          "shared": value(note.shared), "updated": value(note.updated), "pair": value(note.pair),
          "generation": value(note.generation), "bad": value(note.bad), "own0": value(note.own0),
          "own1": value(note.own1), "own2": value(note.own2), "own3": value(note.own3),
          "own4": value(note.own4),
        ]
      }
      for snap in try context.fetch(FetchDescriptor<Snap>()) {
        objects[SyncObjectID("Snap", snap.key)] = [
          "photo": try photo(snap), "shared": value(snap.shared),
          "updated": value(snap.updated), "pair": value(snap.pair),
          "generation": value(snap.generation), "bad": value(snap.bad), "own0": value(snap.own0),
          "own1": value(snap.own1), "own2": value(snap.own2), "own3": value(snap.own3),
          "own4": value(snap.own4),
        ]
      }
    } catch { preconditionFailure("the store of a replica can't be read: \(error)") }
    return objects
  }

  private func photo(_ snap: Snap) throws -> SyncValue {
    guard let data = snap.photo else { return .null }
    guard let value = SimulatedPhotos.value(data) else {
      throw MissingBytes(object: SyncObjectID("Snap", snap.key))
    }
    return value
  }

  private func value(_ text: String?) -> SyncValue { text.map { .text($0) } ?? .null }
  private func value(_ number: Int?) -> SyncValue { number.map { .integer(Int64($0)) } ?? .null }
  private func value(_ number: Double?) -> SyncValue { number.map { .real($0) } ?? .null }
  private func value(_ flag: Bool?) -> SyncValue { flag.map { .boolean($0) } ?? .null }

  package func base(of object: SyncObjectID) -> SyncValues? {
    do { return try storage.load([object])[object]?.record.base } catch { return nil }
  }

  package func save(_ changes: [SyncObjectID: SyncValues?]) {
    let context = ModelContext(container)
    do {
      for (object, values) in changes.sorted(by: { $0.key < $1.key }) {
        try change(object, values, in: context)
      }
      try context.save()
    } catch { preconditionFailure("a user's save fails: \(error)") }
  }

  private func place(_ key: String, in context: ModelContext) throws -> Place? {
    try context.fetch(FetchDescriptor<Place>(predicate: #Predicate { $0.key == key })).first
  }

  private func visit(_ key: String, in context: ModelContext) throws -> Visit? {
    try context.fetch(FetchDescriptor<Visit>(predicate: #Predicate { $0.key == key })).first
  }

  private func keys(_ value: SyncValue?) -> [String] {
    if case .list(let elements) = value { elements.compactMap(\.text) } else { [] }
  }

  private func change(
    _ object: SyncObjectID, _ values: SyncValues?, in context: ModelContext
  ) throws {
    let key = object.key
    if Simulation.isA("Place", object) {
      let known = try place(key, in: context)
      guard let values else {
        if let known { context.delete(known) }
        return
      }
      let model = known ?? (object.entity == "Hut" ? Hut(key: key) : Place(key: key))
      if known == nil { context.insert(model) }
      if let hut = model as? Hut { hut.beds = values["beds"]?.number.map { Int($0) } }
      model.badge = values["badge"]?.text
      let guests = try keys(values["guests"]).compactMap { try visit($0, in: context) }
      if Set(model.guests.map(\.key)) != Set(guests.map(\.key)) { model.guests = guests }
      set(values, \.shared, \.updated, \.pair, \.generation, \.bad, of: model)
      set(values, [\.own0, \.own1, \.own2, \.own3, \.own4], of: model)
    } else if object.entity == "Note" {
      let known = try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.key == key }))
        .first
      guard let values else {
        if let known { context.delete(known) }
        return
      }
      let model = known ?? Note(key: key)
      if known == nil { context.insert(model) }
      set(values, \.shared, \.updated, \.pair, \.generation, \.bad, of: model)
      set(values, [\.own0, \.own1, \.own2, \.own3, \.own4], of: model)
    } else if object.entity == "Snap" {
      let known = try context.fetch(FetchDescriptor<Snap>(predicate: #Predicate { $0.key == key }))
        .first
      guard let values else {
        if let known { context.delete(known) }
        return
      }
      let model = known ?? Snap(key: key)
      if known == nil { context.insert(model) }
      let photo = SimulatedPhotos.data(values["photo"])
      if model.photo != photo { model.photo = photo }
      set(values, \.shared, \.updated, \.pair, \.generation, \.bad, of: model)
      set(values, [\.own0, \.own1, \.own2, \.own3, \.own4], of: model)
    } else if object.entity == "Sight" {
      let known = try context.fetch(
        FetchDescriptor<Sight>(predicate: #Predicate { $0.key == key })
      ).first
      guard let known, let values else { return }
      known.shared = values["shared"]?.text
      known.updated = values["updated"]?.number
      set(values, [\.own0, \.own1, \.own2, \.own3, \.own4], of: known)
    } else {
      let known = try visit(key, in: context)
      guard let values else {
        if let known { context.delete(known) }
        return
      }
      let model = known ?? Visit(key: key)
      if known == nil { context.insert(model) }
      let parent = try values["place"]?.text.flatMap { try place($0, in: context) }
      if model.place?.key != parent?.key { model.place = parent }
      let route = try keys(values["route"]).compactMap { try place($0, in: context) }
      if model.route.map(\.key) != route.map(\.key) { model.route = route }
      set(values, \.shared, \.updated, \.pair, \.generation, \.bad, of: model)
      set(values, [\.own0, \.own1, \.own2, \.own3, \.own4], of: model)
    }
  }

  private func set<Model: PersistentModel>(
    _ values: SyncValues, _ shared: ReferenceWritableKeyPath<Model, String?>,
    _ updated: ReferenceWritableKeyPath<Model, Double?>,
    _ pair: ReferenceWritableKeyPath<Model, String?>,
    _ generation: ReferenceWritableKeyPath<Model, Int?>,
    _ bad: ReferenceWritableKeyPath<Model, Bool?>, of model: Model
  ) {
    model[keyPath: shared] = values["shared"]?.text
    model[keyPath: updated] = values["updated"]?.number
    model[keyPath: pair] = values["pair"]?.text
    model[keyPath: generation] = values["generation"]?.number.map { Int($0) }
    model[keyPath: bad] = values["bad"] == .boolean(true) ? true : nil
  }

  private func set<Model: PersistentModel>(
    _ values: SyncValues, _ own: [ReferenceWritableKeyPath<Model, Int?>], of model: Model
  ) {
    for (index, path) in own.enumerated() {
      model[keyPath: path] = values["own\(index)"]?.number.map { Int($0) }
    }
  }
}

extension ModelReplicaStore {
  package var folder: any AttachmentKeeper { synced.attachments ?? SimulatedFolder() }
  package var attachmentCount: Int {
    get throws {
      try SimulatedPhotos.all.count { try synced.attachments?.has($0.attachment) ?? false }
    }
  }

  package func references(in change: SyncChange) -> [SyncAttachmentReference] {
    synced.references(in: change.values, of: change.object)
  }

  package func wantedAttachments(for remotes: [SyncRemote]) throws -> [SyncAttachmentReference] {
    try synced.wantedAttachments(for: remotes)
  }

  package func sweepAttachments() throws { try synced.sweepAttachments(partsSince: .distantPast) }

  package func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) throws -> [UInt8]? { try synced.portion(of: reference, from: offset, length: length) }
}

/// A storage whose process can be killed before and after each commit.
private final class KilledStorage: SyncStorage {
  private let storage: ModelSyncStorage
  var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void = { _, _ in }

  init(_ storage: ModelSyncStorage) { self.storage = storage }

  func position() throws -> Int64 { try storage.position() }
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    try storage.edits(after: number)
  }
  func allObjects() throws -> [SyncObjectID] { try storage.allObjects() }
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry] {
    try storage.load(objects)
  }
  func incoming(_ page: SyncPage) -> SyncIncoming { storage.incoming(page) }
  func newObjects(_ incoming: SyncIncoming) throws -> SyncArrivals? {
    try storage.newObjects(incoming)
  }
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? {
    // In a simulation the server keeps the key separate from the values.
    try storage.complete(values, of: object, over: known)
  }
  func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue? {
    storage.value(ofKey: key, in: object, property: property)
  }
  func dependents(
    of objects: [SyncObjectID], after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    try storage.dependents(of: objects, after: values)
  }
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] { try storage.obstacles(to: values) }
  func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID] {
    try storage.unseen(in: epoch, entities: entities)
  }
  func hasVersions(in ranges: [ClosedRange<Int64>]) throws -> Bool {
    try storage.hasVersions(in: ranges)
  }
  func progress() throws -> SyncProgress? { try storage.progress() }
  func inFlight() throws -> [SyncInFlight] { try storage.inFlight() }
  func pendingObjects() throws -> [SyncObjectID] { try storage.pendingObjects() }
  func quarantined() throws -> [SyncObjectID: SyncQuarantine] { try storage.quarantined() }
  func commit(_ writes: SyncWrites, at position: Int64) throws {
    try onCommit(false, writes)
    try storage.commit(writes, at: position)
    try onCommit(true, writes)
  }
}
