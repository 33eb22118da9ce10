import Foundation
import MigrationSamples
import Testing

@Suite("A migration that is killed", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct MigrationKillTests {
  /// The number of kills for each pair; `make acceptance ONLY=history` sets a higher one.
  private static let kills =
    TestEnvironment.number("OPENSWIFTDATA_TEST_MIGRATION_KILLS") ?? TestEnvironment.rounds(4)
  private static let seed: UInt64 =
    TestEnvironment.number("OPENSWIFTDATA_TEST_MIGRATION_SEED") ?? 1

  @Test(
    "leaves the old store or the new one, and the next opening completes it",
    arguments: VersionPairTests.pairs)
  func everywhere(_ from: Int, _ to: Int) async throws {
    let folder = try TemporaryStore()
    let original = folder.folder.appending(path: "original.store")
    let whole = folder.folder.appending(path: "whole.store")
    try MusicStore.make(original, from, count: 60)
    let old = try MusicFiles.contents(original)
    try MusicFiles.copy(original, to: whole)
    guard case .finished(let text) = try await MigrationProcess(whole, to, "count").end() else {
      Issue.record("the migration can't be counted")
      return
    }
    let counts = text.split(separator: " ").compactMap { Int($0) }
    try #require(counts.count == 2 && counts[0] > 1 && counts[1] > 1)
    let new = try MusicFiles.contents(whole)
    #expect(old != new)
    var random = SeededGenerator(seed: Self.seed &* 1_000 &+ UInt64(from * 10 + to))
    var outcomes = (old: 0, new: 0)
    for number in 0..<Self.kills {
      try MusicFiles.copy(original, to: folder.file)
      // Half of the kills are between two steps of SQLite's virtual machine, half during a write.
      let mode = number.isMultiple(of: 2) ? "tick" : "bytes"
      // A limit below the size of the log's index would end every process before it starts.
      let first = mode == "tick" ? 1 : 32_768
      let point = Int.random(in: first..<max(first + 1, counts[number % 2]), using: &random)
      let end = try await MigrationProcess(folder.file, to, mode, "\(point)").end()
      #expect(end == .killed, "\(mode) \(point)")
      let left = try MusicFiles.contents(folder.file)
      #expect(left == old || left == new, "\(mode) \(point)")
      if left == old { outcomes.old += 1 } else { outcomes.new += 1 }
      #expect(try await MigrationProcess(folder.file, to).end() == .finished("done"))
      #expect(try MusicFiles.contents(folder.file) == new, "\(mode) \(point)")
    }
    print(
      "migration \(from) to \(to): \(Self.kills) kills in \(counts[0]) ticks and \(counts[1]) bytes,"
        + " \(outcomes.old) old and \(outcomes.new) new stores")
  }

  @Test("a disk that refuses a write leaves the old store", arguments: [40_000, 60_000, 90_000])
  func refusedWrites(_ size: Int) async throws {
    let store = try TemporaryStore()
    try MusicStore.make(store.file, 1, count: 300)
    let old = try MusicFiles.contents(store.file)
    guard
      case .failed(let text) = try await MigrationProcess(store.file, 5, "refuse", "\(size)").end()
    else {
      Issue.record("the migration went through")
      return
    }
    #expect(text.contains("reading or writing failed"))
    #expect(try MusicFiles.contents(store.file) == old)
    #expect(try await MigrationProcess(store.file, 5).end() == .finished("done"))
  }

  @Test(
    "at its edges too",
    arguments: [("backup", false), ("step", false), ("commit", false), ("committed", true)])
  func moments(_ moment: String, isNew: Bool) async throws {
    let store = try TemporaryStore()
    try MusicStore.make(store.file, 2)
    let old = try MusicFiles.contents(store.file)
    #expect(try await MigrationProcess(store.file, 4, moment).end() == .killed)
    #expect(try (MusicFiles.contents(store.file) == old) == !isNew)
    #expect(try await MigrationProcess(store.file, 4).end() == .finished("done"))
    // The copy of the first attempt has been removed, by either process.
    for ending in [".before-migration", ".before-migration.new"] {
      #expect(!FileManager.default.fileExists(atPath: store.file.path + ending))
    }
  }

  @Test("of several processes that open a store at once, one migrates and all go on")
  func together() async throws {
    let store = try TemporaryStore()
    try MusicStore.make(store.file, 1, count: 200)
    var processes: [MigrationProcess] = []
    for _ in 0..<4 { processes.append(try await MigrationProcess(store.file, 4)) }
    for process in processes { #expect(try await process.end() == .finished("done")) }
    let contents = try MusicFiles.contents(store.file)
    #expect(contents.contains("ok"))
    // A second migration would split the names twice.
    #expect(try store.value("SELECT count(*) FROM Artist WHERE fullName LIKE 'The The %'") == "0")
    #expect(
      try store.value(
        "SELECT count(*) FROM _history_transaction") == "3")
  }
}
