import Foundation
import SwiftData
import Testing

/// Environment variables, for `make acceptance ONLY=history`, that begin with `OPENSWIFTDATA_TEST_PROCESS_`: `ROLE` is
/// the role of this process (`seed`, `write` or `read`), `STORE` the file, `SAVES` the number of saves of a writer,
/// `PAUSE` the seconds between them, `TRANSACTIONS` the number of transactions that a reader waits for, `OUTPUT` the
/// file for its results.
@Suite("Several processes")
struct ProcessTests {
  private static func setting(_ name: String) -> String? {
    TestEnvironment.text("OPENSWIFTDATA_TEST_PROCESS_\(name)")
  }

  @Test("two processes: nothing is lost, missed or repeated", .timeLimit(.minutes(20)))
  func two() async throws {
    let store = try TemporaryStore()
    let path = try store.place
    try RemoteRoles.seed(path)
    let saves = 100
    async let delays = RemoteRoles.read(path, transactions: 1 + 2 * saves)
    async let child = #expect(processExitsWith: .success) {
      [path = path as String, saves = saves as Int] in
      _ = try RemoteRoles.write(path, saves: saves, author: "child")
    }
    let writer = Task.detached { try RemoteRoles.write(path, saves: saves, author: "parent") }
    _ = try await writer.value
    _ = await child
    #expect(try await delays.count == 1 + 2 * saves)
    #expect(try store.value("SELECT sum(value) FROM \"Counter\"") == "\(2 * saves)")
    #expect(try store.value("SELECT max(number) FROM _history_transaction") == "\(1 + 2 * saves)")
    #expect(
      try store.value("SELECT count(DISTINCT process) FROM _history_transaction") == "2")
  }

  @MainActor
  @Test(
    "one of many processes, selected by its environment",
    .enabled(if: setting("ROLE") != nil, "needs a role; make acceptance ONLY=history sets it"))
  func role() async throws {
    let path = try #require(Self.setting("STORE"))
    let output = try #require(Self.setting("OUTPUT"))
    func number(_ name: String) throws -> Int {
      try #require(Self.setting(name).flatMap { Int($0) })
    }
    var found: [Double] = []
    switch Self.setting("ROLE") {
    case "seed": try RemoteRoles.seed(path)
    case "write":
      found = [
        Double(
          try RemoteRoles.write(
            path, saves: number("SAVES"),
            author: "\(ProcessInfo.processInfo.processIdentifier)",
            pause: Self.setting("PAUSE").flatMap(Double.init) ?? 0))
      ]
    case "read":
      found = try await RemoteRoles.read(path, transactions: number("TRANSACTIONS"))
    default: Issue.record("the role is seed, write or read")
    }
    try JSONEncoder().encode(found).write(to: URL(filePath: output))
  }
}
