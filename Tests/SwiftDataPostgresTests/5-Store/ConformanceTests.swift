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

  @Test("keeps them on a server without features that others lack")
  func portable() throws { try check(RefusingProxy.shared.url, features: []) }

  private func check(_ url: String, features: PostgresFeatures = .all) throws {
    let conformance = DataStoreConformance(storesZeroCharacters: false) {
      var configuration = PostgresConfiguration(uniqueName("conformance"), url: url)
      configuration.features = features
      return configuration
    }
    #expect(conformance.checks.count >= 20)
    for (check, error) in conformance.failures() { Issue.record("\(check): \(error)") }
  }
}
