import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite(
  "A history with hostile numbers",
  .enabled(if: StoreKind.tested == .sqlite, "writes SQLite's tables of the history"))
struct HostileHistoryTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    for code in ["a", "b"] {
      context.insert(Quake(code: code))
      try context.save()
    }
  }

  /// Uses the store as a program would after another one has changed the file.
  private func use(_ sql: String) throws -> ModelContext {
    try store.execute(sql)
    let context = ModelContext(try store.container(Quake.self))
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 2)
    _ = try context.history()
    context.insert(Quake(code: "c"))
    return context
  }

  @Test(
    "numbers without a successor refuse a save, with a typed error",
    arguments: [
      "UPDATE _history_transaction SET number = 9223372036854775807 WHERE number = 2",
      "UPDATE _history_transaction SET number = 34359738367 WHERE number = 2",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.deleted', 9223372036854775807)",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.deleted', 'text')",
    ])
  func lastNumber(_ sql: String) throws {
    let context = try use(sql)
    guard !sql.contains("text") else { return try context.save() }
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .damaged && "\(error)".contains("behind which")
    }
    #expect(context.hasChanges)
  }

  @Test(
    "other counters have no effect on saves",
    arguments: [
      "UPDATE _history_transaction SET total = 9223372036854775807",
      "UPDATE _history_transaction SET total = -9223372036854775808",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.deleted', -9223372036854775808)",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.unrecorded', -9223372036854775808)",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.unrecorded', 9223372036854775807)",
      "INSERT OR REPLACE INTO _metadata VALUES ('history.consumer.a', '{\"number\": 9223372036854775807}')",
      "UPDATE _rowNumbers SET last = 9223372036854775806",
    ])
  func numbers(_ sql: String) throws {
    let context = try use(sql)
    try context.save()
    let fresh = ModelContext(try store.container(Quake.self))
    #expect(try fresh.fetchCount(FetchDescriptor<Quake>()) == 3)
    #expect(try fresh.history().last?.changes.count == 1)
  }

  @Test("changes without their transaction refuse a save, until the history is deleted")
  func changesAlone() throws {
    let context = try use(
      "UPDATE _history_transaction SET number = -9223372036854775808 WHERE number = 2")
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .damaged && "\(error)".contains("transaction 2 already")
    }
    try context.deleteHistory(Transactions())
    try context.save()
    #expect(try context.history().map(\.changes.count) == [1])
  }

  @Test("a trigger that writes the last number is met by a typed error")
  func trigger() throws {
    try store.execute(
      """
      CREATE TRIGGER theirs AFTER INSERT ON Quake BEGIN INSERT INTO _history_transaction
      VALUES (9223372036854775807, 0, '', '', 0, 9223372036854775807); END
      """)
    let context = ModelContext(try store.container(Quake.self))
    context.insert(Quake(code: "c"))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 3)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 2)
  }

  @Test("a few bytes that stand for millions of changes are damage, and cost nothing")
  func unpacking() throws {
    // One run: 2^26 insertions starting at row 1.
    var bytes: [UInt8] = []
    bytes.append(variable: (1 << 26 - 1) << 3)
    bytes.append(signed: 1)
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try store.execute("UPDATE _history_change SET changes = x'\(digits)' WHERE number = 2")
    let context = ModelContext(try store.container(Quake.self))
    #expect {
      _ = try context.history()
    } throws: { error in
      (error as? StoreError)?.code == .damaged
    }
    // The table may have had that many rows; then there are more changes than are read at a time.
    try store.execute("INSERT INTO _rowNumbers VALUES ('Quake', 67108864)")
    #expect {
      _ = try context.history()
    } throws: { error in
      (error as? StoreError)?.code == .other && "\(error)".contains("more than")
    }
    try context.deleteHistory(Transactions())
    #expect(try context.history().isEmpty)
  }

  @Test("a few bytes that update all properties of a row again and again cost little")
  func repeatedUpdates() throws {
    let count = 8_000
    var bytes: [UInt8] = []
    bytes.append(variable: 1)
    bytes.append(signed: 1)
    bytes.append(variable: UInt64(count))
    for position in 0..<count { bytes.append(variable: UInt64(position)) }
    for _ in 0..<count { bytes += [5, 0] }
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try store.execute("UPDATE _history_change SET changes = x'\(digits)' WHERE number = 2")
    let changes = try #require(
      try ModelContext(try store.container(Quake.self)).history().last?.changes)
    guard changes.count == 1, case .update(let change) = changes[0],
      let update = change as? DefaultHistoryUpdate<Quake>
    else {
      Issue.record("\(changes.count) changes")
      return
    }
    let properties = update.updatedAttributes.map { $0 as PartialKeyPath<Quake> }
    #expect(properties.contains(\Quake.code))
    #expect(Set(properties).count == properties.count)
  }

  @Test("a valid transaction of many rows is read, also after the rows were deleted")
  func manyRows() throws {
    let container = try store.container(Quake.self)
    let context = ModelContext(container)
    for number in 0..<120_000 { context.insert(Quake(code: "n\(number)")) }
    try context.save()
    #expect(try context.history().last?.changes.count == 120_000)
    try ModelContext(container).delete(model: Quake.self)
    let other = ModelContext(container)
    try other.delete(model: Quake.self)
    try other.save()
    #expect(try other.history().map(\.changes.count) == [1, 1, 120_000, 120_002])
  }
}
