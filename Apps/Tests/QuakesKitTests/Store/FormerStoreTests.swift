import Foundation
import QuakesKit
import SwiftData
import Testing

@testable import TestSupport

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

    init(_ event: Event) {
      eventID = event.id
      magnitude = event.magnitude
      magnitudeType = event.magnitudeType
      place = event.place
      time = event.time
      updated = event.updated
      longitude = event.longitude
      latitude = event.latitude
      depth = event.depth
      type = event.type
      status = event.status
      alert = event.alert
      tsunami = event.tsunami
      felt = event.felt
      significance = event.significance
      url = event.url
      code = event.code
      net = event.net
    }
  }
}

/// A model of a later version.
private enum Later {
  @Model
  final class FeedLease {
    @Attribute(.unique) var feed: String
    var holder: String
    var renewals: Int
    var reason: String?

    init() {
      feed = "all_day"
      holder = ""
      renewals = 0
      reason = "kept"
    }
  }
}

@Suite("Stores of a later version")
struct LaterStoreTests {
  @Test(
    "A store with a property that this version doesn't know is refused and stays as it is",
    arguments: [false, true])
  func refused(_ isMigrated: Bool) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "quakes.store")
    if isMigrated { _ = try QuakeStore(file: file) }
    do {
      let container = try ModelContainer(
        for: Later.FeedLease.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      context.insert(Later.FeedLease())
      try context.save()
    }
    let before = try Data(contentsOf: file)
    for isReadOnly in [false, true] {
      do {
        _ = try QuakeStore(.file(file), isReadOnly: isReadOnly)
        Issue.record("The property is lost.")
      } catch let error as QuakesError {
        #expect(error.code == .storeFailure)
        #expect(error.reason.contains("a newer version of this program made it"))
        #expect(isMigrated || error.reason.contains("FeedLease.reason"))
      }
    }
    #expect(try Data(contentsOf: file) == before)
  }
}

@Suite("Stores of the previous version")
struct FormerStoreTests {
  @Test("A store opens with all its events, and the next refresh fills the new properties")
  func opens() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "quakes.store")
    let events = try (0..<300).map { number in
      try JSONDecoder().decode(
        FeedEvent.self, from: Data(Fixture.feature("nc\(number)", time: number * 1_000).utf8)
      ).event
    }
    do {
      let container = try ModelContainer(
        for: Before.Quake.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      for event in events { context.insert(Before.Quake(event)) }
      try context.save()
    }
    let store = try QuakeStore(file: file)
    #expect(try store.count() == 300)
    let stored = try store.page(EventQuery(sort: .time, order: .ascending)).events
    #expect(stored.map(\.withoutModel) == events)
    #expect(stored.allSatisfy { $0.withdrawn == nil && $0.aliases == nil })
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
