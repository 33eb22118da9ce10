import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Suite("The default store as a data store")
struct DefaultStoreTests {
  let store: DefaultStore
  let container: ModelContainer
  let state = EditingState(author: "test")

  init() throws {
    let configuration = ModelConfiguration(
      schema: Schema([Trip.self, Quake.self]), isStoredInMemoryOnly: true)
    store = try DefaultStore(configuration)
    container = ModelContainer(schema: store.schema, migrationPlan: nil, stores: [store])
  }

  private func snapshots(of models: [any PersistentModel]) -> [DefaultSnapshot] {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func open<Model: PersistentModel>(_ model: Model) -> DefaultSnapshot {
      DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
    }
    return models.map { open($0) }
  }

  private func request<T>(
    _ predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []
  ) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(
      descriptor: FetchDescriptor(predicate: predicate, sortBy: sortBy), editingState: state)
  }

  @discardableResult
  private func save(
    inserted: [any PersistentModel]
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try store.save(
      DataStoreSaveChangesRequest(inserted: snapshots(of: inserted), editingState: state))
  }

  @Test("saves inserted snapshots and returns their identifiers")
  func insertions() throws {
    let trip = Trip(name: "Alps", lodging: Lodging(title: "Hut"))
    let lodging = try #require(trip.lodging)
    let result = try save(inserted: [trip, lodging])
    #expect(result.storeIdentifier == store.identifier)
    let identifier = try #require(result.remappedIdentifiers[trip.persistentModelID])
    #expect(identifier.storeIdentifier == store.identifier)
    let context = ModelContext(container)
    let found = try #require(context.model(for: identifier) as? Trip)
    #expect(found.name == "Alps")
    #expect(found.lodging?.title == "Hut")
    #expect(
      found.lodging?.persistentModelID == result.remappedIdentifiers[lodging.persistentModelID])
  }

  @Test("finds, counts and identifies in the order asked for")
  func fetching() throws {
    try save(inserted: (1...5).map { Quake(code: "q\($0)", magnitude: Double($0)) })
    let strong = request(
      #Predicate<Quake> { $0.magnitude > 2 }, sortBy: [SortDescriptor(\.magnitude, order: .reverse)]
    )
    let result = try store.fetch(strong)
    struct Form: Decodable { var code: String }
    let codes = try result.fetchedSnapshots.map {
      try JSONDecoder().decode(Form.self, from: JSONEncoder().encode($0)).code
    }
    #expect(codes == ["q5", "q4", "q3"])
    #expect(try store.fetchCount(strong) == 3)
    #expect(
      try store.fetchIdentifiers(strong) == result.fetchedSnapshots.map(\.persistentIdentifier))
  }

  @Test("writes updated and removes deleted snapshots")
  func updatesAndDeletions() throws {
    let lodging = Lodging(title: "Hut")
    try save(inserted: [Trip(name: "Alps"), Trip(name: "Jura"), lodging])
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    let stored = try #require(try context.fetch(FetchDescriptor<Lodging>()).first)
    trips[0].name = "Andes"
    trips[0].lodging = stored
    _ = try store.save(
      DataStoreSaveChangesRequest(
        updated: snapshots(of: [trips[0]]), deleted: snapshots(of: [trips[1]]), editingState: state)
    )
    let reading = ModelContext(container)
    let found = try reading.fetch(FetchDescriptor<Trip>())
    #expect(found.map(\.name) == ["Andes"])
    #expect(found.first?.lodging?.title == "Hut")
    let cached = try store.cachedSnapshots(
      for: trips.map(\.persistentModelID), editingState: state)
    #expect(Array(cached.keys) == [trips[0].persistentModelID])
  }

  @Test("writes nothing when one snapshot can't be written")
  func allOrNothing() throws {
    try save(inserted: [Trip(name: "Alps")])
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let gone = snapshots(of: [trip])
    try store.erase()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try store.save(
        DataStoreSaveChangesRequest(
          inserted: snapshots(of: [Trip(name: "Jura")]), updated: gone, editingState: state))
    }
    #expect(try store.fetchCount(request(nil as Predicate<Trip>?)) == 0)
  }

  @Test("an inserted snapshot with stored unique values updates that model and gets its identifier")
  func upsert() throws {
    let first = Quake(code: "a", magnitude: 1)
    let second = Quake(code: "a", magnitude: 2)
    let one = try save(inserted: [first]).remappedIdentifiers[first.persistentModelID]
    let two = try save(inserted: [second]).remappedIdentifiers[second.persistentModelID]
    #expect(one == two)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Quake>()).map(\.magnitude) == [2])
  }

  @Test("deletes many at once, and everything")
  func batches() throws {
    try save(inserted: (1...5).map { Quake(code: "q\($0)", magnitude: Double($0)) })
    try store.delete(
      DataStoreBatchDeleteRequest(
        predicate: #Predicate<Quake> { $0.magnitude < 3 }, editingState: state))
    #expect(try store.fetchCount(request(nil as Predicate<Quake>?)) == 3)
    try store.erase()
    #expect(try store.fetchCount(request(nil as Predicate<Quake>?)) == 0)
  }
}
