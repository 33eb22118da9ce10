import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite("A file that others write, and its size", .timeLimit(.minutes(20)))
struct FileGrowthTests {
  /// Legitimate operations of another program on the log and the file.
  private static let commands = [
    "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(RESTART)",
    "PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM",
  ]

  private static func write(_ container: ModelContainer, _ name: String) throws {
    let context = ModelContext(container)
    for round in 0..<60 {
      for number in 0..<30 {
        context.insert(
          Parcel("\(name) \(round) \(number)", note: String(repeating: "n", count: 400)))
      }
      try context.save()
      guard round.isMultiple(of: 7) else { continue }
      try container.batchDelete(Parcel.self, where: #Predicate { $0.name.starts(with: name) })
    }
  }

  @Test("sizes that are older than the log's index are read again")
  func earlierSizes() throws {
    let place = try ParcelPlace()
    let container = try place.container()
    try place.fill(container)
    let connection = try Connection(.resolving(place.file), role: .reader, isReadOnly: false)
    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    let files = try StoreFiles(
      given: place.file.path, connection, isReadOnly: false, fits: { _, _ in true },
      onReplacement: {})
    let extent = try #require(connection.logExtent)
    try #require(extent.minimumLogSize > 0)
    // As they were before another process wrote to the log.
    let earlier = StoreFiles.Sizes(
      file: try #require(FileStatus(place.file.path)).size, log: extent.minimumLogSize - 1)
    try files.checkSizes(connection, earlier)
    withExtendedLifetime((container, files)) {}
  }

  @Test("saves and fetches beside growth, write-back, new logs and VACUUM find no cut")
  func nothingIsCut() async throws {
    let place = try ParcelPlace()
    let containers = [try place.container(), try place.container()]
    let file = place.file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, container) in containers.enumerated() {
        group.addTask { try Self.write(container, "writer \(index)") }
        group.addTask {
          for _ in 0..<1500 {
            _ = try ModelContext(container).fetchCount(FetchDescriptor<Parcel>())
          }
        }
      }
      group.addTask {
        for round in 0..<120 {
          // If a connection blocks the command, it fails, which is also fine.
          do { try SQLiteFile(file).run(Self.commands[round % Self.commands.count]) } catch {}
        }
      }
      try await group.waitForAll()
    }
    withExtendedLifetime(place) {}
  }
}
