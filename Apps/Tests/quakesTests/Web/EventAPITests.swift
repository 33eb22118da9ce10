import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import quakes

@Suite("The API's events", .timeLimit(.minutes(20)))
struct EventAPITests {
  struct Page: Decodable {
    var events: [APIEvent]
    var total: Int
    var limit: Int
    var offset: Int
    var next: String?
  }

  struct Refusal: Decodable {
    struct Details: Decodable {
      var code: String
      var parameter: String?
      var message: String
    }
    var error: Details
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ response: WireResponse) throws
    -> Value
  {
    try JSONDecoder().decode(type, from: Data(response.text.utf8))
  }

  @Test("Events come with total, limit and offset, and text arrives as it is")
  func events() async throws {
    try await withServer { client in
      let response = try await client.request("GET", "/api/events")
      #expect(response.status == 200)
      #expect(response["Content-Type"] == "application/json; charset=utf-8")
      let page = try decode(Page.self, response)
      #expect(page.events == FakeSource.events(30).map(APIEvent.init))
      #expect(page.total == 30 && page.limit == 1_000 && page.offset == 0 && page.next == nil)
    }
  }

  @Test("Statistics are those of the events that a filter chooses; there is no order of them")
  func statistics() async throws {
    struct Statistics: Decodable {
      var count: Int
      var completeness: Double?
      var days: [Day]
      struct Day: Decodable {
        var day: String
        var count: Int
      }
    }
    let source = FakeSource(FakeSource.events(300))
    try await withServer(source) { client in
      let response = try await client.request("GET", "/api/statistics?min_magnitude=2.5&search=x")
      #expect(response.status == 200)
      let shown = try decode(Statistics.self, response)
      #expect(shown.count == FakeSource.events(300).count { ($0.magnitude ?? -99) >= 2.5 })
      #expect(shown.days.map(\.count).reduce(0, +) == shown.count)
      for name in ["sort=time", "order=asc", "limit=5", "offset=5", "other=1"] {
        let refused = try await client.request("GET", "/api/statistics?\(name)")
        let refusal = try decode(Refusal.self, refused).error
        #expect(refused.status == 400 && refusal.parameter.map { name.hasPrefix($0) } == true)
      }
      #expect(try await client.request("POST", "/api/statistics").status == 405)
    }
    #expect(await source.queries.map(\.search?.text) == ["x"])
  }

  @Test("Exports have all events that a filter chooses, as a file of their format")
  func exports() async throws {
    let all = FakeSource.events(4_500)
    try await withServer(FakeSource(all)) { client in
      for (format, ending) in [
        ("json", "json"), ("csv", "csv"), ("usgs-csv", "csv"), ("geojson", "geojson"),
        ("kml", "kml"), ("quakeml", "xml"), ("atom", "atom"),
      ] {
        let response = try await client.request(
          "GET", "/api/export?format=\(format)&min_magnitude=2")
        let kind = try #require(EventFormat(rawValue: format))
        let chosen = all.filter { $0.magnitude ?? -99 >= 2 }
        let events = Array(format == "atom" ? chosen.prefix(200) : chosen[...])
        #expect(response.status == 200 && response["Content-Type"] == kind.mediaType)
        #expect(response["Content-Disposition"] == "attachment; filename=\"earthquakes.\(ending)\"")
        #expect(try Array(response.text.utf8) == kind.document(events), "\(format)")
      }
      let head = try await client.request("HEAD", "/api/export?format=kml")
      #expect(head.status == 200)
      #expect(try head.text.isEmpty)
      for (query, parameter) in [
        ("", "format"), ("format=pdf", "format"), ("format=kml&format=kml", "format"),
        ("format=kml&offset=1", "offset"), ("format=kml&limit=0", "limit"),
      ] {
        let refused = try await client.request("GET", "/api/export?\(query)")
        #expect(refused.status == 400)
        #expect(try decode(Refusal.self, refused).error.parameter == parameter, "\(query)")
      }
      let three = try await client.request("GET", "/api/export?format=csv&limit=3")
      #expect(try three.text.count { $0.isNewline } == 4)
    }
  }

  @Test("Following `next` gives every event once, and keeps the other parameters")
  func paging() async throws {
    let source = FakeSource(FakeSource.events(100))
    try await withServer(source) { client in
      var next: String? = "/api/events?limit=7&min_magnitude=2.5&search=T%C5%8Dwn%20%26+x"
      var ids: [String] = []
      while let target = next {
        let page = try decode(Page.self, try await client.request("GET", target))
        ids += page.events.map(\.id)
        next = page.next
      }
      let expected = FakeSource.events(100).filter { ($0.magnitude ?? -99) >= 2.5 }.map(\.id)
      #expect(ids == expected)
      let queries = await source.queries
      #expect(queries.count == expected.count / 7 + 1)
      #expect(queries.allSatisfy { $0.search?.text == "Tōwn & x" && $0.minimumMagnitude == 2.5 })
    }
  }

