import DataStoreConformance
import PostgresTesting
import SwiftDataPostgres
import Testing

@Suite("The interface of data stores on a server", .server)
struct ConformanceTests {
  @Test("keeps the rules of every data store")
  func conformance() throws {
    let url = try PostgresServer.shared.url
    let conformance = DataStoreConformance(storesZeroCharacters: false) {
      PostgresConfiguration(uniqueName("conformance"), url: url)
    }
    #expect(conformance.checks.count >= 20)
    for (check, error) in conformance.failures() { Issue.record("\(check): \(error)") }
  }
}
