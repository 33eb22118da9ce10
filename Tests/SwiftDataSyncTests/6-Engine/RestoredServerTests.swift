import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing
import TestSupport

/// A server whose store is replaced by a copy that was made earlier, as after a restored backup.
private final class RestoredServer: SyncTransport {
  private let folder: TemporaryFolder
  private let state: Mutex<(number: Int, server: SyncServer)>

  init() throws {
    folder = try TemporaryFolder("restored")
    state = Mutex((0, try Self.server(folder, 0)))
  }

  private static func file(_ folder: TemporaryFolder, _ number: Int) -> URL {
    folder.url.appending(path: "\(number).store")
  }

  private static func server(_ folder: TemporaryFolder, _ number: Int) throws -> SyncServer {
    try SyncServer(
      Fixture.container(file(folder, number)), models: Fixture.models(),
      rules: .everyoneSeesEverything)
  }

  var server: SyncServer { state.withLock { $0.server } }

  /// Copies the store.
  /// - Returns: The number of the copy.
  func copy() throws -> Int {
    try state.withLock { state in
      let copy = state.number + 1_000
      for suffix in ["", "-wal"] {
        let source = Self.file(folder, state.number).path + suffix
        guard FileManager.default.fileExists(atPath: source) else { continue }
        try FileManager.default.copyItem(
          atPath: source, toPath: Self.file(folder, copy).path + suffix)
      }
      return copy
    }
  }

  /// Goes on with a copy; with one that doesn't exist, as an empty server.
  func restore(_ copy: Int) throws {
    try state.withLock { $0 = (copy, try Self.server(folder, copy)) }
  }

  /// Starts anew with the same store.
  func restart() throws {
    try state.withLock { $0.server = try Self.server(folder, $0.number) }
  }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await server.push(changes, client: client, user: "ann")
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    // Pages as small as possible: what is lost is found over several.
    try await server.pull(after: cursor, user: "ann", limit: 1)
  }
}

