import DataStoreConformance
import SwiftData
import Synchronization
import PostgresTesting
import TestSupport
import Testing

@testable import SwiftDataPostgres

/// A Citus server (12 or later), of which a variable has the address. Nothing here installs or starts one.
private let citus = TestEnvironment.text("OPENSWIFTDATA_TEST_CITUS")

@Suite(
  "Stores on a Citus server",
  .enabled(if: citus != nil, "OPENSWIFTDATA_TEST_CITUS names no server"))
struct CitusTests {
  /// The address, with new schemas placed on the servers' nodes as a whole
  /// (https://docs.citusdata.com/en/stable/develop/api_guc.html, citus.enable_schema_based_sharding).
  private var url: String {
    let address = citus ?? ""
    let separator = address.contains("?") ? "&" : "?"
    return address + separator + "options=-c%20citus.enable_schema_based_sharding%3Don"
  }

  private func configuration(_ name: String) -> PostgresConfiguration {
    var configuration = PostgresConfiguration(name, url: url)
    configuration.features.subtract([.triggers, .rowVersions])
    return configuration
  }

  private func connection() throws -> PostgresConnection {
    try PostgresConnection(PostgresConnectionOptions(url: PostgresURL(url)))
  }

  /// Removes the stores from the server, which isn't the tests' own.
  private func remove(_ names: [String]) throws {
    let connection = try connection()
    for name in names { try connection.execute("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE") }
  }

  @Test("keep the rules of every data store")
  func conformance() throws {
    let names = Mutex<[String]>([])
    let conformance = DataStoreConformance(storesZeroCharacters: false) {
      let name = uniqueName("citus")
      names.withLock { $0.append(name) }
      return configuration(name)
    }
    #expect(conformance.checks.count >= 20)
    for (check, error) in conformance.failures() { Issue.record("\(check): \(error)") }
    try remove(names.withLock { $0 })
  }

  @Test("are on one node each")
  func placement() throws {
    let names = (0..<4).map { _ in uniqueName("citus") }
    for name in names {
      let container = try ModelContainer(
        for: Schema([Tour.self]), configurations: [configuration(name)])
      let context = ModelContext(container)
      context.insert(Tour(name))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tour>()) == 1)
    }
    let connection = try connection()
    for name in names {
      // https://docs.citusdata.com/en/stable/develop/api_metadata.html
      let nodes = try connection.run(
        "SELECT count(DISTINCT (nodename, nodeport)), count(*) FROM citus_shards"
          + " WHERE table_name::text LIKE $1", [.text("%\(name)%")])
      #expect(nodes.integer(0, 0) == 1, "the tables of \(name) are on one node")
      #expect((nodes.integer(0, 1) ?? 0) > 1, "\(name) is placed")
    }
    try remove(names)
  }
}
