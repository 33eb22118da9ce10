import Foundation
import SwiftData
import Synchronization
import Testing

@Suite(
  "A save over two stores is all or nothing",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct JointSaveTests {
  /// The store that refuses.
  enum Refusal: CaseIterable {
    case tally, mark
  }

  @Test(
    "when one refuses, neither has changed, no notification is posted, and the save can be repeated",
    arguments: Refusal.allCases, [false, true])
  func refused(_ refusal: Refusal, inMemory: Bool) throws {
    let store = try TemporaryStore()
    let container = inMemory ? try memoryPair() : try store.pair()
    let context = ModelContext(container)
    let (tally, mark) = (Tally("taken"), CountMark("taken"))
    let (tallyTwo, markTwo) = (Tally("two"), CountMark("two"))
    for model in [tally, tallyTwo] { context.insert(model) }
    for model in [mark, markTwo] { context.insert(model) }
    try context.save()

    let saves = Notices(ModelContext.didSave, of: context)
    context.insert(Tally("new"))
    context.insert(CountMark("new"))
    tallyTwo.value = 7
    markTwo.value = 7
    switch refusal {
    case .tally: tallyTwo.name = "taken"
    case .mark: markTwo.name = "taken"
    }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    #expect(saves.count == 0)
    #expect(try context.names() == ["taken", "two", "taken", "two"])
    #expect(context.insertedModelsArray.count == 2)
    #expect(context.changedModelsArray.count == 2)

    tallyTwo.name = "two"
    markTwo.name = "two"
    try context.save()
    #expect(saves.count == 1)
    #expect(!context.hasChanges)
    #expect(try context.names() == ["new", "taken", "two", "new", "taken", "two"])
    #expect(try ModelContext(container).tally("two")?.value == 7)
    #expect(try ModelContext(container).mark("two")?.value == 7)
  }

  private func memoryPair() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: [
        ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("marks", schema: Schema([CountMark.self]), isStoredInMemoryOnly: true),
      ])
  }

  @Test("a rollback after the refusal restores the stored values")
  func rollback() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.pair())
    let (one, two) = (CountMark("one"), CountMark("two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    context.insert(Tally("new"))
    two.name = "one"
    #expect(throws: StoreError.self) { try context.save() }
    context.rollback()
    #expect(two.name == "two")
    #expect(try context.names() == ["one", "two"])
    #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 0)
  }

  @Test("observers are notified of the commits when both stores can be used again")
  func observers() throws {
    let store = try TemporaryStore()
    let container = try store.pair()
    let context = ModelContext(container)
    let other = ModelContext(container)
    let seen = Mutex<[String]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in
      seen.withLock { $0 = (try? ModelContext(container).names()) ?? ["unreadable"] }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Tally("a"))
    context.insert(CountMark("a"))
    try context.save()
    #expect(seen.withLock { $0 } == ["a", "a"])
    other.insert(Tally("b"))
    other.insert(CountMark("b"))
    try other.save()
    #expect(try other.names() == ["a", "b", "a", "b"])
  }

  @Test("saves with the stores in different orders don't deadlock")
  func order() throws {
    let store = try TemporaryStore()
    _ = try store.pair()
    let folder = store.folder
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      do {
        let context = ModelContext(
          try TemporaryStore.pair(folder, reversed: !worker.isMultiple(of: 2)))
        for number in 0..<25 {
          context.insert(Tally("\(worker) \(number)"))
          context.insert(CountMark("\(worker) \(number)"))
          try context.save()
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(try ModelContext(try store.pair()).names().count == 200)
  }

  @Test("a custom store is written when the others are ready, and its refusal undoes them")
  func customStore() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: [
        ModelConfiguration("tallies", schema: Schema([Tally.self]), url: store.file),
        FickleConfiguration(name: "fickle", schema: Schema([CountMark.self])),
      ] as [any DataStoreConfiguration])
    let context = ModelContext(container)
    context.insert(Tally("a"))
    context.insert(CountMark("refused"))
    #expect(throws: FickleStore.Refusal.self) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tally>()) == 0)
    #expect(context.insertedModelsArray.count == 2)
    let mark = try #require(context.insertedModelsArray.compactMap { $0 as? CountMark }.first)
    mark.name = "accepted"
    try context.save()
    #expect(try context.names() == ["a", "accepted"])

    // If SQLite refuses, the custom store isn't asked.
    let taken = Tally("taken")
    context.insert(taken)
    try context.save()
    taken.name = "a"
    context.insert(CountMark("second"))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try context.names() == ["a", "taken", "accepted"])
  }

  @Test("two custom stores in one save are refused before anything is written")
  func twoCustomStores() throws {
    let container = try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: [
        FickleConfiguration(name: "first", schema: Schema([Tally.self])),
        FickleConfiguration(name: "second", schema: Schema([CountMark.self])),
      ] as [any DataStoreConfiguration])
    let context = ModelContext(container)
    let (tally, mark) = (Tally("a"), CountMark("a"))
    context.insert(tally)
    context.insert(mark)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try context.names() == [])
    context.delete(mark)
    try context.save()
    #expect(try context.names() == ["a"])
    context.insert(CountMark("a"))
    try context.save()
    #expect(try context.names() == ["a", "a"])
  }
}

/// Counts the notifications of an object.
final class Notices: Sendable {
  private let seen = Mutex<[[String: [PersistentIdentifier]]]>([])
  nonisolated(unsafe) private var observer: (any NSObjectProtocol)?

  init(_ name: Notification.Name, of object: AnyObject) {
    observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
      [seen = Unowned(self)] notice in
      var lists: [String: [PersistentIdentifier]] = [:]
      for key in ["inserted", "updated", "deleted"] {
        lists[key] = notice.userInfo?[key] as? [PersistentIdentifier] ?? []
      }
      seen.object.seen.withLock { $0.append(lists) }
    }
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }

  var count: Int { seen.withLock { $0.count } }
  var last: [String: [PersistentIdentifier]]? { seen.withLock { $0.last } }

  private struct Unowned: Sendable {
    unowned let object: Notices
    init(_ object: Notices) { self.object = object }
  }
}

/// A custom store that refuses marks called "refused".
final class FickleStore: DataStore {
  typealias Configuration = FickleConfiguration
  typealias Snapshot = DefaultSnapshot
  struct Refusal: Error {}

  let configuration: FickleConfiguration
  var identifier: String { "fickle-" + configuration.name }
  let schema: Schema
  private var stored: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(
    _ configuration: FickleConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let entity = Schema.entityName(for: T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: stored.values.filter { $0.persistentIdentifier.entityName == entity })
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let named = request.inserted + request.updated
    if try named.contains(where: { try JSONEncoder().encode($0).contains("refused") }) {
      throw Refusal()
    }
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString)
    }
    for snapshot in named {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      stored[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { stored[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

struct FickleConfiguration: DataStoreConfiguration {
  typealias Store = FickleStore
  var name: String
  var schema: Schema?

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