@Suite(.timeLimit(.minutes(20))) struct RestoredServerTests {
  private let server: RestoredServer

  init() throws { server = try RestoredServer() }

  private func client(_ policy: SyncPolicy = .serverWins) throws -> Client {
    try Client(through: server, policy: policy)
  }

  private func names(_ client: Client) throws -> [Int: String] {
    Dictionary(uniqueKeysWithValues: try client.parks().map { ($0.number, $0.name) })
  }

  /// A client with two parks that the copy has, and with changes since then.
  private func changed(
    _ policy: SyncPolicy = .serverWins
  ) async throws -> (client: Client, copy: Int) {
    let client = try client(policy)
    try client.edit { context in
      context.insert(Park(number: 1, name: "one"))
      context.insert(Park(number: 2, name: "two"))
    }
    try await client.engine.sync()
    let copy = try server.copy()
    try client.edit(park: 1) { $0.name = "one, changed" }
    try client.edit { context in
      let park = Park(number: 3, name: "three")
      context.insert(park)
      context.insert(Booking(park: park, guests: 3))
    }
    let report = try await client.engine.sync()
    #expect(report.sent == 3)
    return (client, copy)
  }

  @Test(
    "the changes since the copy are sent again, also after others' and after restarts",
    arguments: [[], ["other"], ["restart"], ["other", "restart"], ["other", "restart", "other"]])
  func sentAgain(meanwhile: [String]) async throws {
    let (client, copy) = try await changed()
    try server.restore(copy)
    for (number, event) in meanwhile.enumerated() {
      if event == "restart" {
        try server.restart()
      } else {
        let other = try self.client()
        try other.edit { $0.insert(Park(number: 10 + number, name: "other's")) }
        try await other.engine.sync()
      }
    }
    let report = try await client.engine.sync()
    #expect(report.restored == 3 && report.conflicts == 0)
    #expect(client.engine.status.state.restoredCount == 3)
    let present = [1: "one, changed", 2: "two", 3: "three"]
    #expect(try names(client).filter { $0.key < 10 } == present)
    let new = try self.client()
    try await new.engine.sync()
    #expect(try names(new) == names(client))
    #expect(try new.bookings().map(\.guests) == [3])
    // From here on, all is as before.
    #expect(try await client.engine.sync() == SyncReport())
  }

  @Test("a store that is lost is filled by the devices")
  func empty() async throws {
    let (client, _) = try await changed()
    try server.restore(1)
    #expect(try await client.engine.sync().restored == 4)
    let new = try self.client()
    try await new.engine.sync()
    #expect(try names(new) == [1: "one, changed", 2: "two", 3: "three"])
  }

  @Test("a server that starts anew has lost nothing", arguments: [false, true])
  func restarted(changes: Bool) async throws {
    let (client, _) = try await changed()
    for number in 0..<3 {
      try server.restart()
      if changes {
        let other = try self.client()
        try other.edit { $0.insert(Park(number: 10 + number, name: "other's")) }
        try await other.engine.sync()
      }
      let report = try await client.engine.sync()
      #expect(report.restored == 0 && report.sent == 0)
      #expect(report.received == (changes ? 1 : 0))
    }
  }

  @Test("what others deleted since is deleted here, if the copy had it unchanged")
  func deletedSince() async throws {
    let (client, copy) = try await changed()
    try server.restore(copy)
    let other = try self.client()
    try await other.engine.sync()
    try other.edit { try $0.delete(model: Park.self) }
    try await other.engine.sync()
    try await client.engine.sync()
    // Park 2 is as the copy had it; the others' states were lost, so that they count as edits.
    #expect(try names(client) == [1: "one, changed", 3: "three"])
    try await other.engine.sync()
    #expect(try names(other) == names(client))
  }

  @Test("a later state of the server is in conflict with the lost one", arguments: [false, true])
  func conflict(clientWins: Bool) async throws {
    let (client, copy) = try await changed(clientWins ? .clientWins : .serverWins)
    try server.restore(copy)
    let other = try self.client()
    try await other.engine.sync()
    try other.edit(park: 1) { $0.name = "one, of another" }
    try await other.engine.sync()
    let report = try await client.engine.sync()
    #expect(report.conflicts == 1)
    let conflict = try #require(try await client.engine.conflicts().first)
    #expect(conflict.conflict.local?["name"] == .text("one, changed"))
    #expect(conflict.conflict.remote?["name"] == .text("one, of another"))
    let name = clientWins ? "one, changed" : "one, of another"
    #expect(try names(client)[1] == name)
    try await other.engine.sync()
    #expect(try names(other)[1] == name)
  }

  @Test("edits and deletions of lost states that wait are sent", arguments: [false, true])
  func waiting(isOffline: Bool) async throws {
    let (client, copy) = try await changed()
    try client.edit { try $0.delete(model: Park.self, where: #Predicate { $0.number == 3 }) }
    try client.edit(park: 1) { $0.name = "one, edited" }
    if isOffline {
      client.line.fail(SyncFailure(.offline, "away"), answerLost: true, pullToo: true)
      await #expect(throws: SyncFailure.self) { try await client.engine.sync() }
      client.line.fail(nil)
    }
    try server.restore(copy)
    try await client.engine.sync()
    #expect(try names(client) == [1: "one, edited", 2: "two"])
    #expect(try client.bookings().isEmpty)
    let new = try self.client()
    try await new.engine.sync()
    #expect(try names(new) == names(client))
    #expect(try await client.engine.unsynced().isEmpty)
  }

  @Test(
    "what was sent after the last page, which is older than the copy, is found to be lost",
    arguments: [false, true])
  func pushedOnly(others: Bool) async throws {
    let client = try client()
    try client.edit { $0.insert(Park(number: 1, name: "one")) }
    try await client.engine.sync()
    let copy = try server.copy()
    try client.edit { $0.insert(Park(number: 2, name: "two")) }
    // The change is accepted, and no page tells it.
    client.line.failPulls(SyncFailure(.offline, "away"))
    await #expect(throws: SyncFailure.self) { try await client.engine.sync() }
    client.line.failPulls(nil)
    #expect(try await client.engine.unsynced().isEmpty)
    try server.restore(copy)
    if others {
      let other = try self.client()
      try other.edit { $0.insert(Park(number: 10, name: "other's")) }
      try await other.engine.sync()
    }
    #expect(try await client.engine.sync().restored == 1)
    let new = try self.client()
    try await new.engine.sync()
    #expect(try names(new) == names(client))
    #expect(try names(new)[2] == "two")
  }

  @Test("a change that needs a lost object is sent after it")
  func child() async throws {
    let (client, copy) = try await changed()
    try server.restore(copy)
    try client.edit { context in
      let park = try context.fetch(
        FetchDescriptor<Park>(predicate: #Predicate { $0.number == 3 }))
      if let park = park.first { context.insert(Booking(park: park, guests: 7)) }
    }
    try await client.engine.sync()
    #expect(try await client.engine.unsynced().isEmpty)
    let new = try self.client()
    try await new.engine.sync()
    #expect(try new.bookings().map(\.guests).sorted() == [3, 7])
  }

  @Test("a page names the last ranges of skipped versions")
  func ranges() async throws {
    let client = try client()
    for number in 0..<SyncPage.maximumSkipped + 3 {
      try server.restart()
      try client.edit { $0.insert(Park(number: number, name: "\(number)")) }
      try await client.engine.sync()
    }
    let page = try await server.pull(after: nil, client: "any")
    #expect(page.skippedVersions.count == SyncPage.maximumSkipped)
    let bounds = page.skippedVersions.flatMap { [$0.lowerBound, $0.upperBound] }
    #expect(bounds == bounds.sorted())
    #expect(try #require(page.version) > (bounds.last ?? 0))
    // Neither a start without changes nor forgotten tombstones skip more.
    try await server.server.forgetTombstones(before: .distantFuture)
    try client.edit(park: 1) { $0.name = "changed" }
    try await client.engine.sync()
    try server.restart()
    let again = try await server.pull(after: nil, client: "any")
    #expect(again.skippedVersions == page.skippedVersions)
    #expect(try SyncContract.parsePage(SyncContract.page(page)) == page)
  }

  @Test("a range may begin with the least number")
  func least() throws {
    let storage = try ModelSyncStorage(Fixture.container(), Fixture.models())
    #expect(try !storage.hasVersions(in: [Int64.min...Int64.max]))
  }

  @Test(
    "damaged ranges of a page are refused",
    arguments: ["[[2,1]]", "[[1]]", "[1]", "1", "[[1,\"2\"]]"])
  func damaged(ranges: String) {
    let page = #"{"changes":[],"cursor":"a","hasMore":false,"version":3,"skipped":\#(ranges)}"#
    #expect(throws: SyncFailure.self) { try SyncContract.parsePage(Array(page.utf8)) }
  }
}
