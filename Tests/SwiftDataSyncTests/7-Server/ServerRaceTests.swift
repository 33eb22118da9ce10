import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// Two servers on one store, of which one works between two steps of the other.
@Suite("Servers on one store send only what has changed") struct ServerRaceTests {
  private let container: ModelContainer
  private let storage: InterruptedServerStorage
  private let ledger: SyncServerLedger
  private let other: SyncServerLedger
  private let cursor: String

  init() throws {
    container = try Fixture.container()
    storage = InterruptedServerStorage(try ModelServerStorage(container, Fixture.models()))
    ledger = try SyncServerLedger(storage, storage.schema, .everyoneSeesEverything)
    other = try SyncServerLedger(
      ModelServerStorage(container, Fixture.models()), storage.schema, .everyoneSeesEverything)
    let context = ModelContext(container)
    for number in 0..<5 { context.insert(Park(number: number, name: "park \(number)")) }
    try context.save()
    cursor = try ledger.pull(after: nil, user: "ann", limit: 100).cursor
    try pull(other)
  }

  private func insert(_ number: Int) throws {
    let context = ModelContext(container)
    context.insert(Park(number: number, name: "new"))
    try context.save()
  }

  private func pull(_ ledger: SyncServerLedger) throws {
    _ = try ledger.pull(after: nil, user: "ann", limit: 100)
  }

  /// Returns the keys of what a client gets that has had the first objects.
  private func news() throws -> [String] {
    try pull(ledger)
    return try ledger.pull(after: cursor, user: "ann", limit: 100).changes.map(\.object.key)
      .sorted()
  }

  @Test("when another one notes a save before the position is used")
  func position() throws {
    storage.afterPosition = {
      try insert(7)
      try pull(other)
    }
    #expect(try news() == ["7"])
    #expect(storage.afterPosition == nil)
  }

  @Test("when the history that another one has noted is deleted before it is read")
  func history() throws {
    try insert(7)
    storage.beforeEdits = {
      try insert(8)
      try pull(other)
      try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(try news() == ["7", "8"])
    #expect(storage.beforeEdits == nil)
  }
}
