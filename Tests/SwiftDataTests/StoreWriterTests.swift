import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Model
private final class LongText {
  #Unique<LongText>([\.number])
  var number: Int
  var text: String

  init(_ number: Int, _ text: String) {
    self.number = number
    self.text = text
  }
}

@Suite(
  "The write-ahead log is written back concurrently with commits",
  .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's log"))
struct StoreWriterTests {
  /// More than the thousand pages from which the log is checkpointed.
  private static let rows = 2_500

  private func logSize(_ store: TemporaryStore) -> Int {
    let file = URL(filePath: store.file.path + "-wal")
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return attributes?[.size] as? Int ?? 0
  }

  private func text(_ round: Int) -> String { String(repeating: "\(round % 10)", count: 2_000) }

  @Test("long commits, one right after the other, don't let it grow", arguments: [false, true])
  func growth(inBatches: Bool) throws {
    let store = try TemporaryStore()
    let container = try store.container(LongText.self)
    let context = ModelContext(container)
    var longest = 0
    var first = 0
    for round in 0..<8 {
      if inBatches {
        try container.batchInsert((0..<Self.rows).lazy.map { LongText($0, text(round)) })
      } else if round == 0 {
        for number in 0..<Self.rows { context.insert(LongText(number, text(round))) }
        try context.save()
      } else {
        for page in try context.fetch(FetchDescriptor<LongText>()) { page.text = text(round) }
        try context.save()
      }
      if round == 0 { first = logSize(store) }
      longest = max(longest, logSize(store))
      #expect(
        try store.value("SELECT count(*) || min(text) || max(text) FROM LongText")
          == "\(Self.rows)\(text(round))\(text(round))")
    }
    #expect(first > 4_096 * 1_000)
    // A commit completes a checkpoint that it finds unfinished, so the log never contains more than a few commits.
    #expect(longest < 4 * first)
  }

  @Test("a store that closes right after a long commit leaves no log")
  func closing() throws {
    let store = try TemporaryStore()
    for round in 0..<5 {
      do {
        let container = try store.container(LongText.self)
        try container.batchInsert((0..<Self.rows).lazy.map { LongText($0, text(round)) })
      }
      #expect(!FileManager.default.fileExists(atPath: store.file.path + "-wal"))
      #expect(try store.value("SELECT DISTINCT text FROM LongText") == text(round))
      #expect(try store.value("PRAGMA integrity_check") == "ok")
    }
  }

  @Test("a reader keeps its pages in the log, and everything is written back when it ends")
  func reader() throws {
    let store = try TemporaryStore()
    let container = try store.container(LongText.self)
    try container.batchInsert((0..<Self.rows).lazy.map { LongText($0, text(0)) })
    let reading = try SQLiteFile(store.file)
    let sum = "SELECT sum(CAST(substr(text, 1, 1) AS INTEGER)) FROM LongText"
    try reading.run("BEGIN")
    #expect(try reading.integer(sum) == 0)
    for round in 1..<4 {
      try container.batchInsert((0..<Self.rows).lazy.map { LongText($0, text(round)) })
      #expect(try reading.integer(sum) == 0)
    }
    try reading.run("COMMIT")
    #expect(try reading.integer(sum) == Int64(3 * Self.rows))
  }
}
