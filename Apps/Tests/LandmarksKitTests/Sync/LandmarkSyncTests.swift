import Foundation
import LandmarksKit
import SwiftData
import SwiftDataSync
import Testing

@testable import ProgramTesting
@testable import TestSupport

/// The models of stores from before the library handled the exchange.
private enum Earlier {
  @Model final class SyncedFavorite {
    @Attribute(.unique) var landmarkID: Int

    init(landmarkID: Int) { self.landmarkID = landmarkID }
  }
}

@Suite("The exchange with a faulty server")
struct LandmarkSyncTests {
  private let empty: [Answer] = [.json(200, #"{"favorites":[]}"#), .json(200, "[]")]

  /// Checks the error of an exchange, and the store after it.
  private func exchange(
    _ answers: [Answer], _ check: (LandmarkStore, SyncFailure?, [String]) async throws -> Void
  ) async throws {
    let store = try Fixtures.store([Fixtures.landmark(1)])
    try store.setFavorite(1, true)
    try await withAnswers(answers) { server in
      var timing = SyncTiming()
      timing.pullInterval = nil
      let sync = try LandmarkSync(
        store, server: try #require(URL(string: server.address)), timing: timing, token: { nil })
      var failure: SyncFailure?
      do { _ = try await sync.exchange() } catch let error as SyncFailure { failure = error }
      try await check(store, failure, server.requests)
    }
  }

  @Test(
    "with any response, the edit stays and waits, and the kind of failure is reported",
    arguments: [
      (500, SyncFailure.Kind.server), (503, .server), (429, .throttled(after: .seconds(10))),
      (401, .authentication), (403, .forbidden),
    ])
  func failures(_ status: Int, _ kind: SyncFailure.Kind) async throws {
    try await exchange([.json(status, "{}")]) { store, failure, _ async throws in
      #expect(failure?.kind == kind)
      #expect(try await store.waiting().count == 1)
    }
  }

  @Test("a server that hangs up leaves the edit waiting")
  func hangsUp() async throws {
    try await exchange([.nothing]) { store, failure, _ async throws in
      #expect(failure?.kind == .offline)
      #expect(try await store.waiting().count == 1)
    }
  }

  @Test(
    "answers that can't be used change nothing",
    arguments: ["", "null", "[]", #"{"favorites":"all"}"#, #"{"favorites":[1e300]}"#, "<html>"])
  func nonsense(_ text: String) async throws {
    try await exchange([.json(204, ""), .json(200, text)]) { store, failure, _ throws in
      #expect(failure?.kind == .server)
      #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [1])
    }
  }

  @Test("a redirect isn't followed, so that no other server receives the user's edits")
  func redirect() async throws {
    try await exchange([.json(204, ""), .redirect("/elsewhere")] + empty) {
      _, failure, requests throws in
      #expect(failure?.kind == .server)
      #expect(requests.count == 2)
    }
  }

  @Test("a reservation with a date that can't be read is set aside, and the others come")
  func oddDate() async throws {
    let store = try Fixtures.store([Fixtures.landmark(1)])
    let (good, odd) = (UUID().uuidString, UUID().uuidString)
    let list = """
      [{"id":"\(good)","landmarkID":1,"date":"2030-06-01T12:00:00Z","status":"confirmed","revision":1},
      {"id":"\(odd)","landmarkID":1,"date":"next week","status":"confirmed","revision":2}]
      """
    try await withAnswers([empty[0], .json(200, list), .json(200, "[]")]) { server in
      let sync = try LandmarkSync(
        store, server: try #require(URL(string: server.address)), token: { nil })
      _ = try await sync.exchange()
      #expect(try store.reservations().map(\.date) == [Fixtures.noon])
      #expect(try store.reservations().map(\.id.uuidString) == [good])
    }
  }

  @Test("a store of an earlier version opens, and all that the user made is sent or known already")
  func earlierStore() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    do {
      let container = try ModelContainer(
        for: Schema([StoredLandmark.self, StoredReservation.self, Earlier.SyncedFavorite.self]),
        configurations: [ModelConfiguration(url: file)])
      let context = ModelContext(container)
      // Changes that the exchange wrote itself don't count as edits in the history.
      context.author = "sync"
      context.insert(Fixtures.landmark(1, isFavorite: true).toStored())
      context.insert(Earlier.SyncedFavorite(landmarkID: 1))
      try context.save()
      let user = ModelContext(container)
      user.insert(Fixtures.landmark(2, "Lake Tahoe", isFavorite: true).toStored())
      user.insert(Reservation(landmarkID: 1, date: Fixtures.noon).toStored(isDirty: true))
      try user.save()
    }
    let store = try LandmarkStore(file: file)
    let subjects = try await store.waiting().map(\.subject)
    #expect(subjects.contains(.favorite(landmarkID: 2, isFavorite: true)))
    #expect(subjects.count == 2)
    #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id).sorted() == [1, 2])
  }
}
