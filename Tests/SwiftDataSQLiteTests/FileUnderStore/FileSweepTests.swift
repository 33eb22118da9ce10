import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite("The file under an open store", .timeLimit(.minutes(20)))
struct FileSweepTests {
  /// The events that run in a child process, because a signal may end it.
  static let violent: [FileEvent] = [
    .truncatedToNothing, .truncatedToPage, .truncatedByHalf, .truncatedByByte, .logTruncated,
    .grown,
  ]

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  @MainActor
  @Test(
    "a save that returns has written to the file that a new container opens, or throws",
    arguments: FileEvent.allCases.filter { !violent.contains($0) })
  func writers(event: FileEvent) async throws {
    for writer in FileWriter.allCases { try await Self.run(event, writer) }
  }

  @Test("a file that is cut off gives an error, and no signal", arguments: violent)
  func violence(event: FileEvent) async {
    await #expect(processExitsWith: .success) { [name = event.rawValue as String] in
      let event = try #require(FileEvent(rawValue: name))
      for writer in FileWriter.allCases { try await Self.run(event, writer) }
    }
  }

  @MainActor
  @Test(
    "the same for two containers on the file",
    arguments: FileEvent.allCases.filter { !violent.contains($0) })
  func twoContainers(event: FileEvent) async throws {
    let place = try ParcelPlace(isLinked: event.isLinked)
    let containers = [try place.container(), try place.container()]
    try place.fill(containers[0])
    var begun: [FileWriter.Begun] = []
    for container in containers {
      begun.append(try await FileWriter.plainContext.begin(container))
    }
    try event.happen(to: place)
    var stored = 0
    for one in begun {
      do {
        try await one.end()
        stored += 1
      } catch is StoreError {
        // Refused with a reason, which is one of the two correct results.
      }
    }
    if event.answer != .either { #expect(stored == (event.answer == .stores ? 2 : 0)) }
    withExtendedLifetime(containers) {}
  }

  @MainActor
  @Test(
    "the same while the file is watched",
    arguments: FileEvent.allCases.filter { !violent.contains($0) })
  func watched(event: FileEvent) async throws {
    let place = try ParcelPlace(isLinked: event.isLinked)
    let container = try place.container()
    try place.fill(container)
    let observer = try HistoryObserver(modelContainer: container)
    let store = try #require(container.core.stores.first as? DefaultStore)
    let begun = try await FileWriter.plainContext.begin(container)
    try event.happen(to: place)
    store.tracker.watcher.withLock { $0 }?.finish()
    do {
      try await begun.end()
      #expect(event.answer != .throwsError)
    } catch let error as StoreError {
      #expect(event.answer != .stores, "\(error)")
    }
    store.tracker.watcher.withLock { $0 }?.finish()
    withExtendedLifetime(observer) {}
  }

  // MARK: - One pair of event and writer

  @MainActor
  static func run(_ event: FileEvent, _ writer: FileWriter) async throws {
    let place = try ParcelPlace(isLinked: event.isLinked)
    let pair = "\(event.rawValue) × \(writer.rawValue)"
    do {
      let container = try place.container()
      try place.fill(container)
      let begun = try await writer.begin(container)
      try event.happen(to: place)
      do {
        try await begun.end()
        try stored(event, writer, place, pair)
      } catch let error as StoreError {
        guard event.answer != .stores else { throw Wrong(description: "\(pair): \(error)") }
        guard !error.explanation.isEmpty, !error.path.isEmpty else {
          throw Wrong(description: "\(pair): an error without words")
        }
        if let isPending = begun.isPending, await !isPending() {
          throw Wrong(description: "\(pair): nothing is pending after the refusal")
        }
      }
      try read(container, pair)
      try savesAnew(event, place, pair)
    }
    try reopen(event, place, pair)
  }

  /// Checks the store after a save has returned.
  @MainActor
  private static func stored(
    _ event: FileEvent, _ writer: FileWriter, _ place: ParcelPlace, _ pair: String
  ) throws {
    guard event.answer != .throwsError else { throw Wrong(description: "\(pair): it returned") }
    try event.settle(place)
    if event != .valuesRemoved, try !writer.isStored(in: place.container()) {
      throw Wrong(description: "\(pair): a new container doesn't find it")
    }
  }

  /// Reads, which must return rows or throw an error of the framework.
  private static func read(_ container: ModelContainer, _ pair: String) throws {
    for _ in 0..<2 {
      do {
        let context = ModelContext(container)
        _ = try context.fetchCount(FetchDescriptor<Parcel>())
        _ = try context.fetch(FetchDescriptor<Parcel>()).map(\.note.count)
        _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      } catch is StoreError {
        // An error is as valid as rows.
      }
    }
  }

  /// Checks that changes that couldn't be saved can be saved to a new container while the old one
  /// still exists.
  private static func savesAnew(_ event: FileEvent, _ place: ParcelPlace, _ pair: String) throws {
    switch event {
    case .deletedWithLog, .replacedByNew, .renamedWithLog, .folderMoved, .folderRemoved,
      .folderReplaced, .linkTurned:
      let container = try place.container()
      let context = ModelContext(container)
      context.insert(Parcel("saved anew"))
      try context.save()
      guard try place.container().parcels(named: "saved anew").count == 1 else {
        throw Wrong(description: "\(pair): the new container doesn't keep it")
      }
    default: break
    }
  }

  /// Reopens the store when the file is no longer open anywhere.
  private static func reopen(_ event: FileEvent, _ place: ParcelPlace, _ pair: String) throws {
    do {
      let container = try place.container()
      _ = try ModelContext(container).fetchCount(FetchDescriptor<Parcel>())
    } catch let error as StoreError where event.answer != .stores {
      guard [.damaged, .foreignFile, .cannotOpen].contains(error.code) else { throw error }
    }
  }

  // MARK: - Single results

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch let error as StoreError { return error.code } catch {}
    return nil
  }

  @Test("reading continues in a deleted file, until it has to be opened again")
  func readingOn() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    try place.fill(container)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 441)
    try FileEvent.deletedWithLog.happen(to: place)
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 441)
    let store = try #require(container.core.stores.first as? DefaultStore)
    store.readers.closeAll()
    #expect(code { _ = try context.fetch(FetchDescriptor<Parcel>()) } == .replaced)
    #expect(!FileManager.default.fileExists(atPath: place.file.path), "a reader made a file")
    context.insert(Parcel("new"))
    #expect(code { try context.save() } == .replaced)
    #expect(context.hasChanges)
    #expect(code { _ = try BatchUpsert<Parcel>(container) } == .replaced)
    #expect(!FileManager.default.fileExists(atPath: place.file.path), "a writer made a file")
  }

  @Test("a file that comes back to its place is written again")
  func back() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    let context = ModelContext(container)
    context.insert(Parcel("new"))
    let away = place.outside.folder.appending(path: "away").path
    #expect(rename(place.folder.path, away) == 0)
    #expect(code { try context.save() } == .replaced)
    #expect(rename(away, place.folder.path) == 0)
    try context.save()
    #expect(try place.container().parcels(named: "new").count == 1)
  }

  @Test(
    "without a watcher too, a fetch reads the file that has taken the place, and a save is refused")
  func replacement() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    try place.fill(container)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 441)
    try FileEvent.replacedByNew.happen(to: place)
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 0)
    context.insert(Parcel("new"))
    #expect(code { try context.save() } == .replaced)
  }

  @Test("a file with other models in its place isn't read as if it were the store")
  func otherModels() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    try place.fill(container)
    let context = ModelContext(container)
    _ = try context.fetchCount(FetchDescriptor<Parcel>())
    try FileEvent.replacedByOther.happen(to: place)
    #expect(code { _ = try context.fetchCount(FetchDescriptor<Parcel>()) } == .replaced)
  }

  @Test("a file that another program has made smaller in a proper way is no cut one")
  func vacuum() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    try place.fill(container)
    let context = ModelContext(container)
    try container.batchDelete(Parcel.self, where: #Predicate { $0.name.starts(with: "stored") })
    for mode in ["PASSIVE", "TRUNCATE"] {
      try SQLiteFile(place.file).run("VACUUM; PRAGMA wal_checkpoint(\(mode))")
      context.insert(Parcel(mode))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Parcel>()).count > 40)
    }
  }

  @Test("a file with several names is refused, because each name would have a log of its own")
  func hardLink() throws {
    let place = try ParcelPlace()
    do { try place.fill(place.container()) }
    let other = place.file.path + "-link"
    #expect(link(place.file.path, other) == 0)
    #expect(code { _ = try place.container() } == .cannotOpen)
    #expect(code { _ = try ParcelPlace.container(URL(filePath: other)) } == .cannotOpen)
    #expect(unlink(other) == 0)
    #expect(try place.container().parcels(named: "large").count == 1)
  }

  @Test("two names of one file in a container are one file")
  func twice() throws {
    let place = try ParcelPlace(isLinked: true)
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Parcel.self]),
        configurations: ModelConfiguration("a", url: place.file),
        ModelConfiguration("b", url: place.opened))
    }
  }
}
