import DemoFeed
import Foundation
import Testing

@testable import PostgresTesting
@testable import ProgramTesting
@testable import TestSupport

@Suite("Several servers of the page on one database", .database, .timeLimit(.minutes(20)))
struct SharedStoreTests {
  private static let ownPage = [("X-Requested-With", "quakes")]

  private struct Page: Decodable {
    let total: Int
  }

  private static func total(_ client: WireClient) async throws -> Int {
    let response = try await client.request("GET", "/api/events?limit=1")
    return try JSONDecoder().decode(Page.self, from: Data(response.text.utf8)).total
  }

  /// Waits until a server has ended its first refresh: then its state is that of a copy.
  private static func isReady(_ client: WireClient) async throws {
    while try await !client.request("GET", "/api/status").text.contains(#""state":"fresh""#) {
      await Task.yield()
    }
  }

  private static func requests(_ feed: WireClient) async throws -> Int {
    struct State: Decodable { let requests: Int }
    let state = try await feed.request("GET", "/control/state").body
    return try JSONDecoder().decode(State.self, from: Data(state)).requests
  }

  @Test(
    "Each of three servers behind a proxy shows what one of them loads, also when one is killed")
  func three() async throws {
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    let database = try PostgresServer.shared.makeDatabase()
    let demo = DemoFeedServer(DemoFeedServerTests.settings)
    try await demo.whileRunning { base in
      let feed = try WireClient(base)
      var servers: [RunningProgram] = []
      for _ in 0..<3 {
        servers.append(
          try await program.serve([
            "serve", "--port", "0", "--every", "1h", "--store", database,
            "--feed", base + DemoFeedServerTests.day,
          ]))
      }
      let clients = try servers.map { try WireClient($0.address) }
      for client in clients { try await Self.isReady(client) }
      // The first document stays fresh for a minute: the server that came first loaded it for all.
      #expect(try await Self.requests(feed) == 1)
      let total = try await Self.total(clients[0])
      #expect(total > 10)

      try await TCPProxy.run(to: clients.map(\.port)) { [servers] port in
        let proxy = try WireClient("http://127.0.0.1:\(port)")
        for _ in 0..<3 { #expect(try await Self.total(proxy) == total) }
        // The proxy passes this on to one of them; the open pages of all are told.
        try await Self.whileListening(to: clients) {
          await demo.world.advance()
          let answer = try await proxy.request("POST", "/api/refresh", headers: Self.ownPage)
          #expect(answer.status == 202)
        }
        #expect(try await Self.requests(feed) == 2)
        let totals = [
          try await Self.total(clients[0]), try await Self.total(clients[1]),
          try await Self.total(clients[2]),
        ]
        #expect(Set(totals).count == 1)
        try await servers[1].kill()
        for _ in 0..<6 { #expect(try await Self.total(proxy) == totals[0]) }
      }
      for server in [servers[0], servers[2]] { #expect(try await server.stop() == 0) }
    }
  }

  /// Opens the event streams of servers, and returns when each has sent changes after `body`.
  private static func whileListening(
    to clients: [WireClient], _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (listening, isListening) = AsyncStream.makeStream(of: Void.self)
      for client in clients {
        group.addTask {
          try await client.connected { connection in
            try await connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await connection.read(through: "event: status\n")
            isListening.yield()
            _ = try await connection.read(through: "event: changes\n")
            let data = try await connection.read(through: "\n\n")
            #expect(data.contains(#""id":""#) && data.contains(#""reload":false"#))
          }
        }
      }
      var begun = listening.makeAsyncIterator()
      for _ in clients { _ = await begun.next() }
      try await body()
      try await group.waitForAll()
    }
  }

  @Test("Commands read and write the same database, and `watch` follows it")
  func commands() async throws {
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    let database = try PostgresServer.shared.makeDatabase()
    let file = folder.file("all_month.geojson")
    let catalogue = Catalogue(seed: 3, events: 400, anchor: 1_750_000_000_000)
    _ = try FeedFile.write(SummaryFeed(level: .all, window: .month), of: catalogue, to: file)
    let environment = ["QUAKES_STORE": database]
    let refresh = try await program.run("refresh", "--feed", file.path, environment: environment)
    #expect(refresh.code == 0, "\(refresh.errors)")
    #expect(
      try await program.run("refresh", "--feed", file.path, "--store", folder.file("b").path).code
        == 0)
    // A file and a database give the same texts.
    for arguments in [
      ["list", "--limit", "400"], ["list", "--search", "north", "--format", "csv"],
      ["list", "--sort", "place", "--format", "json"], ["list", "--min-magnitude", "4"],
    ] {
      let stored = try await program.run(arguments: arguments, environment: environment)
      let filed = try await program.run(
        arguments: arguments + ["--store", folder.file("b").path])
      #expect(stored.code == 0 && stored.output == filed.output && stored.output.count > 100)
      #expect(stored.errors == filed.errors)
    }
    let id = try await program.run(
      "list", "--limit", "1", "--format", "csv", environment: environment
    )
    .output.split(separator: "\r\n").last?.split(separator: ",").first.map(String.init)
    let shown = try await program.run("show", id ?? "", environment: environment)
    #expect(shown.code == 0 && shown.output.contains("Magnitude") && shown.errors.isEmpty)
    let missing = try await program.run("show", "nc0", environment: environment)
    #expect(
      missing.code == 1 && missing.errors == "quakes: nc0: there is no such event in the store\n")
  }
}
