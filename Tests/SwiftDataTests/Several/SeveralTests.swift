import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

/// Every arrangement in which several parties use the same models, combined with every kind of work.
@Suite("Several of everything", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct SeveralTests {
  @Test("each with each", .timeLimit(.minutes(20)), arguments: Arrangement.allCases, Work.allCases)
  func each(_ arrangement: Arrangement, _ work: Work) async throws {
    let store = try TemporaryStore()
    try work.seed(arrangement, store.folder, workers: arrangement.workers)
    let path = store.folder.path
    let old = work == .migration ? try arrangement.olderContainer(store.folder) : nil
    let failures = Mutex<[String]>([])
    @Sendable func run(_ workers: Range<Int>) {
      let folder = URL(filePath: path)
      do {
        let shared = try arrangement.container(folder, worker: workers.lowerBound)
        DispatchQueue.concurrentPerform(iterations: workers.count) { offset in
          let worker = workers.lowerBound + offset
          do {
            let own =
              arrangement.sharesContainer
              ? shared : try arrangement.container(folder, worker: worker)
            try work.perform(worker, in: own)
          } catch { failures.withLock { $0.append("\(worker): \(error)") } }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    if arrangement == .twoProcesses {
      async let child = #expect(processExitsWith: .success) {
        [path = path as String, work = work.rawValue as String] in
        let work = try #require(Work(rawValue: work))
        let container = try Arrangement.twoProcesses.container(URL(filePath: path), worker: 1)
        try work.perform(1, in: container)
      }
      await Task.detached { run(0..<1) }.value
      _ = await child
    } else {
      await Task.detached { run(0..<arrangement.workers) }.value
    }
    #expect(failures.withLock { $0 } == [])
    let container = try arrangement.container(store.folder, worker: 0)
    try work.check(ModelContext(container), workers: arrangement.workers)
    #expect(try container.incompleteSavesIfAny().isEmpty)
    if let old { try Self.writesNothing(old, container) }
  }

  /// Checks that a container of an older version, open since before the migration, is refused and changes nothing.
  private static func writesNothing(_ old: ModelContainer, _ new: ModelContainer) throws {
    let before = try ModelContext(new).names()
    let context = ModelContext(old)
    context.insert(OlderSeveral.Tally("old"))
    context.insert(OlderSeveral.CountMark("old"))
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try ModelContext(new).names() == before)
  }
}

extension ModelContainer {
  fileprivate func incompleteSavesIfAny() throws -> [String] {
    try incompleteSaves().map(\.description)
  }
}

/// The arrangement of the parties.
enum Arrangement: String, CaseIterable, Sendable {
  case twoStores, twoContainers, twoProcesses, tenContexts

  var workers: Int { self == .tenContexts ? 10 : 2 }
  /// Whether the contexts belong to one container.
  var sharesContainer: Bool { self == .tenContexts }

  func container(_ folder: URL, worker: Int) throws -> ModelContainer {
    // The second worker lists the stores in reverse order.
    if self == .twoStores {
      return try TemporaryStore.pair(folder, reversed: !worker.isMultiple(of: 2))
    }
    return try ModelContainer(
      for: Tally.self, CountMark.self,
      configurations: ModelConfiguration(url: folder.appending(path: "tallies.store")))
  }

  func olderContainer(_ folder: URL) throws -> ModelContainer {
    let schema = Schema([OlderSeveral.Tally.self, OlderSeveral.CountMark.self])
    let tallies = folder.appending(path: "tallies.store")
    guard self == .twoStores else {
      return try ModelContainer(for: schema, configurations: ModelConfiguration(url: tallies))
    }
    return try ModelContainer(
      for: schema,
      configurations: [
        ModelConfiguration("tallies", schema: Schema([OlderSeveral.Tally.self]), url: tallies),
        ModelConfiguration(
          "marks", schema: Schema([OlderSeveral.CountMark.self]),
          url: folder.appending(path: "marks.store")),
      ])
  }
}

/// The work of each party.
enum Work: String, CaseIterable, Sendable {
  case save, batch, migration, external, undo

  private static let rounds = 12

  func seed(_ arrangement: Arrangement, _ folder: URL, workers: Int) throws {
    if self == .migration {
      let context = ModelContext(try arrangement.olderContainer(folder))
      context.insert(OlderSeveral.Tally("shared"))
      context.insert(OlderSeveral.CountMark("shared"))
      for worker in 0..<workers {
        let tally = OlderSeveral.Tally("own \(worker)")
        tally.photo = Self.photo(worker)
        context.insert(tally)
      }
      return try context.save()
    }
    let context = ModelContext(try arrangement.container(folder, worker: 0))
    context.insert(Tally("shared"))
    context.insert(CountMark("shared"))
    for worker in 0..<workers { context.insert(Tally("own \(worker)")) }
    try context.save()
  }

  /// Returns data large enough for a file of its own.
  private static func photo(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: 300_000)
  }

  func perform(_ worker: Int, in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.mergePolicy = .error
    for round in 0..<Self.rounds {
      switch self {
      case .save, .migration: try count(context)
      case .batch: try batch(worker, round, container)
      case .external: try external(worker, round, context)
      case .undo: try undo(worker, context)
      }
    }
  }

  /// Increments the shared counters, in both classes in one save.
  private func count(_ context: ModelContext) throws {
    while true {
      guard let tally = try context.tally("shared"), let mark = try context.mark("shared") else {
        throw Failure(description: "what is counted isn't there")
      }
      tally.value += 1
      mark.value += 1
      do { return try context.save() } catch is MergeConflictError { context.rollback() }
    }
  }

  private func batch(_ worker: Int, _ round: Int, _ container: ModelContainer) throws {
    let batch = try BatchUpsert<Tally>(container)
    for number in 0..<20 { try batch.upsert(Tally("\(worker) \(round) \(number)")) }
    try batch.commit()
    try container.batchUpdate(Tally.self, where: #Predicate { $0.name == "shared" }) {
      $0.set(\.value, to: #Expression { $0.value + 1 })
    }
    try container.batchUpdate(CountMark.self, where: #Predicate { $0.name == "shared" }) {
      $0.set(\.value, to: #Expression { $0.value + 1 })
    }
    let name = "\(worker) \(round) 0"
    try container.batchDelete(Tally.self, where: #Predicate { $0.name == name })
  }

  private func external(_ worker: Int, _ round: Int, _ context: ModelContext) throws {
    guard let own = try context.tally("own \(worker)") else {
      throw Failure(description: "the own tally isn't there")
    }
    own.photo = Self.photo(worker * 16 + round)
    own.value = round
    try context.save()
    // Every photo is one that its owner once had.
    for tally in try ModelContext(context.container).fetch(FetchDescriptor<Tally>()) {
      guard let photo = tally.photo else { continue }
      guard photo.count == 300_000, photo.first == photo.last else {
        throw Failure(description: "the photo of \(tally.name) is torn")
      }
    }
  }

  private func undo(_ worker: Int, _ context: ModelContext) throws {
    if context.undoManager == nil { context.undoManager = UndoManager() }
    guard let manager = context.undoManager, let own = try context.tally("own \(worker)") else {
      throw Failure(description: "the own tally isn't there")
    }
    let before = own.value
    own.value = before + 1
    try context.save()
    own.value = 1_000
    context.insert(CountMark("undone \(worker)"))
    try context.save()
    manager.undo()
    try context.save()
    guard own.value == before + 1, try context.mark("undone \(worker)") == nil else {
      throw Failure(description: "undoing gave \(own.value) in place of \(before + 1)")
    }
    // Concurrent changes of others must not be recorded by the undo manager.
    try count(context)
    context.undoManager?.removeAllActions()
  }

  func check(_ context: ModelContext, workers: Int) throws {
    let total = workers * Self.rounds
    let (tally, mark) = (try context.tally("shared"), try context.mark("shared"))
    switch self {
    case .save, .undo, .migration, .batch:
      #expect(tally?.value == total)
      #expect(mark?.value == total)
    case .external: break
    }
    #expect(try context.fetchCount(FetchDescriptor<CountMark>()) == 1)
    let tallies = try context.fetchCount(FetchDescriptor<Tally>())
    #expect(tallies == 1 + workers + (self == .batch ? total * 19 : 0))
    for worker in 0..<workers {
      let own = try context.tally("own \(worker)")
      switch self {
      case .external:
        #expect(own?.value == Self.rounds - 1)
        #expect(own?.photo == Self.photo(worker * 16 + Self.rounds - 1))
      case .undo: #expect(own?.value == Self.rounds)
      case .migration: #expect(own?.photo == Self.photo(worker))
      case .save, .batch: break
      }
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
