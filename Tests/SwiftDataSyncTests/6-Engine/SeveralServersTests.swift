import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

/// Servers that work on one store at the same time.
@Suite(.timeLimit(.minutes(20))) struct SeveralServersTests {
  private let store: TemporaryStore
  private let servers: [SyncServer]

  init() throws {
    let store = try TemporaryStore()
    self.store = store
    servers = try (0..<3).map { _ in
      try SyncServer(
        store.container(Park.self, Booking.self), models: Fixture.models(),
        rules: .everyoneSeesEverything)
    }
  }

  private func change(_ number: Int, _ name: String, _ version: Int64? = nil) -> SyncChange {
    SyncChange(
      id: UUID().uuidString, object: SyncObjectID("Park", "\(number)"),
      content: .put([
        "number": .integer(Int64(number)), "name": .text(name), "mood": .text("calm"),
      ]), baseVersion: version)
  }

  @Test func aCursorHoldsForAllOfThem() async throws {
    var cursor: String?
    var seen: [String] = []
    for number in 0..<12 {
      _ = try await servers[number % 3].push(
        [change(number, "park \(number)")], client: "a", user: "ann")
      // Outcomes that change no model.
      _ = try await servers[(number + 1) % 3].push(
        [change(number, "other", 99)], client: "b", user: "ann")
      let page = try await servers[(number + 2) % 3].pull(after: cursor, user: "ann")
      seen += page.changes.map(\.object.key)
      cursor = page.cursor
    }
    #expect(seen.sorted() == (0..<12).map(String.init).sorted())
  }

  @Test func changesThatArriveTogetherAreAllStoredOnce() async throws {
    let outcomes = try await withThrowingTaskGroup(of: [SyncOutcome].self) { group in
      for (writer, server) in servers.enumerated() {
        group.addTask {
          var outcomes: [SyncOutcome] = []
          for number in 0..<10 {
            let change = self.change(number, "writer \(writer)")
            let answer = try await server.push(
              [change], client: "client \(writer)", user: "ann")
            outcomes.append(try #require(answer[change.id]))
          }
          return outcomes
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let accepted = outcomes.filter { if case .accepted = $0 { true } else { false } }
    // The first of three wins; the others learn of it.
    #expect(accepted.count == 10)
    #expect(outcomes.count == 30)
    let context = ModelContext(try store.container(Park.self, Booking.self))
    #expect(try context.fetch(FetchDescriptor<Park>()).map(\.number).sorted() == Array(0..<10))
    let page = try await servers[0].pull(after: nil, user: "ann")
    #expect(page.changes.count == 10)
  }

  @Test func clientsOfDifferentServersAgree() async throws {
    let clients = try servers.map { try Client($0) }
    for (number, client) in clients.enumerated() {
      try client.edit { context in
        for place in 0..<5 {
          context.insert(Park(number: number * 10 + place, name: "of \(number)"))
        }
      }
    }
    for _ in 0..<2 {
      for client in clients { try await client.engine.sync() }
    }
    for client in clients { #expect(try client.parks().count == 15) }
    try clients[0].edit(park: 11) { $0.name = "changed" }
    for client in clients { try await client.engine.sync() }
    for client in clients {
      #expect(try client.parks().filter { $0.name == "changed" }.map(\.number) == [11])
    }
  }
}
