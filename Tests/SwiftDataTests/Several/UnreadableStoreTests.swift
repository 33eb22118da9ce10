import Foundation
import SwiftData
import Testing

@Suite(
  "Merging from several stores with an unreadable one",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct UnreadableStoreTests {
  let store: TemporaryStore
  /// The name of the tallies' table while the store is unreadable.
  private static let hidden = "hidden"

  init() throws { store = try TemporaryStore() }

  private func rename(_ table: String, to name: String) throws {
    let file = try SQLiteFile(store.folder.appending(path: "tallies.store"))
    try file.run("ALTER TABLE \"\(table)\" RENAME TO \"\(name)\"")
  }

  private func saved(in context: ModelContext) throws -> (Tally, CountMark) {
    let (tally, mark) = (Tally("t"), CountMark("m"))
    context.insert(tally)
    context.insert(mark)
    try context.save()
    return (tally, mark)
  }

  private func edit(in context: ModelContext) throws {
    try #require(try context.tally("t")).value = 1
    try #require(try context.mark("m")).value = 2
    try context.save()
  }

  @Test(
    "brings the values of the others at once, and its own when it can be read again",
    arguments: ["_history_transaction", "Tally"], [false, true])
  func notification(unreadable table: String, reversed: Bool) throws {
    let container = try store.pair(reversed: reversed)
    let context = ModelContext(container)
    context.mergesChangesAutomatically = false
    let (tally, mark) = try saved(in: context)
    try edit(in: ModelContext(container))
    let news = Notification(name: ModelContainer.remoteChange, object: container)
    try rename(table, to: Self.hidden)
    #expect(throws: StoreError.self) { try context.mergeChanges(from: news) }
    #expect(tally.value == 0 && mark.value == 2)
    try rename(Self.hidden, to: table)
    try context.mergeChanges(from: news)
    #expect(tally.value == 1 && mark.value == 2)
    #expect(!context.hasChanges)
  }

  @Test(
    "finds another container's commits to the others, when the context merges",
    arguments: [false, true])
  func looking(reversed: Bool) throws {
    let context = ModelContext(try store.pair(reversed: reversed))
    let (tally, mark) = try saved(in: context)
    try edit(in: ModelContext(try store.pair()))
    try rename("_history_transaction", to: Self.hidden)
    context.processPendingChanges()
    #expect(tally.value == 0 && mark.value == 2)
    try rename(Self.hidden, to: "_history_transaction")
    context.processPendingChanges()
    #expect(tally.value == 1 && mark.value == 2)
  }
}
