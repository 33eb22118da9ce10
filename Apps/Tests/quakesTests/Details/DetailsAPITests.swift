import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting
@testable import QuakesKit
@testable import quakes

@Suite("The API's details of events", .timeLimit(.minutes(20)))
struct DetailsAPITests {
  /// The answer as a client reads it.
  struct Shown: Decodable {
    struct Failure: Decodable {
      var code: String
      var message: String
    }
    struct Contour: Decodable {
      var intensity: Double
      var lines: [[[Double]]]
    }
    struct Town: Decodable {
      var name: String
      var distance: Double
      var direction: String?
    }
    struct Mechanism: Decodable {
      var kind: String
      var planes: [EventDetails.Plane]
      var tensor: EventDetails.Tensor?
    }
    var id: String
    var loaded: Double
    var isCurrent: Bool
    var failure: Failure?
    var shaking: Double?
    var mechanism: Mechanism?
    var towns: [Town]
    var contours: [Contour]
    var missing: [String]
  }

  @Test("Details are loaded when they are asked for, kept, and have an entity tag")
  func details() async throws {
    try await DetailsScene.run { scene in
      let event = try #require(try scene.strongest(1).first)
      let source = try LiveSource(
        FeedSelection(scene.base + DetailsScene.feed), store: scene.store, rule: .all,
        every: .seconds(3_600), logger: silentLogger)
      try await withServer(source) { client in
        let path = "/api/events/\(event.id)/details"
        let before = await scene.requests
        // Neither a question for the head nor a page of another site makes the program ask.
        #expect(try await client.request("HEAD", path).status == 404)
        let foreign = try await client.request(
          "GET", path, headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(try foreign.status == 404 && foreign.text.contains("details_not_loaded"))
        #expect(await scene.requests == before)
        let response = try await client.request(
          "GET", path, headers: [("Sec-Fetch-Site", "same-origin")])
        #expect(response.status == 200 && response["Cache-Control"] == "no-cache")
        let shown = try JSONDecoder().decode(Shown.self, from: Data(response.text.utf8))
        #expect(shown.id == event.id && shown.isCurrent && shown.failure == nil)
        #expect(shown.towns.count == 5 && shown.contours.count > 2 && shown.missing.isEmpty)
        #expect(shown.mechanism?.planes.count == 2 && shown.mechanism?.tensor != nil)
        #expect(
          shown.contours.allSatisfy { $0.lines.allSatisfy { $0.allSatisfy { $0.count == 2 } } })
        let tag = try #require(response["ETag"])
        let again = try await client.request("GET", path, headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(await scene.requests == before + 3)
        let foreignNow = try await client.request(
          "GET", path, headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(foreignNow.status == 200)
        #expect(try await client.request("POST", path).status == 405)
        #expect(try await client.request("GET", path + "?x=1").status == 400)
        #expect(try await client.request("GET", "/api/events/none/details").status == 404)
        #expect(try await client.request("GET", "/api/events/details").status == 404)
        #expect(try await client.request("GET", "/api/events//details").status == 404)
      }
    }
  }

  @Test(
    "Each failure has its status and code",
    arguments: [
      (DetailsError.Code.noAddress, 404), (.gone, 404), (.addressRefused, 502),
      (.unreachable, 502), (.refused, 502), (.tooLarge, 502), (.malformed, 502), (.busy, 503),
      (.timedOut, 504),
    ])
  func failures(_ code: DetailsError.Code, _ status: Int) async throws {
    let source = FakeSource(FakeSource.events(3))
    await source.failDetails(DetailsError(code, "nc1", reason: "a <reason>"))
    try await withServer(source) { client in
      let response = try await client.request("GET", "/api/events/nc1/details")
      let error = try JSONDecoder().decode(
        EventAPITests.Refusal.self, from: Data(response.text.utf8)
      ).error
      #expect(response.status == status)
      #expect(error.code == code.name && error.message == "a <reason>")
      #expect((response["Retry-After"] != nil) == (status == 503))
    }
    #expect(await source.detailRequests == [true])
  }

  @Test(
    "The time after which a load may succeed is in the answer",
    arguments: [
      (0.2, "1"), (41.2, "42"), (1e300, "3600"), (-1, "1"),
    ])
  func retryAfter(_ seconds: Double, _ field: String) async throws {
    let source = FakeSource(FakeSource.events(3))
    await source.failDetails(
      DetailsError(.busy, "nc1", reason: "many others", retryAfter: seconds))
    try await withServer(source) { client in
      let response = try await client.request("GET", "/api/events/nc1/details")
      #expect(response.status == 503 && response["Retry-After"] == field)
    }
  }
}
