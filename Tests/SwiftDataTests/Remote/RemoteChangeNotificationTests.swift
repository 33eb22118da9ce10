import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

@Suite("The notification of remote changes", .timeLimit(.minutes(20)))
struct RemoteChangeNotificationTests {
  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Counter.self)
  }

  private final class Observation: @unchecked Sendable {
    // Unchecked: the token is only passed back to the notification centre.
    let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    deinit { NotificationCenter.default.removeObserver(token) }
  }

  /// Returns the tokens of the container's notifications; nil for one without a token.
  private func posted() -> (AsyncStream<DefaultHistoryToken?>, Observation) {
    let (stream, continuation) = AsyncStream<DefaultHistoryToken?>.makeStream()
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: container, queue: nil
    ) { note in
      let key = ModelContainer.RemoteChangeKey.historyToken.rawValue
      continuation.yield(note.userInfo?[key] as? DefaultHistoryToken)
    }
    return (stream, Observation(token))
  }

  @Test("is posted once for every transaction, of this container and of others")
  func transactions() async throws {
    let (stream, observation) = posted()
    let own = ModelContext(container)
    let other = ModelContext(try store.container(Counter.self))
    for number in 0..<5 {
      _ = try own.saveCounter("own \(number)")
      _ = try other.saveCounter("other \(number)")
    }
    var found: Set<DefaultHistoryToken?> = []
    for await token in stream {
      #expect(found.insert(token).inserted)
      if found.count == 10 { break }
    }
    #expect(try Set(own.history().map(\.token)) == found)
    withExtendedLifetime(observation) {}
  }

  @Test(
    "is posted without a token for changes outside the history, and for both kinds",
    .enabled(if: StoreKind.noticesOthers, "other programs aren't noticed"))
  func unrecorded() async throws {
    let (stream, observation) = posted()
    var iterator = stream.makeAsyncIterator()
    let context = ModelContext(container)
    _ = try context.saveCounter("a")
    #expect(await iterator.next() != .some(nil))
    let other = ModelContext(try store.container(Counter.self))
    // Without a pause, so that both are noticed together.
    try store.execute("UPDATE \"Counter\" SET value = 1")
    _ = try other.saveCounter("b")
    let two = [await iterator.next(), await iterator.next()]
    #expect(two.count { $0 == .some(nil) } == 1)
    withExtendedLifetime(observation) {}
  }

  @Test(
    "the library's own tables and checkpoints aren't reported as unknown changes",
    .enabled(if: StoreKind.tested == .sqlite, "makes a checkpoint of a log"))
  func silence() async throws {
    let (stream, observation) = posted()
    var iterator = stream.makeAsyncIterator()
    let context = ModelContext(try store.container(Counter.self))
    _ = try context.saveCounter("a")
    let first = await iterator.next()
    try context.deleteHistory(Transactions())
    let batch = try BatchUpsert<Counter>(context.container)
    try batch.setMetadata(Data("x".utf8), forKey: "validators")
    try batch.commit()
    try store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _ = try context.saveCounter("b")
    let second = await iterator.next()
    #expect(first?.flatMap(\.tokenValue)?.values.first == 1)
    #expect(second?.flatMap(\.tokenValue)?.values.first == 2)
    withExtendedLifetime(observation) {}
  }
}
