import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Suite("A store with snapshots of its own type")
struct OwnSnapshotTests {
  @Test("reads models by their backing data and gives values back by their coded form")
  func roundTrip() throws {
    let configuration = ScoreConfiguration(name: "scores")
    let container = try ModelContainer(for: Score.self, configurations: configuration)
    let context = ModelContext(container)
    let score = Score("Ann", points: 3)
    context.insert(score)
    try context.save()
    score.points = 5
    try context.save()
    #expect(configuration.shelf.scores.values.map(\.points) == [5])
    let reading = ModelContext(container)
    let found = try reading.fetch(FetchDescriptor<Score>(predicate: #Predicate { $0.points > 4 }))
    #expect(found.map(\.player) == ["Ann"])
    #expect(found.first?.persistentModelID == score.persistentModelID)
    context.delete(score)
    try context.save()
    #expect(configuration.shelf.scores.isEmpty)
  }

  @Test("that identifies a model by its own key updates it, and the context keeps one instance")
  func upsert() throws {
    let configuration = ScoreConfiguration(name: "scores")
    let context = ModelContext(
      try ModelContainer(for: Score.self, configurations: configuration))
    let first = Score("Ann", points: 3)
    context.insert(first)
    try context.save()
    context.insert(Score("Ann", points: 8))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Score>()).map(\.points) == [8])
    #expect(first.points == 8)
    #expect(try context.fetch(FetchDescriptor<Score>()).first === first)
  }

  @Test("refuses batches of rows with an error")
  func batches() throws {
    let container = try ModelContainer(
      for: Score.self, configurations: ScoreConfiguration(name: "scores"))
    #expect(throws: (any Error).self) { try BatchUpsert<Score>(container) }
  }

  @Test("a coded form that doesn't fit the model is an error")
  func unfit() throws {
    let configuration = ScoreConfiguration(name: "scores")
    let context = ModelContext(
      try ModelContainer(for: Score.self, configurations: configuration))
    context.insert(Score("Ann", points: 3))
    try context.save()
    configuration.shelf.isBroken = true
    #expect(throws: DecodingError.self) { try context.fetch(FetchDescriptor<Score>()) }
  }
}

/// A score with only the members that the store needs.
struct ScoreSnapshot: DataStoreSnapshot {
  var persistentIdentifier: PersistentIdentifier
  var player: String
  var points: Int?

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let score = backingData as? any BackingData<Score>
    persistentIdentifier = score?.persistentModelID ?? Score("", points: 0).persistentModelID
    player = score?.getValue(forKey: \.player) ?? ""
    points = score?.getValue(forKey: \.points)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> ScoreSnapshot {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    return copy
  }
}

final class ScoreStore: DataStore {
  typealias Configuration = ScoreConfiguration
  typealias Snapshot = ScoreSnapshot

  let configuration: ScoreConfiguration
  var identifier: String { configuration.name }
  var schema: Schema { configuration.schema ?? Schema() }

  init(_ configuration: ScoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, ScoreSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    let scores = configuration.shelf.scores.values.map { score in
      var score = score
      if configuration.shelf.isBroken { score.points = nil }
      return score
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: scores)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<ScoreSnapshot>
  ) throws -> DataStoreSaveChangesResult<ScoreSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let permanent = try PersistentIdentifier.identifier(
        for: identifier, entityName: "Score", primaryKey: snapshot.player)
      remapped[snapshot.persistentIdentifier] = permanent
      configuration.shelf.scores[permanent] = snapshot.copy(
        persistentIdentifier: permanent, remappedIdentifiers: nil)
    }
    for snapshot in request.updated {
      configuration.shelf.scores[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted {
      configuration.shelf.scores[snapshot.persistentIdentifier] = nil
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

struct ScoreConfiguration: DataStoreConfiguration {
  typealias Store = ScoreStore

  final class Shelf {
    var scores: [PersistentIdentifier: ScoreSnapshot] = [:]
    var isBroken = false
  }

  var name: String
  var schema: Schema?
  var shelf = Shelf()

  static func == (lhs: ScoreConfiguration, rhs: ScoreConfiguration) -> Bool {
    lhs.shelf === rhs.shelf
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
