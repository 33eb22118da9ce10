import Foundation
import Testing

@testable import DemoFeed
@testable import TestSupport

@Suite("The demo catalogue")
struct CatalogueTests {
  private let anchor = 1_750_000_000_000
  private let month = SummaryFeed(level: .all, window: .month)

  private func text(_ feed: SummaryFeed, _ catalogue: Catalogue) -> String {
    var bytes: [UInt8] = []
    for piece in FeedDocument(feed, of: catalogue) { bytes += piece }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("The same seed and anchor give the same bytes, another seed gives others")
  func isDeterministic() {
    let first = Catalogue(seed: 7, events: 300, anchor: anchor)
    #expect(text(month, first) == text(month, Catalogue(seed: 7, events: 300, anchor: anchor)))
    #expect(text(month, first) != text(month, Catalogue(seed: 8, events: 300, anchor: anchor)))
  }

  @Test("A document is valid JSON with the declared count, newest first, unique ids and a box")
  func isWellFormed() throws {
    let feed = try FeedJSON(text(month, Catalogue(seed: 3, events: 3_000, anchor: anchor)))
    #expect(feed.count == 3_000)
    #expect(feed.features.count == 3_000)
    #expect(Set(feed.ids).count == 3_000)
    #expect(feed.times == feed.times.sorted(by: >))
    #expect(feed.box?.count == 6)
    #expect(feed.features.allSatisfy { ($0["properties"] as? [String: Any])?.count == 26 })
    let ids = zip(feed.property("net"), feed.property("code")).map { "\($0 ?? "")\($1 ?? "")" }
    #expect(ids == feed.ids)
  }

  @Test("Magnitudes follow Gutenberg and Richter, with some negative and some null")
  func magnitudesArePlausible() throws {
    let feed = try FeedJSON(text(month, Catalogue(seed: 5, events: 20_000, anchor: anchor)))
    let magnitudes = feed.magnitudes
    let nulls = feed.features.count - magnitudes.count
    #expect((20...200).contains(nulls))
    let negative = Double(magnitudes.filter { $0 < 0 }.count) / 20_000
    #expect((0.005...0.09).contains(negative))
    let above5 = Double(magnitudes.filter { $0 >= 5 }.count)
    let above6 = Double(magnitudes.filter { $0 >= 6 }.count)
    #expect((5...20).contains(above5 / above6))
    #expect(magnitudes.allSatisfy { $0 < 9.2 })
  }

  @Test("Depths and places are null now and then, and coordinates stay on the globe")
  func hasOddities() throws {
    let feed = try FeedJSON(text(month, Catalogue(seed: 5, events: 5_000, anchor: anchor)))
    let points = feed.features.compactMap {
      ($0["geometry"] as? [String: Any])?["coordinates"] as? [Any]
    }
    #expect(points.count == 5_000)
    #expect(points.contains { $0[2] is NSNull })
    #expect(feed.property("place").contains { $0 is NSNull })
    for point in points {
      let longitude = try #require(point[0] as? Double)
      let latitude = try #require(point[1] as? Double)
      #expect(abs(longitude) <= 180 && abs(latitude) <= 90)
    }
  }

  @Test("Each level and window holds exactly the events of the month that belong to it")
  func feedsAreSubsets() throws {
    var catalogue = Catalogue(seed: 11, events: 4_000, anchor: anchor)
    for _ in 0..<20 { catalogue.advance(now: catalogue.generated + 60_000) }
    let all = Array(CatalogueEvents(of: month, in: catalogue))
    for feed in SummaryFeed.allFeeds {
      let oldest = catalogue.generated - feed.window.milliseconds
      let expected = all.filter { $0.time >= oldest && feed.level.admits($0) }.map(\.id)
      #expect(Array(CatalogueEvents(of: feed, in: catalogue)).map(\.id) == expected)
      #expect(CatalogueEvents.count(of: feed, in: catalogue) == expected.count)
    }
  }

  @Test("A step adds, revises and removes the announced events, and nothing else")
  func stepsReportTheirChanges() {
    var catalogue = Catalogue(seed: 2, events: 2_000, anchor: anchor)
    for _ in 0..<60 {
      let before = index(catalogue)
      catalogue.advance(now: catalogue.generated + 60_000)
      let after = index(catalogue)
      let step = catalogue.lastStep
      let oldest = catalogue.generated - month.window.milliseconds
      let aged = before.filter { $0.value.time < oldest }.map(\.key)
      #expect(
        Set(after.keys).subtracting(before.keys)
          == Set(step.added + step.restored).subtracting(step.removed))
      #expect(
        Set(before.keys).subtracting(after.keys).subtracting(aged)
          == Set(step.removed).subtracting(step.restored))
      let changed = before.filter { after[$0.key].map { [now = $0.value] in $0 != now } ?? false }
      #expect(Set(changed.keys).isSubset(of: step.revised))
      #expect(!step.added.isEmpty)
    }
  }

  @Test("Steps move the time of generation by a second at least, since HTTP dates count seconds")
  func generatedGrows() {
    var catalogue = Catalogue(seed: 2, events: 10, anchor: anchor)
    catalogue.advance(now: anchor)
    catalogue.advance(now: anchor)
    #expect(catalogue.generated == anchor + 2_000)
  }

  @Test("No event happens, or is revised, after its feed was made")
  func nothingIsOfTheFuture() {
    var catalogue = Catalogue(seed: 2, events: 2_000, anchor: anchor)
    for _ in 0..<40 {
      for event in CatalogueEvents(of: month, in: catalogue) {
        #expect(event.time <= event.updated && event.updated <= catalogue.generated)
      }
      catalogue.advance(now: catalogue.generated + 60_000)
    }
  }

  @Test("Events lie along many lines, with swarms, and are named after the nearest place")
  func geography() throws {
    let catalogue = Catalogue(seed: 5, events: 10_000, anchor: anchor)
    var cells: [[Int]: Int] = [:]
    var towns: Set<Substring> = []
    var regions: Set<String> = []
    for event in CatalogueEvents(of: month, in: catalogue) {
      cells[[event.latitude / 10_000, event.longitude / 10_000], default: 0] += 1
      guard let place = event.place else { continue }
      if let of = place.range(of: " of ") { towns.insert(place[of.upperBound...]) }
      if !place.contains(" km ") { regions.insert(place) }
    }
    #expect(cells.count > 900 && towns.count > 75 && regions.count > 5)
    // Swarms: some cells have a hundred times as many events as most.
    let counts = cells.values.sorted()
    #expect(counts[counts.count / 2] <= 3 && (counts.last ?? 0) > 200)
    #expect(
      Town.describe(38.8, -122.8, by: Town.regional, region: "x") == "2 km N of The Geysers, CA"
        && Town.describe(0, 0, by: Town.regional, region: "Gulf of Guinea") == "Gulf of Guinea")
    // Across the date line the nearest place is found, too.
    #expect(
      Town.describe(-17.7, -179.9, by: Town.worldwide, region: "x").hasSuffix("E of Levuka, Fiji"))
  }

  @Test("Earthquakes are the deeper the farther they are behind the edge of a sinking plate")
  func sinkingPlates() throws {
    func depths(_ name: String, _ latitude: Double, _ longitudes: [Double]) throws -> [Double] {
      let zones = SeismicZone.worldwide + SeismicZone.regional
      let zone = try #require(zones.first { $0.name == name })
      return longitudes.map { zone.depth(latitude: latitude, longitude: $0, chance: 0) }
    }
    // From the ocean towards the west, and towards the east; also over the date line.
    let kuril = try depths("Kuril Islands", 41.5, [146, 144, 142, 140])
    #expect(kuril == kuril.sorted() && kuril[0] < 20 && kuril[3] > 200)
    let tonga = try depths("Kermadec Islands region", -22, [-173, -175, -178, 179])
    #expect(tonga == tonga.sorted() && tonga[0] < 20 && tonga[3] > 500 && tonga[3] <= 690)
    let chile = try depths("Near the coast of central Chile", -33, [-73, -71, -69])
    #expect(chile == chile.sorted() && chile[2] > 150)
    #expect(Set(try depths("Central California", 36, [-122, -121, -119])).count == 1)
    // The feed has it.
    let feed = try FeedJSON(text(month, Catalogue(seed: 5, events: 20_000, anchor: anchor)))
    let alaska = feed.features.compactMap { feature -> Double? in
      guard (feature["properties"] as? [String: Any])?["net"] as? String == "ak" else { return nil }
      let point = (feature["geometry"] as? [String: Any])?["coordinates"] as? [Any]
      return point?[2] as? Double
    }
    #expect(alaska.count > 500 && alaska.contains { $0 > 200 })
  }

  @Test("An empty feed has no features and no box")
  func emptyFeed() throws {
    let feed = try FeedJSON(text(month, Catalogue(seed: 1, events: 0, anchor: anchor)))
    #expect(feed.features.isEmpty && feed.count == 0 && feed.box == nil)
  }

  @Test("A large document comes in pieces of a bounded size")
  func piecesAreBounded() {
    let document = FeedDocument(month, of: Catalogue(seed: 1, events: 2_000, anchor: anchor))
    let sizes = document.map(\.count)
    #expect(sizes.count > 10)
    #expect(sizes.allSatisfy { $0 < FeedDocument.pieceSize + 4_096 })
  }

  @Test("A file holds the same document")
  func writesFiles() throws {
    let catalogue = Catalogue(seed: 4, events: 500, anchor: anchor)
    let folder = try TemporaryFolder()
    let file = folder.file("demo.geojson")
    let size = try FeedFile.write(month, of: catalogue, to: file)
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(written == text(month, catalogue))
    #expect(written.utf8.count == size)
  }

  private func index(_ catalogue: Catalogue) -> [String: SyntheticEvent] {
    Dictionary(
      CatalogueEvents(of: month, in: catalogue).map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first })
  }
}
