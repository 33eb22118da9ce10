import DataStoreConformance
import PostgresTesting
import SwiftDataPostgres
import Testing

@Suite("The interface of data stores on a server", .server)
struct ConformanceTests {
  @Test("keeps the rules of every data store")
  func direct() throws { try check(PostgresServer.shared.url) }

  @Test("keeps them behind a pooler", .pooler)
  func pooled() throws { try check(PostgresServer.shared.pooledURL) }

  private func check(_ url: String) throws {
    let conformance = DataStoreConformance(storesZeroCharacters: false) {
      PostgresConfiguration(uniqueName("conformance"), url: url)
    }
    #expect(conformance.checks.count >= 20)
    for (check, error) in conformance.failures() { Issue.record("\(check): \(error)") }
  }
}
