import Foundation
import MigrationSamples
import SwiftData

/// A migration over four versions, one of them with custom code, with a copy of the store beside it.
struct MigrationWorkload: Workload {
  let name = "migration"
  private let artists = 12

  func prepare(in folder: URL) throws {
    try MusicStore.make(folder.appending(path: "test.store"), 1, count: artists)
  }

  func run(_ run: Run) throws {
    try run.step(1) { _ = try MusicStore.open(run.file, 5) }
  }

  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int {
    let file = folder.appending(path: "test.store")
    let columns = try DatabaseCheck.texts(file, "SELECT name FROM pragma_table_info('Track')")
    if allowed.lowerBound == 1, !columns.contains("plays") {
      throw Finding("LOST: a migration that was acknowledged")
    }
    let context = ModelContext(try MusicStore.open(file, 5))
    try checkArtists(context)
    try DatabaseCheck.check(file)
    try checkCopy(ModelConfiguration(url: file).migrationBackupURL)
    let album = MusicVersion5.Album("usable", year: 2000)
    context.insert(album)
    try context.save()
    return columns.contains("plays") ? 1 : 0
  }

  private func checkArtists(_ context: ModelContext) throws {
    let found = try context.fetch(
      FetchDescriptor<MusicVersion5.Artist>(sortBy: [SortDescriptor(\.born)]))
    let names = found.map { "\($0.firstName) \($0.lastName)" }
    let wanted = (0..<artists).map { number in
      number.isMultiple(of: 3) ? "The Solo\(number)" : "First\(number) Last\(number)"
    }
    guard names == wanted else { throw Finding("CORRUPT: the artists are \(names)") }
    guard found.allSatisfy({ $0.albums.count == 2 }) else {
      throw Finding("CORRUPT: artists have other albums")
    }
    let albums = try context.fetch(FetchDescriptor<MusicVersion5.Album>())
    guard albums.count == 3 * artists else {
      throw Finding("CORRUPT: \(albums.count) albums")
    }
  }

  /// Checks the copy after the migration: it has the names that the migration drops.
  private func checkCopy(_ copy: URL) throws {
    let names = try DatabaseCheck.texts(copy, "SELECT name FROM Artist")
    guard names.count == artists else {
      throw Finding("LOST: the copy has \(names.count) artists")
    }
    try DatabaseCheck.check(copy)
    let folder = copy.deletingLastPathComponent()
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.contains(".new") }
    guard rest.isEmpty else { throw Finding("these were left: \(rest)") }
  }
}
