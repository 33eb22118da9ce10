import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataSQLite

/// The next version of ``Parcel``: its note has another name and may be nil, so that the table is rebuilt.
private enum NextVersion {
  @Model
  final class Parcel {
    @Attribute(.unique) var name: String
    @Attribute(originalName: "note") var remark: String?
    @Attribute(.externalStorage) var content: Data

    init(_ name: String) {
      self.name = name
      remark = ""
      content = Data()
    }
  }
}

/// A migration and the backup copy that it makes, when an event happens to the file meanwhile.
@Suite("The file under a migration and its copy", .timeLimit(.minutes(20)))
struct MigrationFileTests {
  private static func open(_ place: ParcelPlace) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: place.opened)
    configuration.migrationBackup = .kept
    return try ModelContainer(
      for: Schema([NextVersion.Parcel.self]), configurations: configuration)
  }

  private static func copy(of place: ParcelPlace) -> URL {
    ModelConfiguration(url: place.opened).migrationBackupURL
  }

  /// The events except those that end in a signal if another process maps the file.
  private static let events = FileEvent.allCases.filter {
    !FileSweepTests.violent.contains($0) && $0 != .valuesRemoved
  }

  @Test(
    "a migration that returns has migrated the file at its path, any other leaves the earlier copy",
    arguments: events, ["began", "backup", "commit"])
  func migration(_ event: FileEvent, _ moment: String) throws {
    let place = try ParcelPlace(isLinked: event.isLinked)
    try place.fill(place.container())
    // The copy of an earlier migration, which a failed migration has to keep.
    let earlier = try Data(contentsOf: place.file)
    try earlier.write(to: Self.copy(of: place))
    let happened = Mutex<(any Error)?>(nil)
    // Some events create a store, which also starts with a migration.
    let isOver = Mutex(false)
    let happen: @Sendable () -> Void = { [place = Unchecked(place)] in
      let wasOver = isOver.withLock { isOver in
        defer { isOver = true }
        return isOver
      }
      if wasOver { return }
      do { try event.happen(to: place.value) } catch { happened.withLock { $0 = error } }
    }
    do {
      let container = try MigrationProbe.install(
        began: { _ in if moment == "began" { happen() } },
        reached: { if $0 == moment { happen() } }
      ) {
        try Self.open(place)
      }
      try event.settle(place)
      for container in [container, try Self.open(place)] {
        let found = try ModelContext(container).fetch(FetchDescriptor<NextVersion.Parcel>())
        #expect(found.count == 441)
        #expect(found.first { $0.name == "large" }?.content == Parcel.large(1))
      }
      #expect(try parcels(inCopyOf: place) == 441)
    } catch let error where error is StoreError || error is MigrationError {
      #expect(event.answer != .stores, "\(error)")
      if ![.folderMoved, .folderRemoved, .folderReplaced].contains(event) {
        // An event after the last check is noticed after the commit: then the migration's own copy is kept.
        if moment == "commit" {
          #expect(try parcels(inCopyOf: place) == 441, "\(error)")
        } else {
          #expect(try Data(contentsOf: Self.copy(of: place)) == earlier, "\(error)")
        }
      }
    }
    if let error = happened.withLock({ $0 }) { throw error }
  }

  private func parcels(inCopyOf place: ParcelPlace) throws -> Int {
    let container = try ParcelPlace.container(Self.copy(of: place))
    let found = try ModelContext(container).fetch(FetchDescriptor<Parcel>())
    #expect(found.first { $0.name == "large" }?.content == Parcel.large(1))
    return found.count
  }

  /// The obstacle at the path of the copy.
  enum Obstacle: String, CaseIterable, Sendable {
    case link, danglingLink, folder, unfinished, unfinishedLink

    func put(_ place: ParcelPlace, _ copy: URL) throws -> URL {
      let other = place.outside.folder.appending(path: "other people's file")
      let files = FileManager.default
      switch self {
      case .link:
        try Data("theirs".utf8).write(to: other)
        try files.createSymbolicLink(at: copy, withDestinationURL: other)
      case .danglingLink: try files.createSymbolicLink(at: copy, withDestinationURL: other)
      case .folder: try files.createDirectory(at: copy, withIntermediateDirectories: false)
      case .unfinished: try Data("half".utf8).write(to: copy.appendingPathExtension("new"))
      case .unfinishedLink:
        try Data("theirs".utf8).write(to: other)
        try files.createSymbolicLink(
          at: copy.appendingPathExtension("new"), withDestinationURL: other)
      }
      return other
    }
  }

  @Test(
    "a file at the copy's path is replaced or an error, and foreign files are never written",
    arguments: Obstacle.allCases)
  func obstacles(_ obstacle: Obstacle) throws {
    let place = try ParcelPlace()
    try place.fill(place.container())
    let other = try obstacle.put(place, Self.copy(of: place))
    let theirs = FileManager.default.contents(atPath: other.path)
    do {
      _ = try Self.open(place)
      #expect(try parcels(inCopyOf: place) == 441)
    } catch let error as MigrationError {
      #expect(obstacle == .folder, "\(error)")
      #expect(error.code == .backupFailed)
    }
    #expect(FileManager.default.contents(atPath: other.path) == theirs)
    // No data is lost, with or without the obstacle.
    if obstacle == .folder { try FileManager.default.removeItem(at: Self.copy(of: place)) }
    let container = try Self.open(place)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<NextVersion.Parcel>()) == 441)
    #expect(try parcels(inCopyOf: place) == 441)
  }

  @Test("a file that is written while a dry run reads it is read again, with locks")
  func writtenDuringDryRun() throws {
    let place = try ParcelPlace()
    do { try place.fill(place.container()) }
    var passes: [Bool] = []
    let count = try Connection.readingWithoutSideFiles(of: .resolving(place.file)) { connection in
      passes.append(connection.isImmutable)
      if passes.count == 1 { try SQLiteFile(place.file).run("CREATE TABLE other (a)") }
      return try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'other'")
    }
    #expect(passes == [true, false])
    #expect(count == 1)
  }

  private struct Unchecked<Value>: @unchecked Sendable {
    // Unchecked: used on the thread that opens the store.
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
