import Foundation
import PostgresTesting
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite("IDs of new rows", .server)
struct RowIDSourceTests {
  private let server: PostgresServer
  private let name = uniqueName("ids")

  init() throws {
    server = try PostgresServer.shared
    _ = try ModelContainer(
      for: serverSchema, configurations: [PostgresConfiguration(name, url: server.url)])
  }

  private func connection() throws -> PostgresConnection {
    let connection = try server.connect()
    try connection.use(schema: name)
    return connection
  }

  @Test("ascend without gaps, also after some were given back")
  func order() throws {
    let (source, connection) = (RowIDSource(), try connection())
    let first = try source.take(3_000, connection)
    #expect(first == Array(first[0]..<first[0] + 3_000))
    source.giveBack(first[2_000...])
    let second = try source.take(2_500, connection)
    #expect(second == Array(first[2_000]..<first[2_000] + 2_500))
  }

  @Test("of two programs are different, also those between them that were given back")
  func programs() throws {
    let (one, other, connection) = (RowIDSource(), RowIDSource(), try connection())
    var taken: [[Int64]] = []
    for _ in 0..<3 {
      taken.append(try one.take(1_500, connection))
      taken.append(try other.take(1_500, connection))
    }
    let unused = taken.removeFirst()
    one.giveBack(unused)
    let again = try one.take(1_700, connection)
    #expect(again == again.sorted())
    #expect(Array(again.prefix(1_500)) == unused)
    let all = taken.flatMap { $0 } + again
    #expect(Set(all).count == all.count)
  }

  @Test("aren't those of a block that a server may give again, which has crashed since")
  func lostConnection() throws {
    let program = String(uniqueName("program").prefix(30))
    let configuration = PostgresConfiguration(
      name, url: server.url + "&application_name=\(program)")
    let context = ModelContext(
      try ModelContainer(for: serverSchema, configurations: [configuration]))
    context.insert(Tag("before"))
    try context.save()
    let asking = try connection()
    let ended = try asking.run(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = $1",
      [.text(program)])
    #expect(ended.rowCount > 0)
    context.insert(Tag("after"))
    try context.save()
    let rowIDs = try asking.run("SELECT \"_id\" FROM \"Tag\" ORDER BY \"_id\"")
    let before = try #require(rowIDs.integer(0, 0))
    #expect(rowIDs.integer(1, 0) == before + Int64(StoreTables.rowIDBlock))
  }
}
