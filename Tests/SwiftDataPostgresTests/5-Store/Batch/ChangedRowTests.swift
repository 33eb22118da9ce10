import Foundation
import PostgresTesting
import SwiftData
import SwiftDataExtras
import SwiftDataPostgres
import Synchronization
import Testing

@Suite(
  "Batches and rows that were changed since they were compared", .server, .timeLimit(.minutes(20)))
struct ChangedRowTests {
  /// The change of a row by another program, between the comparison and the update.
  enum Change: String, CaseIterable {
    case sameValues = "UPDATE \"Station\" SET code = code WHERE code = '7'"
    case wantedValues = "UPDATE \"Station\" SET name = 'new' WHERE code = '7'"
    case otherValues = "UPDATE \"Station\" SET level = -1 WHERE code = '7'"
    case otherKey = "UPDATE \"Station\" SET code = 'seven' WHERE code = '7'"
    case deletion = "DELETE FROM \"Station\" WHERE code = '7'"
  }

  private let name = uniqueName("changed")
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared }

  private func container(hasVersions: Bool) throws -> ModelContainer {
    var configuration = PostgresConfiguration(name, url: server.url)
    if !hasVersions { configuration.features.remove(.rowVersions) }
    return try ModelContainer(for: Railway.schema, configurations: [configuration])
  }

  private func stations(_ container: ModelContainer) throws -> [String: Station] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Station>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
  }

  @Test(
    "write what differs when they have the row", arguments: Change.allCases, [true, false])
  func changed(change: Change, hasVersions: Bool) throws {
    let container = try container(hasVersions: hasVersions)
    try container.batchInsert((0..<200).map { Station("\($0)", $0) })
    let other = try server.connect()
    try other.use(schema: name)
    try other.begin()
    try other.run(change.rawValue)
    let process = try other.run("SELECT pg_backend_pid()").integer(0, 0) ?? 0
    let result = Mutex<Result<BatchUpsert<Station>.Summary, any Error>?>(nil)
    let group = DispatchGroup()
    group.enter()
    // A thread of its own: it waits for the server.
    Thread {
      let summary = Result {
        try container.batchInsert((0..<200).map { Station("\($0)", $0, name: "new") })
      }
      result.withLock { $0 = summary }
      group.leave()
    }.start()
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
    let observer = try server.connect()
    while try observer.run(waiting).integer(0, 0) == 0, result.withLock({ $0 == nil }) {}
    #expect(result.withLock { $0 == nil })
    try other.run("COMMIT")
    group.wait()
    let summary = try #require(try result.withLock { try $0?.get() })
    // The insertions, updates and equal rows, and the changes of the changed row in the history.
    let (counts, recorded): ([Int], [String]) =
      switch change {
      case .sameValues: ([0, 200, 0], ["update Station name"])
      case .wantedValues: ([0, 199, 1], [])
      case .otherValues: ([0, 200, 0], ["update Station name,level"])
      case .otherKey, .deletion: ([1, 199, 0], ["insert Station"])
      }
    #expect([summary.inserted, summary.updated, summary.unchanged] == counts)
    let stored = try stations(container)
    #expect(stored.count == (change == .otherKey ? 201 : 200))
    for number in 0..<200 {
      let station = stored["\(number)"]
      #expect(station?.name == "new" && station?.level == Double(number) / 4)
    }
    let changes = try #require(try ModelContext(container).history().last).summary
    #expect(
      changes.sorted()
        == (Array(repeating: "update Station name", count: 199) + recorded).sorted())
  }

  @Test("don't take other digits of a number for another one", arguments: [true, false])
  func digits(hasVersions: Bool) throws {
    let container = try container(hasVersions: hasVersions)
    try container.batchInsert((0..<200).map { Station("\($0)", $0) })
    let other = try server.connect()
    try other.use(schema: name)
    try other.run("UPDATE \"Station\" SET price = price + 0.0000, total = total + 0.0")
    let again = try container.batchInsert((0..<200).map { Station("\($0)", $0) })
    #expect(again.unchanged == 200)
    let named = try container.batchInsert((0..<200).map { Station("\($0)", $0, name: "new") })
    #expect(named.updated == 200)
    let changes = try #require(try ModelContext(container).history().last).summary
    #expect(changes == Array(repeating: "update Station name", count: 200))
    let priced = try container.batchInsert(
      (0..<200).map { number in
        let station = Station("\(number)", number, name: "new")
        station.price = Decimal(number) + 1
        return station
      })
    #expect(priced.updated == 200)
    let last = try #require(try ModelContext(container).history().last).summary
    #expect(last == Array(repeating: "update Station price", count: 200))
  }
}
