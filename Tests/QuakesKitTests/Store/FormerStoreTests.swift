import Foundation
import QuakesKit
import SwiftData
import TestSupport
import Testing

/// The model of the previous version, under the same name.
private enum Before {
  @Model
  final class Quake {
    #Index<Quake>([\.time], [\.magnitude, \.time])

    @Attribute(.unique, .preserveValueOnDeletion) var eventID: String
    var magnitude: Double?
    var magnitudeType: String?
    var place: String?
    var time: Date
    var updated: Date
    var longitude: Double
    var latitude: Double
    var depth: Double?
    var type: String
    var status: String?
    var alert: String?
    var tsunami: Bool
    var felt: Int?
    var significance: Int
    var url: String?
    var code: String
    var net: String

    init(_ feature: Feature) {
      let properties = feature.properties
      eventID = feature.id
      magnitude = properties.magnitude
      magnitudeType = properties.magnitudeType
      place = properties.place
      time = properties.time
      updated = properties.updated
      longitude = feature.geometry.longitude
      latitude = feature.geometry.latitude
      depth = feature.geometry.depth
      type = properties.type
      status = properties.status
      alert = properties.alert
      tsunami = properties.tsunami
      felt = properties.felt
      significance = properties.significance
      url = properties.url
      code = properties.code
      net = properties.net
    }
  }
}

@Suite("Stores of the previous version")
struct FormerStoreTests {
  @Test("A store opens with all its events, and the next refresh fills the new properties")
  func opens() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "quakes.store")
    let features = try (0..<300).map { number in
      try JSONDecoder().decode(
        Feature.self, from: Data(Fixture.feature("nc\(number)", time: number * 1_000).utf8))
    }
    do {
      let container = try ModelContainer(
        for: Before.Quake.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      for feature in features { context.insert(Before.Quake(feature)) }
      try context.save()
    }
    let store = try QuakeStore(file: file)
    #expect(try store.count() == 300)
    let events = try store.page(EventQuery(sort: .time, order: .ascending)).events
    #expect(events == features.map { Event($0) })
    #expect(events.allSatisfy { $0.withdrawn == nil && $0.aliases.isEmpty })
    let text = Fixture.feed([
      Fixture.feature("nc5", time: 5_000).replacingOccurrences(
        of: #""sig":10"#, with: #""sig":10,"ids":",nc5,us5,""#)
    ])
    let feed = try folder.file("feed.geojson", text)
    let report = try await QuakeFeed(FeedSelection(feed.path), into: store, rule: .all).copy
      .refresh()
    #expect(report.updated == 1)
    #expect(try store.event(id: "us5")?.id == "nc5" && store.count() == 300)
  }
}
