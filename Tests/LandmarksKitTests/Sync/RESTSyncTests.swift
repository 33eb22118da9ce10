import Foundation
import LandmarksKit
import Testing

@Suite("The exchange with a server that misbehaves")
struct RESTSyncTests {
  private let empty: [Answer] = [.json(200, #"{"favorites":[]}"#), .json(200, "[]")]

  /// The error of an exchange, and the store after it.
  private func exchange(
    _ answers: [Answer], _ check: (LandmarkStore, LandmarksError?, [String]) throws -> Void
  ) async throws {
    let store = try Fixtures.store([Fixtures.landmark(1)])
    try store.setFavorite(1, true)
    try await withAnswers(answers) { server in
      let sync = RESTSync(store, server: try #require(URL(string: server.address)), token: { nil })
      var failure: LandmarksError?
      do { _ = try await sync.synchronize() } catch let error as LandmarksError { failure = error }
      try check(store, failure, server.requests)
    }
  }

  @Test(
    "whatever it answers, the edit stays and waits, and the kind of failure is told",
    arguments: [
      (500, "serverUnavailable"), (503, "serverUnavailable"), (429, "serverUnavailable"),
      (401, "unauthorized"),
    ])
  func failures(_ status: Int, _ kind: String) async throws {
    try await exchange([.json(status, "{}")]) { store, error, _ throws in
      let code: LandmarksError.Code = kind == "unauthorized" ? .unauthorized : .serverUnavailable
      #expect(error?.code == code)
      #expect(try store.pendingChanges().count == 1)
    }
  }

  @Test("a server that hangs up leaves the edit waiting")
  func hangsUp() async throws {
    try await exchange([.nothing]) { store, error, _ throws in
      #expect(error?.code == .serverUnavailable)
      #expect(try store.pendingChanges().count == 1)
    }
  }

  @Test(
    "answers that can't be used change nothing",
    arguments: ["", "null", "[]", #"{"favorites":"all"}"#, #"{"favorites":[1e300]}"#, "<html>"])
  func nonsense(_ text: String) async throws {
    try await exchange([.json(204, ""), .json(200, text)]) { store, error, _ throws in
      #expect(error?.code == .badAnswer)
      #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [1])
    }
  }

  @Test("a redirect isn't followed: no other server is told what the user did")
  func redirect() async throws {
    try await exchange([.json(204, ""), .redirect("/elsewhere")] + empty) {
      _, error, requests throws in
      #expect(error?.code == .badAnswer)
      #expect(requests.count == 2)
    }
  }

  @Test("a refusal's reason is shown without control characters, and the rest goes on")
  func refusal() async throws {
    let store = try Fixtures.store([Fixtures.landmark(1)])
    try store.reserve(1, on: Date().addingTimeInterval(86_400))
    let reason = #"{"error":{"code":"x","message":"no \u001b[31mway"}}"#
    try await withAnswers([.json(422, reason)] + empty) { server in
      let sync = RESTSync(store, server: try #require(URL(string: server.address)), token: { nil })
      let report = try await sync.synchronize()
      #expect(report.refused == 1)
    }
    #expect(try store.notices().map(\.detail) == ["no \u{fffd}[31mway"])
    #expect(try store.pendingChanges().count == 1)
  }
}