  @Test("Parameters become the query")
  func parameters() async throws {
    let source = FakeSource(FakeSource.events(3))
    try await withServer(source) { client in
      _ = try await client.request(
        "GET",
        "/api/events?since=2026-01-31T12:00:00Z&sort=magnitude&order=asc&limit=5000&offset=2&search="
      )
      _ = try await client.request("GET", "/api/events?sort=place")
      _ = try await client.request(
        "GET",
        "/api/events?max_magnitude=4.5&until=2026-01-31T12:00:00Z&min_depth=-1.5&max_depth=70")
      _ = try await client.request("GET", "/api/events?box=-30,170..-10,-170&search=box:0,0..1,1")
      let queries = await source.queries
      let since = Date(timeIntervalSince1970: 1_769_860_800)
      let first = EventQuery(
        since: since, sort: .magnitude, order: .ascending, limit: 5_000, offset: 2)
      let third = EventQuery(
        maximumMagnitude: 4.5, until: since, minimumDepth: -1.5, maximumDepth: 70, limit: 1_000)
      let fourth = EventQuery(
        box: try EventBox("-30,170..-10,-170", term: ""), search: try EventSearch("box:0,0..1,1"),
        limit: 1_000)
      #expect(
        queries == [
          first, EventQuery(sort: .place, order: .ascending, limit: 1_000), third, fourth,
        ])
    }
  }

  @Test(
    "A bad parameter is a 400 that names it",
    arguments: [
      ("limit", "0"), ("limit", "5001"), ("limit", "-1"), ("limit", "1e3"), ("limit", ""),
      ("offset", "-1"), ("offset", "99999999999999999999"), ("min_magnitude", "strong"),
      ("max_magnitude", "21"), ("min_depth", "deep"), ("max_depth", "1e3"), ("until", "later"),
      ("min_magnitude", "nan"), ("min_magnitude", "inf"), ("min_magnitude", "0x1p3"),
      ("layout", "table"), ("sort", "depth"), ("order", "up"), ("since", "yesterday"),
      ("colour", "red"),
      ("search", String(repeating: "x", count: 201)), ("search", "m%3Ex"), ("box", ""),
      ("box", "1,2"),
      ("box", "10,0..-10,0"), ("box", "0,0..1,181"), ("box", "0,0..1,nan"), ("search", "near:"),
      ("search", "california%20depth:30..10"),
    ])
  func badParameters(name: String, value: String) async throws {
    try await withServer { client in
      let response = try await client.request("GET", "/api/events?\(name)=\(value)")
      #expect(response.status == 400)
      let refusal = try decode(Refusal.self, response).error
      #expect(refusal.code == "invalid_parameter" && refusal.parameter == name)
      #expect(!refusal.message.isEmpty)
    }
  }

  @Test("A place is found by name, and the answer for an unknown one tells what is possible")
  func places() async throws {
    struct Place: Decodable {
      var name: String
      var latitude: Double
      var longitude: Double
    }
    struct Answer: Decodable {
      var place: Place?
      var message: String?
    }
    try await withServer { client in
      let answer = try await client.request("GET", "/api/places?name=paris,tx")
      let place = try #require(try decode(Answer.self, answer).place)
      #expect(place.name == "Paris, Texas" && place.latitude == 33.661)
      #expect(place.longitude == -95.556)
      let unknown = try await client.request("GET", "/api/places?name=tokyp")
      let refusal = try decode(Answer.self, unknown)
      #expect(refusal.place == nil && refusal.message?.contains("near:tokyo") == true)
      for query in ["", "name=a&name=b", "other=1", "name=" + String(repeating: "x", count: 201)] {
        #expect(try await client.request("GET", "/api/places?\(query)").status == 400)
      }
      let search = try await client.request("GET", "/api/events?search=near:tokyp")
      #expect(search.status == 400)
      #expect(try decode(Refusal.self, search).error.message.contains("“near:tokyp”"))
    }
  }

  @Test("A parameter given twice is refused, and broken encodings are")
  func ambiguousParameters() async throws {
    try await withServer { client in
      for query in [
        "limit=1&limit=2", "search=%", "search=%zz", "search=%ff", "search=a%00b", "search=%0d%0aX",
      ] {
        let response = try await client.request("GET", "/api/events?\(query)")
        #expect(response.status == 400)
      }
      let long = "/api/events?search=" + String(repeating: "x", count: 5_000)
      let response = try await client.request("GET", long)
      #expect(response.status == 414)
    }
  }

  @Test("One event by its identifier; 404 in the API's form for another")
  func oneEvent() async throws {
    try await withServer { client in
      let response = try await client.request("GET", "/api/events/nc3")
      #expect(try decode(APIEvent.self, response) == APIEvent(FakeSource.events(4)[3]))
      #expect(try await client.request("GET", "/api/events/n%633").status == 200)
      for target in ["/api/events/nc99", "/api/events/", "/api/events/nc3/x", "/api/nothing"] {
        let response = try await client.request("GET", target)
        #expect(response.status == 404)
        #expect(try decode(Refusal.self, response).error.code == "not_found")
      }
    }
  }

  @Test("An unchanged answer is 304, a changed one is not; the compressed form has its own tag")
  func entityTags() async throws {
    try await withServer { client in
      let plain = try await client.request("GET", "/api/events?limit=20")
      let tag = try #require(plain["ETag"])
      let same = try await client.request(
        "GET", "/api/events?limit=20", headers: [("If-None-Match", tag)])
      #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
      let other = try await client.request(
        "GET", "/api/events?limit=21", headers: [("If-None-Match", tag)])
      #expect(other.status == 200)
      let packed = try await client.request(
        "GET", "/api/events?limit=20", headers: [("Accept-Encoding", "gzip")])
      #expect(packed["Content-Encoding"] == "gzip" && packed["ETag"] != tag)
      #expect(packed["Vary"] == "Accept-Encoding")
      #expect(try packed.text == plain.text)
      #expect(packed.body.count * 2 < plain.body.count)
    }
  }

  @Test("A failing store is a 500 that gives nothing away")
  func failure() async throws {
    let source = FakeSource()
    await source.breakDown()
    try await withServer(source) { client in
      let response = try await client.request("GET", "/api/events")
      #expect(response.status == 500)
      #expect(try decode(Refusal.self, response).error.code == "internal")
      #expect(try !response.text.contains("Broken"))
    }
  }

  /// A page of columns as the rows that it stands for.
  private func rows(_ page: [String: Any], differences: Bool = false) throws -> [NSDictionary] {
    let columns = try #require(page["columns"] as? [String: [Any]])
    let address = try #require(page["usualAddress"] as? String)
    var time = 0
    return (columns["id"] ?? []).indices.map { position in
      var row = columns.mapValues { $0[position] }
      if row["url"] as? String == "", let id = row["id"] as? String { row["url"] = address + id }
      guard differences else { return row as NSDictionary }
      time += (row["time"] as? Int) ?? 0
      row["updated"] = (row["updated"] as? Int).map { time + $0 }
      row["time"] = time
      return row as NSDictionary
    }
  }

  @Test("The columns of a page have the values of its rows")
  func columns() async throws {
    var events = FakeSource.events(5)
    events[0].url = "https://earthquake.usgs.gov/earthquakes/eventpage/\(events[0].eventID)"
    events[1].url = "https://earthquake.usgs.gov/earthquakes/eventpage/other"
    events[2].url = nil
    // Like the beginning of an address, in another field.
    events[2].place = "https://earthquake.usgs.gov/earthquakes/eventpage/\(events[2].eventID)"
    events[3].place = "\"quoted\", 地震"
    events[4].magnitude = nil
    events[1].updated = events[1].time.addingTimeInterval(-1.5)
    events[3].withdrawn = events[3].updated
    try await withServer(FakeSource(events)) { client in
      func page(_ query: String) async throws -> [String: Any] {
        let response = try await client.request("GET", "/api/events?\(query)")
        let object = try JSONSerialization.jsonObject(with: Data(response.text.utf8))
        return try #require(object as? [String: Any])
      }
      let wanted = try #require(try await page("limit=3")["events"] as? [NSDictionary])
      let found = try await page("limit=3&layout=columns")
      let shown = try rows(found)
      #expect(shown == wanted && wanted.count == 3)
      #expect(found["next"] as? String == "/api/events?limit=3&layout=columns&offset=3")
      let all = try #require(try await page("layout=rows")["events"] as? [NSDictionary])
      let allShown = try rows(try await page("layout=columns"))
      #expect(allShown == all && all.count == 5)
      let differences = try await page("layout=differences")
      let times = try #require(differences["columns"] as? [String: [Any]])["time"] as? [Int]
      #expect(times?.dropFirst().contains { abs($0) > 1_000_000_000 } == false)
      #expect(try rows(differences, differences: true) == all)
      for target in ["/api/statistics?layout=rows", "/api/export?format=csv&layout=rows"] {
        #expect(try await client.request("GET", target).status == 400)
      }
    }
    try await withServer(FakeSource()) { client in
      let text = try await client.request("GET", "/api/events?layout=columns").text
      #expect(text.hasPrefix(#"{"columns":{},"usualAddress":"#))
    }
  }

  @Test("An empty store has an empty page")
  func emptyStore() async throws {
    try await withServer(FakeSource()) { client in
      let page = try decode(Page.self, try await client.request("GET", "/api/events"))
      #expect(page.events.isEmpty && page.total == 0 && page.next == nil)
      let status = try await client.request("GET", "/api/status").text
      #expect(status.contains(#""state":"empty""#) && status.contains(#""lastError":null"#))
    }
  }
}
