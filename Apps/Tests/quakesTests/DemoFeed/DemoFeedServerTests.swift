import DemoFeed
import Foundation
import Testing
import WireFormats

@testable import ProgramTesting
@testable import TestSupport

@Suite("The demo feed's server", .timeLimit(.minutes(20)))
struct DemoFeedServerTests {
  static let day = "/earthquakes/feed/v1.0/summary/all_day.geojson"

  static var settings: DemoFeedServer.Settings {
    var settings = DemoFeedServer.Settings()
    settings.port = 0
    settings.seed = 9
    settings.events = 3_000
    settings.anchor = Date(timeIntervalSince1970: 1_750_000_000)
    settings.clock = .steps
    return settings
  }

  @Test("Serves all twenty feeds with the headers of the real server")
  func servesFeeds() async throws {
    try await DemoFeedServer(Self.settings).whileRunning { base in
      let client = try WireClient(base)
      for feed in SummaryFeed.allFeeds {
        let response = try await client.request("GET", feed.path)
        #expect(response.status == 200 && response.isComplete)
        #expect(response["Cache-Control"] == "public, max-age=60")
        #expect(response["Last-Modified"] == "Sun, 15 Jun 2025 15:06:40 GMT")
        #expect(response["Vary"] == "Accept-Encoding")
        let document = try FeedJSON(response.text)
        #expect(document.count == document.features.count)
      }
    }
  }

  @Test("Compresses when asked, to the same document")
  func compresses() async throws {
    try await DemoFeedServer(Self.settings).whileRunning { base in
      let client = try WireClient(base)
      let plain = try await client.request("GET", Self.day)
      let packed = try await client.request(
        "GET", Self.day, headers: [("Accept-Encoding", "br, gzip;q=0.5")])
      #expect(packed["Content-Encoding"] == "gzip")
      #expect(packed.body.count * 4 < plain.body.count)
      #expect(try packed.text == plain.text)
    }
  }

