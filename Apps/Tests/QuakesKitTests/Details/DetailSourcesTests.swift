import Foundation
import Testing

@testable import QuakesKit

@Suite("The servers of details")
struct DetailSourcesTests {
  private func sources(_ addresses: String...) -> DetailSources {
    DetailSources(addresses.compactMap { URL(string: $0) })
  }

  @Test(
    "Addresses at the feed's own server are used",
    arguments: [
      "https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/us1.geojson",
      "https://EARTHQUAKE.usgs.gov:443/fdsnws/event/1/query?eventid=us1&format=geojson",
    ])
  func own(_ address: String) throws {
    let usgs = sources("https://earthquake.usgs.gov/x.geojson")
    #expect(try usgs.url(address, of: "us1").absoluteString == address)
  }

  @Test(
    "All others are refused, with the address's server in the message",
    arguments: [
      "https://evil.example/us1", "https://earthquake.usgs.gov.evil.example/",
      "https://earthquake.usgs.gov:8443/us1", "http://earthquake.usgs.gov/us1",
      "http://127.0.0.1/us1", "http://localhost:8080/api/refresh", "http://169.254.169.254/",
      "http://[::1]/", "file:///etc/passwd", "ftp://earthquake.usgs.gov/", "javascript:alert(1)",
      "https://user:secret@earthquake.usgs.gov/", "https://user@earthquake.usgs.gov/", "//x", "us1",
      "https:///us1", "https://earthquake.usgs.gov/a b", "https://earthquake.usgs.gov/\r\nX: y",
      "https://earthquake.usgs.gov/" + String(repeating: "a", count: 3_000), "",
    ])
  func others(_ address: String) {
    let usgs = sources("https://earthquake.usgs.gov/x.geojson")
    let error = #expect(throws: DetailsError.self) { try usgs.url(address, of: "us1") }
    #expect(error?.code == .addressRefused && error?.reason.contains("secret") == false)
  }

  @Test("Unencrypted addresses only where the feed itself is")
  func unencrypted() throws {
    let local = sources("http://127.0.0.1:8081/all_day.geojson")
    #expect(throws: Never.self) { try local.url("http://127.0.0.1:8081/d/us1", of: "us1") }
    #expect(throws: DetailsError.self) { try local.url("http://127.0.0.1:8082/d/us1", of: "us1") }
    #expect(throws: DetailsError.self) { try local.url("http://localhost:8081/", of: "us1") }
    #expect(throws: DetailsError.self) { try local.url("https://127.0.0.1:8081/", of: "us1") }
    let plain = sources("http://a.example/feed")
    #expect(throws: Never.self) { try plain.url("https://a.example/us1", of: "us1") }
  }

  @Test("A store's servers are those of its feed, of its back-fills, and of USGS for files")
  func ofStore() throws {
    let store = try QuakeStore(file: nil)
    let feed = try FeedSelection("https://a.example/feed.geojson")
    let usgs = "https://earthquake.usgs.gov/us1"
    #expect(throws: DetailsError.self) { try store.detailSources(feed: feed).url(usgs, of: "us1") }
    let service = try EventService("https://b.example")
    try store.recordLoaded(
      LoadedRange(service, 0..<10, minimumMagnitude: nil, rule: .all, loaded: 20))
    let sources = try store.detailSources(feed: feed, service: EventService("https://c.example"))
    for host in ["a", "b", "c"] {
      #expect(throws: Never.self) { try sources.url("https://\(host).example/us1", of: "us1") }
    }
    let file = try FeedSelection("file:///feed.geojson")
    #expect(throws: Never.self) { try store.detailSources(feed: file).url(usgs, of: "us1") }
  }
}
