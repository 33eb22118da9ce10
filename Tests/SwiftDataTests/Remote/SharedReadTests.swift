import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataSQLite
import Testing

@Suite(
  "Reads that share a transaction",
  .enabled(if: StoreKind.tested == .sqlite, "looks at SQLite's read transactions"))
struct SharedReadTests {
  private let file: TemporaryStore
  private let container: ModelContainer
  private let store: DefaultStore
  private let context: ModelContext

  init() throws {
    file = try TemporaryStore()
    container = try file.container(Quake.self)
    store = try #require(try container.core.entry(for: Quake.self).store as? DefaultStore)
    // Two reads count as close to each other, even on a busy machine.
    store.readingSpan = .max
    context = ModelContext(container)
    for index in 0..<3 { context.insert(Quake(code: "\(index)", magnitude: Double(index))) }
    try context.save()
  }

  private func magnitudes() throws -> [Double] {
    try ModelContext(container).fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
      .map(\.magnitude)
  }

  @Test("a transaction stays open from the second read on")
  func holding() throws {
    _ = try magnitudes()
    _ = try magnitudes()
    #expect(store.openReadCount == 1)
    #expect(try magnitudes() == [0, 1, 2])
    #expect(store.openReadCount == 1)
  }

  @Test("the next read sees the commits of another program")
  func otherPrograms() throws {
    for number in 1...5 {
      _ = try magnitudes()
      #expect(try magnitudes().last == Double(number + 1))
      try file.execute("UPDATE Quake SET magnitude = \(number + 2) WHERE code = '2'")
      #expect(try magnitudes().last == Double(number + 2))
    }
  }

  @Test("the next read sees the commits of this program")
  func ownCommits() throws {
    for number in 0..<5 {
      _ = try magnitudes()
      _ = try magnitudes()
      context.insert(Quake(code: "9\(number)"))
      try context.save()
      #expect(try magnitudes().count == 4 + 2 * number)
      try container.batchInsert([Quake(code: "8\(number)")])
      #expect(try magnitudes().count == 5 + 2 * number)
    }
  }

  @Test("no transaction waits while something is written, so that the log can be written back")
  func writing() throws {
    let log = URL(filePath: file.file.path + "-wal")
    func checkpoint() throws {
      #expect(try file.value("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
      #expect(try log.resourceValues(forKeys: [.fileSizeKey]).fileSize == 0)
    }
    for number in 0..<3 {
      _ = try magnitudes()
      _ = try magnitudes()
      #expect(store.openReadCount == 1)
      context.insert(Quake(code: "9\(number)"))
      try context.save()
      #expect(store.openReadCount == 0)
      try checkpoint()
      _ = try magnitudes()
      _ = try magnitudes()
      try container.batchInsert([Quake(code: "8\(number)")])
      #expect(store.openReadCount == 0)
      try checkpoint()
    }
  }

  @Test("operations with a transaction of their own work")
  func otherReads() throws {
    _ = try magnitudes()
    _ = try magnitudes()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    #expect(store.openReadCount == 0)
    _ = try magnitudes()
    _ = try magnitudes()
    #expect(try context.sum(of: \Quake.magnitude) == 3)
    #expect(try magnitudes() == [0, 1, 2])
  }

  @Test("an unused transaction is ended", .timeLimit(.minutes(20)))
  func unused() async throws {
    store.readingSpan = 50_000_000
    while store.openReadCount == 0 { _ = try magnitudes() }
    while store.openReadCount > 0 { await Task.yield() }
    #expect(try magnitudes() == [0, 1, 2])
  }
}