  @Test("Answers conditional requests with 304 until a step changes the feed")
  func conditionalRequests() async throws {
    let server = DemoFeedServer(Self.settings)
    try await server.whileRunning { base in
      let client = try WireClient(base)
      let first = try await client.request("GET", Self.day)
      let condition = [("If-Modified-Since", try #require(first["Last-Modified"]))]
      let second = try await client.request("GET", Self.day, headers: condition)
      #expect(second.status == 304 && second.body.isEmpty)
      await server.world.advance()
      #expect(try await client.request("GET", Self.day, headers: condition).status == 200)
      #expect(await server.world.state.notModified == 1)
    }
  }

  @Test("Entity tags, when on, decide before dates")
  func entityTags() async throws {
    var settings = Self.settings
    settings.entityTags = true
    try await DemoFeedServer(settings).whileRunning { base in
      let client = try WireClient(base)
      let tag = try #require(try await client.request("GET", Self.day)["ETag"])
      let same = try await client.request("GET", Self.day, headers: [("If-None-Match", tag)])
      #expect(same.status == 304)
      let other = try await client.request(
        "GET", Self.day,
        headers: [
          ("If-None-Match", "\"other\""), ("If-Modified-Since", "Sun, 15 Jun 2031 15:06:40 GMT"),
        ])
      #expect(other.status == 200)
    }
  }

  @Test("Control: state, steps, faults by name, and a list of names for a wrong one")
  func control() async throws {
    try await DemoFeedServer(Self.settings).whileRunning { base in
      let client = try WireClient(base)
      let state = try await client.request("POST", "/control/advance")
      #expect(try state.text.contains(#""step":1"#))
      #expect(try await client.request("POST", "/control/fault?kind=503").status == 200)
      let refused = try await client.request("GET", Self.day)
      #expect(refused.status == 503 && refused["Retry-After"] == "2")
      _ = try await client.request("POST", "/control/fault?kind=429")
      #expect(try await client.request("GET", Self.day).status == 429)
      _ = try await client.request("POST", "/control/fault?kind=none")
      #expect(try await client.request("GET", Self.day).status == 200)
      let unknown = try await client.request("POST", "/control/fault?kind=flood")
      #expect(try unknown.status == 400 && unknown.text.contains("slow-drip"))
      #expect(try await client.request("GET", "/control/advance").status == 405)
      let foreign = try await client.request(
        "POST", "/control/advance", headers: [("Sec-Fetch-Site", "cross-site")])
      #expect(foreign.status == 403)
    }
  }

  @Test("Unknown feeds and methods are refused")
  func refusals() async throws {
    try await DemoFeedServer(Self.settings).whileRunning { base in
      let client = try WireClient(base)
      for path in ["/earthquakes/feed/v1.0/summary/all_year.geojson", "/nothing", "/control/x"] {
        #expect(try await client.request("GET", path).status == 404)
      }
      let post = try await client.request("POST", Self.day)
      #expect(post.status == 405 && post["Allow"] == "GET, HEAD")
      let head = try await client.request("HEAD", Self.day)
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test("A taken port is an error that names it")
  func takenPort() async throws {
    try await DemoFeedServer(Self.settings).whileRunning { base in
      var settings = Self.settings
      settings.port = try WireClient(base).port
      let second = DemoFeedServer(settings)
      await #expect(throws: DemoFeedError.self) {
        try await second.whileRunning { _ in }
      }
    }
  }

  @Test("Replays captures in order and stays with the last")
  func replays() async throws {
    let folder = try TemporaryFolder()
    let empty: @Sendable (Int) -> String = { number in
      #"{"type":"FeatureCollection","metadata":{"n":\#(number)},"features":[]}"#
    }
    let first = try folder.file("all_day_1.geojson", empty(1))
    let second = folder.file("all_day_2.geojson.gz")
    try Data(GzipEncoder.compress(Array(empty(2).utf8))).write(to: second)

    var settings = Self.settings
    settings.replay = try Replay(files: [first, second])
    let server = DemoFeedServer(settings)
    try await server.whileRunning { base in
      let client = try WireClient(base)
      #expect(try await client.request("GET", Self.day).text == empty(1))
      await server.world.advance()
      #expect(try await client.request("GET", Self.day).text == empty(2))
      await server.world.advance()
      #expect(try await client.request("GET", Self.day).text == empty(2))
      let other = "/earthquakes/feed/v1.0/summary/all_week.geojson"
      #expect(try await client.request("GET", other).status == 404)
    }
  }

  @Test("Refuses captures that are not feature collections, such as CSV and JSONP")
  func refusesOtherFiles() throws {
    let folder = try TemporaryFolder()
    for text in ["time,latitude\n", #"eqfeed({"type":"FeatureCollection"});"#, ""] {
      let file = try folder.file("capture", text)
      #expect(throws: DemoFeedError.self) { try Replay(files: [file]) }
    }
  }
}

@Suite("The demo feed's details", .timeLimit(.minutes(20)))
struct DemoDetailsTests {
  private struct Feature: Decodable {
    struct Properties: Decodable {
      var mag: Double?
      var felt: Int?
      var alert: String?
      var type: String
      var types: String
      var detail: String
    }
    var id: String
    var properties: Properties
  }

  private struct Feed: Decodable {
    var features: [Feature]
  }

  @Test(
    "Every event's document is at the address in the feed, with the products that the feed lists")
  func documents() async throws {
    try await DemoFeedServer(DemoFeedServerTests.settings).whileRunning { base in
      let client = try WireClient(base)
      let month = "/earthquakes/feed/v1.0/summary/all_month.geojson"
      let features = try JSONDecoder().decode(
        Feed.self, from: Data(try await client.request("GET", month).text.utf8)
      ).features
      let strong = features.filter { ($0.properties.mag ?? 0) >= 4.5 }
      #expect(strong.count > 20)
      for feature in strong.prefix(30) + features.prefix(30) {
        let properties = feature.properties
        #expect(properties.detail.hasPrefix(base + "/"))
        let path = String(properties.detail.dropFirst(base.count))
        let text = try await client.request("GET", path).text
        let kinds = properties.types.split(separator: ",").map(String.init)
        for kind in ["shakemap", "dyfi", "moment-tensor", "losspager", "focal-mechanism"] {
          #expect(kinds.contains(kind) == text.contains("\"\(kind)\":["), "\(kind) \(feature.id)")
        }
        #expect(kinds.contains("dyfi") == (properties.felt != nil))
        #expect(
          kinds.contains("moment-tensor")
            == (properties.type == "earthquake" && (properties.mag ?? 0) >= 4.5))
        #expect(kinds.contains("losspager") == ["green", "yellow"].contains(properties.alert))
        // The same question has the same answer.
        #expect(try await client.request("GET", path).text == text)
      }
      for path in ["us1", "nc40000000x", "", "../summary/all_day", "us7000zzzzzzzzzzzzzzzzzzzz"] {
        let response = try await client.request(
          "GET", "/earthquakes/feed/v1.0/detail/\(path).geojson")
        #expect(response.status == 404)
      }
      #expect(try await client.request("GET", "/product/shakemap/x").status == 404)
    }
  }
}
