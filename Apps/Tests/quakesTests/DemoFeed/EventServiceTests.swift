import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting

@Suite("The demo feed's event service", .timeLimit(.minutes(20)))
struct EventServiceTests {
  private static let folder = "/fdsnws/event/1/"
  /// The time of the newest event.
  private static let now = "2025-06-15T15:06:40"

  private struct Service: Sendable {
    let client: WireClient
    let world: DemoWorld

    func ask(_ query: String) async throws -> FeedJSON {
      try FeedJSON(try await answer("query?format=geojson&" + query).text)
    }

    func answer(_ target: String, _ method: String = "GET") async throws -> WireResponse {
      try await client.request(method, folder + target)
    }
  }

  /// - Parameter years: The length of the archive.
  private static func run(
    events: Int = 3_000, years: Int = 2, fault: Fault = .none,
    _ body: @escaping @Sendable (Service) async throws -> Void
  ) async throws {
    var settings = DemoFeedServerTests.settings
    settings.events = events
    settings.years = years
    settings.fault = fault
    let server = DemoFeedServer(settings)
    try await server.whileRunning { base in
      try await body(Service(client: WireClient(base), world: server.world))
    }
  }

  @Test("Has the features of the summary feeds, and older ones")
  func sameFeatures() async throws {
    try await Self.run { service in
      for _ in 0..<12 { await service.world.advance() }
      let path = SummaryFeed(level: .m25, window: .month).path
      let feed = try FeedJSON(try await service.client.request("GET", path).text)
      let answer = try await service.ask("starttime=2025-05-10&minmagnitude=2.45")
      #expect(answer.count == answer.features.count && feed.features.count > 300)
      let older = answer.features.count - feed.features.count
      #expect(older > 0)
      // The month's feed begins after the answer, whose newest events come first.
      #expect(
        NSArray(array: Array(answer.features.prefix(feed.features.count)))
          == NSArray(array: feed.features))
      #expect(answer.metadata["title"] as? String == "USGS Earthquakes")
      #expect(answer.metadata["status"] as? Int == 200)
      #expect((answer.metadata["url"] as? String)?.contains("/query?format=geojson&") == true)
    }
  }

  @Test("The archive is the same whichever part is asked for, and doesn't change the feeds")
  func parts() async throws {
    var feed = ""
    try await Self.run { service in
      let whole = try await service.ask("starttime=2024-01-01&endtime=2024-01-31T23:59:59.999")
      let parts = try await [
        service.ask("start=2024-01-16&end=2024-01-31T23:59:59.999"),
        service.ask("starttime=2024-01-01T00:00:00Z&endtime=2024-01-16T01:59:59.999%2B02:00"),
      ]
      #expect(whole.ids.count > 2_000 && Set(whole.ids).count == whole.ids.count)
      #expect(parts.flatMap(\.ids) == whole.ids)
      #expect(whole.times == whole.times.sorted(by: >))
    }
    for years in [0, 1] {
      try await Self.run(years: years) { service in
        let count = try await service.answer("count?starttime=1900-01-01").text
        #expect(count == (years == 0 ? "3000" : "36525"))
      }
      var settings = DemoFeedServerTests.settings
      settings.years = years
      let text = try await DemoFeedServer(settings).whileRunning { base in
        // The addresses of details are those of the server.
        try await WireClient(base).request("GET", DemoFeedServerTests.day).text
          .replacingOccurrences(of: base, with: "")
      }
      #expect(feed.isEmpty || feed == text)
      feed = text
    }
  }

  @Test("Orders by time and magnitude, in both directions, with a limit and an offset")
  func orders() async throws {
    try await Self.run { service in
      for _ in 0..<12 { await service.world.advance() }
      let range = "starttime=2025-05-01&endtime=2025-06-16"
      let newest = try await service.ask(range)
      let oldest = try await service.ask(range + "&orderby=time-asc")
      #expect(oldest.ids == newest.ids.reversed())
      let strongest = try await service.ask(range + "&orderby=magnitude")
      let weakest = try await service.ask(range + "&orderby=magnitude-asc&minmagnitude=-9")
      #expect(strongest.magnitudes == newest.magnitudes.sorted(by: >))
      #expect(weakest.magnitudes == newest.magnitudes.sorted())
      #expect(Set(strongest.ids) == Set(newest.ids) && strongest.ids.count == newest.ids.count)
      for (order, all) in [
        ("time", newest), ("time-asc", oldest), ("magnitude", strongest),
      ] {
        let part = try await service.ask(range + "&orderby=\(order)&limit=7&offset=5")
        #expect(part.ids == Array(all.ids[4..<11]) && part.count == 7)
        #expect(part.metadata["limit"] as? Int == 7 && part.metadata["offset"] as? Int == 5)
      }
    }
  }

  @Test("Counts what it would send, as text and as JSON")
  func counts() async throws {
    try await Self.run(events: 20_500, years: 1) { service in
      for level in ["", "&minmagnitude=2.5", "&minmagnitude=1&maxmagnitude=1.99"] {
        let range = "starttime=2025-06-01&endtime=2025-06-05" + level
        let text = try await service.answer("count?" + range).text
        let answer = try await service.ask(range)
        #expect(Int(text) == answer.count && answer.count == answer.ids.count)
        #expect(
          try await service.answer("count?format=geojson&" + range).text
            == #"{"count":\#(text),"maxAllowed":20000}"#)
      }
      #expect(
        try await service.answer("count?format=geojson&starttime=\(Self.now)").text
          == #"{"count":0,"maxAllowed":20000}"#)
      let many = try await service.answer("count?format=geojson&starttime=1900-01-01").text
      #expect(many.hasPrefix(#"{"count":249587,"maxAllowed":20000,"error":"249587 matching"#))
    }
  }

  @Test("Refuses more than 20,000 events, with their number, unless they are limited")
  func tooMany() async throws {
    try await Self.run(events: 20_500) { service in
      let range = "query?format=geojson&starttime=2025-05-01"
      let refusal = try await service.answer(range)
      #expect(refusal.status == 400 && refusal["Content-Type"]?.hasPrefix("text/plain") == true)
      let text = try refusal.text
      #expect(text.hasPrefix("Error 400: Bad Request\n\n"))
      let sentence = "matching events exceeds search limit of 20000. Modify the search"
      #expect(text.contains(sentence) && text.contains("Request:\n/fdsnws/event/1/\(range)\n"))
      let number = text.split(separator: "\n").dropFirst().first?.split(separator: " ").first
      let count = try await service.answer("count?starttime=2025-05-01").text
      #expect(number.map(String.init) == count)
      #expect(try await service.answer(range + "&limit=5").status == 200)
      #expect(try await service.answer(range + "&limit=20001").status == 400)
    }
  }

  @Test(
    "Refuses parameters that are unknown or not valid",
    arguments: [
      "format=geojson&minmag=x", "format=geojson&minmagnitude=nan", "format=geojson&maxmag=inf",
      "format=geojson&starttime=yesterday", "format=geojson&starttime=2025-13-01",
      "format=geojson&endtime=99999-01-01", "format=geojson&starttime=", "format=geojson&limit=0",
      "format=geojson&starttime=2025-01-01T12:00:00Zjunk", "format=geojson&starttime=1500-02-29",
      "format=geojson&limit=1e3", "format=geojson&offset=0", "format=geojson&limit=-5",
      "format=geojson&offset=99999999999999999999", "format=geojson&orderby=depth",
      "format=geojson&nodata=300", "format=geojson&planet=mars", "format=quakeml", "",
      "format=text",
      "format=geojson&%0d%0aSet-Cookie:a=b",
    ])
  func refusals(query: String) async throws {
    try await Self.run(years: 0) { service in
      let response = try await service.answer("query?" + query)
      #expect(response.status == 400 && response["Set-Cookie"] == nil)
      #expect(try response.text.hasPrefix("Error 400: Bad Request\n\n"))
    }
  }

  @Test(
    "Answers with 204 or 404 when there is nothing, tells its version, and has no other methods")
  func statuses() async throws {
    try await Self.run { service in
      for range in [
        "starttime=1990-01-01&endtime=1991-01-01", "endtime=1990-01-01",
        // Days that the Julian calendar doesn't have.
        "starttime=1582-10-05&endtime=1582-10-14",
      ] {
        let nothing = "query?format=geojson&" + range
        #expect(try await service.answer(nothing).status == 204)
        #expect(try await service.answer(nothing + "&nodata=204").status == 204)
        #expect(try await service.answer(nothing + "&nodata=404").status == 404)
      }
      #expect(try await service.answer("version").text == "1.14.1\n")
      #expect(try await service.answer("catalogs").status == 404)
      #expect(try await service.answer("query?format=geojson", "POST").status == 405)
      let head = try await service.answer("query?format=geojson", "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test(
    "Fails as the feeds do",
    arguments: [
      (Fault.badRequest, 400), (.notFound, 404), (.tooLarge, 413), (.serverError, 500),
      (.unavailable, 503),
    ])
  func faults(fault: Fault, status: Int) async throws {
    try await Self.run(fault: fault) { service in
      let response = try await service.answer("query?format=geojson")
      #expect(response.status == status)
      #expect((response["Retry-After"] == "2") == (status == 503))
      let feed = try await service.client.request("GET", DemoFeedServerTests.day)
      #expect(feed.status == status)
      _ = await service.world.turnOn(.none)
      #expect(try await service.answer("query?format=geojson").status == 200)
      await service.world.turnOn(fault, after: 1)
      #expect(try await service.answer("query?format=geojson").status == 200)
      #expect(try await service.answer("query?format=geojson").status == status)
    }
  }
}
