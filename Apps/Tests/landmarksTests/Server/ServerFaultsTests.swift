import Foundation
import SwiftData
import Testing

@testable import LandmarksKit
@testable import ProgramTesting
@testable import landmarks

@Suite("Faults of the server on purpose", .timeLimit(.minutes(20)))
struct ServerFaultsTests {
  @Test("are as many as asked for, of each kind alike", arguments: [0, 1, 30, 100])
  func spread(percentage: Int) {
    let faults = ServerFaults(percentage: percentage)
    let kinds = (0..<400).compactMap { _ in faults.next() }
    #expect(kinds.count == 4 * percentage)
    for kind in ServerFaults.Kind.allCases {
      #expect(kinds.count { $0 == kind } == percentage)
    }
  }

  @Test("are of the chosen kinds only, as the command line has them")
  func chosen() throws {
    let faults = ServerFaults(try FaultPlan(text: "100:slow,500"))
    #expect((0..<4).map { _ in faults.next() } == [.late, .failure, .late, .failure])
    #expect(try FaultPlan(text: "30") == FaultPlan(percentage: 30))
    #expect(try FaultPlan(text: "0:lost").kinds == [.lostAnswer])
  }

  @Test(
    "that can't be understood are refused with what is possible",
    arguments: [
      "", "101", "-1", "+5", "3.5", "30:", "30:late", "30:500,", "30:500,500", "30:500:slow",
      ":500",
      "99999999999999999999", "３０", "500",
    ])
  func refused(text: String) {
    do {
      let plan = try FaultPlan(text: text)
      Issue.record("\(plan)")
    } catch {
      #expect("\(error)".contains(text.hasPrefix("30:") ? "503, lost, slow, 500" : "0 to 100"))
    }
  }

  @Test("have no period, with which a client's attempts could keep step")
  func period() {
    let faults = ServerFaults(percentage: 33)
    let places = (0..<1_000).filter { _ in faults.next() != nil }
    let distances = Set(zip(places, places.dropFirst()).map { $1 - $0 })
    #expect(distances.count > 4)
  }

  @Test("refuse a request, lose its answer, delay it, or fail")
  func kinds() async throws {
    try await withServer(faults: ServerFaults(percentage: 100, delay: .zero)) {
      client async throws in
      let refused = try await client.request("PUT", "/favorites/1002", by: alice)
      #expect(refused.status == 503 && refused.head.lowercased().contains("retry-after: 1"))
      #expect(try refused.text.contains("--faults"))
      let lost = try await client.request("PUT", "/favorites/1003", by: alice)
      #expect(!lost.isComplete)
      // Late, and carried out; the lost one was, too, and the refused one wasn't.
      let favorites = try await client.request("GET", "/favorites", by: alice)
      #expect(favorites.status == 200)
      #expect(try favorites.text.contains("1003") && !favorites.text.contains("1002"))
      let failed = try await client.request("PUT", "/favorites/1004", by: alice)
      #expect(try failed.status == 500 && failed.text.contains("--faults"))
      // Strangers learn nothing of faults.
      #expect(try await client.request("GET", "/favorites", by: "nobody").status == 401)
    }
  }

  @Test(
    "lose and repeat nothing of two devices",
    arguments: ServerFaults.Kind.allCases.map { [$0] } + [
      ServerFaults.Kind.allCases
    ])
  func devices(kinds: [ServerFaults.Kind]) async throws {
    let plan = FaultPlan(percentage: 40, kinds: kinds)
    try await withServer(faults: ServerFaults(plan, delay: .zero)) {
      client async throws in
      let server = try #require(URL(string: client.address))
      let one = try AppSource(LandmarkStore(file: nil), server: server, token: alice)
      let two = try AppSource(LandmarkStore(file: nil), server: server, token: alice)
      /// Exchanges until nothing waits; each failure is the server's.
      func exchange(_ source: AppSource) async throws {
        for _ in 0..<200 {
          let isDone = (try? await source.exchange()) != nil
          if isDone, try await source.status().pending == 0 { return }
        }
        Issue.record("changes still wait after 200 exchanges")
      }
      try await exchange(one)
      try await exchange(two)
      let soon = Reservation.wholeMinutes(Date().addingTimeInterval(30 * 86_400))
      var made: [UUID] = []
      for number in 1..<12 {
        try one.store.setFavorite(1_000 + number, true)
        made.append(try one.store.reserve(1_000 + number, on: soon).id)
      }
      try await exchange(one)
      try await exchange(two)
      #expect(Set(try two.store.reservations().map(\.id)) == Set(made))
      #expect(try two.store.reservations().count == made.count)
      #expect(try two.store.landmarks(LandmarkQuery(favoritesOnly: true)).count == 11)
      for id in made.prefix(5) { try two.store.remove(id) }
      try await exchange(two)
      try await exchange(one)
      #expect(Set(try one.store.reservations().map(\.id)) == Set(made.dropFirst(5)))
    }
  }
}
