import Foundation
import Testing

@testable import PostgresTesting
@testable import ProgramTesting
@testable import TestSupport

@Suite("Databases that cannot be used", .database, .timeLimit(.minutes(20)))
struct DatabaseErrorTests {
  private static let password = "swordfish-4711"

  /// Runs a command, and checks that it fails with one line that has no password.
  private static func failure(
    _ program: Program, _ arguments: [String], store: String, code: Int32 = 74
  ) async throws -> String {
    let outcome = try await program.run(arguments: arguments + ["--store", store])
    let lines = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(outcome.code == code && outcome.output.isEmpty, "\(outcome)")
    #expect(
      lines.count == 2 && lines.last == "" && outcome.errors.hasPrefix("quakes: "), "\(outcome)")
    #expect(!outcome.errors.contains(password))
    return outcome.errors
  }

  private static let commands = [
    ["list"], ["show", "nc1"], ["watch", "--no-refresh", "--format", "lines"],
    ["refresh", "--feed", "all_day"], ["serve", "--port", "0"],
  ]

  @Test("Each command says what is wrong and what to do", arguments: commands)
  func messages(_ command: [String]) async throws {
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    let server = try PostgresServer.shared
    let silent = "postgresql://me:\(Self.password)@/quakes?host=\(folder.url.path)"
    let unreachable = try await Self.failure(program, command, store: silent)
    #expect(unreachable.contains("can't be reached; check that it runs"))
    let refused = try await Self.failure(
      program, command, store: server.url(user: "nobody", password: Self.password))
    #expect(refused.contains("the password is refused"))
    let missing = try await Self.failure(
      program, command, store: server.url(database: "no_such_database"))
    #expect(missing.contains("the database doesn't exist"))
    #expect(missing.contains("`createdb no_such_database`"))
    let wrong = try await Self.failure(
      program, command, store: "postgresql://me:\(Self.password)@host/x?no=1", code: 64)
    #expect(wrong.contains("postgresql://user@host:port/database"))
    #expect(program.files().isEmpty)
  }

  @Test("Commands that only read make no store in a database")
  func emptyDatabase() async throws {
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    let database = try PostgresServer.shared.makeDatabase()
    for command in Self.commands.prefix(3) {
      let errors = try await Self.failure(program, command, store: database)
      #expect(errors.contains("there is none in this database; `quakes refresh` makes one"))
    }
  }

  @Test("A password is in no output of a server or a report")
  func secrets() async throws {
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    let server = try PostgresServer.shared
    let name = uniqueName("reader")
    try server.run("CREATE ROLE \(name) LOGIN PASSWORD '\(Self.password)'")
    try server.run("CREATE DATABASE \(name) OWNER \(name)")
    let store = server.url(user: name, password: Self.password)
      .replacing("/postgres", with: "/\(name)")
    let feed = try folder.file("feed.geojson", #"{"type":"FeatureCollection","features":[]}"#)
    let outcome = try await program.run(
      "refresh", "--json", "--feed", feed.path, "--store", store)
    #expect(outcome.code == 0 && outcome.output.contains("/\(name)"), "\(outcome.errors)")
    #expect(!outcome.output.contains(Self.password) && !outcome.errors.contains(Self.password))
    let running = try await program.serve([
      "serve", "--port", "0", "--feed", feed.path, "--store", store,
    ])
    let client = try WireClient(running.address)
    for target in ["/api/status", "/api/config", "/api/events"] {
      #expect(try await !client.request("GET", target).text.contains(Self.password))
    }
    #expect(try await running.stop() == 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where file.hasSuffix(".err") {
      let text = try String(contentsOf: folder.file(file), encoding: .utf8)
      #expect(!text.contains(Self.password))
    }
  }
}
