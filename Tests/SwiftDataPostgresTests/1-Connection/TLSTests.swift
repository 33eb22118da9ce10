import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataPostgres
import Testing

/// By URLs as users give them. The certificate of the secured server is for the host `localhost`.
@Suite("Connections with TLS", .server, .tls, .timeLimit(.minutes(20)))
struct TLSTests {
  private static let password = "s3cret-of-the-test"

  private let server: PostgresServer
  private let user = uniqueName("tls")

  init() throws {
    server = try PostgresServer.secured
    try Self.createUser(user, on: server)
  }

  private static func createUser(_ user: String, on server: PostgresServer) throws {
    // A superuser needs no rights on the database, whose changes by several tests at once the server refuses.
    try server.run("CREATE ROLE \(user) LOGIN SUPERUSER PASSWORD '\(password)'")
  }

  private func url(
    _ mode: String, _ root: String? = nil, host: String = "localhost",
    on other: PostgresServer? = nil
  ) -> String {
    let address = (other ?? server).url(user: user, password: Self.password, host: host)
    return address + "?sslmode=\(mode)" + (root.map { "&sslrootcert=\($0)" } ?? "")
  }

  private func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Tag.self]), configurations: [PostgresConfiguration(uniqueName("tls"), url: url)])
  }

  /// Returns the error of opening a store, which never shows the password.
  private func failure(_ url: String) throws -> StoreError {
    do { _ = try container(url) } catch let error as StoreError {
      for text in ["\(error)", error.debugDescription, error.path, "\(Mirror(reflecting: error))"] {
        #expect(!text.contains(Self.password))
      }
      #expect(error.general == .loadIssueModelContainer)
      return error
    }
    Issue.record("there was no error")
    return StoreError(.other, path: "", explanation: "")
  }

  @Test("are made when the certificate is for the host, and its authority is known")
  func verified() throws {
    let url = url("verify-full", server.certificateFile())
    let context = ModelContext(try container(url))
    context.insert(Tag("a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    let connection = try PostgresConnection(server.options(url))
    let rows = try connection.run(
      "SELECT ssl::integer FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()")
    #expect(rows.integer(0, 0) == 1)
  }

  @Test("without a check of the certificate", arguments: ["require", "prefer"])
  func unverified(mode: String) throws {
    _ = try container(url(mode))
  }

  @Test("aren't made when the certificate is for another host")
  func otherHost() throws {
    let error = try failure(url("verify-full", server.certificateFile(), host: "127.0.0.1"))
    #expect(error.code == .insecureConnection)
    #expect(error.description.contains("use the host name of the certificate in the URL"))
    // The authority alone doesn't say which server it is.
    _ = try container(url("verify-ca", server.certificateFile(), host: "127.0.0.1"))
  }

  @Test("aren't made when the authority is unknown", arguments: ["verify-ca", "verify-full"])
  func otherAuthority(mode: String) throws {
    let error = try failure(url(mode, server.certificateFile(ofStranger: true)))
    #expect(error.code == .insecureConnection)
    #expect(error.description.contains("let sslrootcert in the URL name the file"))
  }

  @Test("aren't made when there is no file with the authorities, or something else in it")
  func noAuthority() throws {
    let folder = URL(filePath: server.certificateFile()).deletingLastPathComponent()
    for file in ["missing.crt", "names"] {
      let error = try failure(url("verify-full", folder.appending(path: file).path))
      #expect(error.code == .insecureConnection, "\(file)")
      #expect(error.description.contains("sslrootcert"))
      #expect(error.description.contains(file))
    }
  }

  @Test("aren't made to a server without TLS", arguments: ["require", "verify-full"])
  func withoutTLS(mode: String) throws {
    let plain = try PostgresServer.shared
    try Self.createUser(user, on: plain)
    let root = server.certificateFile()
    let error = try failure(url(mode, root, on: plain))
    #expect(error.code == .insecureConnection)
    #expect(error.description.contains("turn on ssl in its postgresql.conf"))
    // Without a demand, the connection is made without.
    _ = try container(url("prefer", on: plain))
  }

  @Test("are made where the server demands it, and nothing else is")
  func demandedByServer() throws {
    let error = try failure(url("disable"))
    #expect(error.code == .accessDenied && error.sqlState == "28000")
    #expect(error.description.contains("sslmode"))
  }

  @Test("aren't tried with an unknown mode")
  func unknownMode() throws {
    let error = try failure(url("always"))
    #expect(error.code == .cannotOpen)
    #expect(error.description.contains("sslmode"))
  }
}
