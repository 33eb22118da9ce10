import Foundation
import LocalCopy
import QuakesKit
import Testing

@testable import TestSupport

@Suite("Loading a feed into a store", .timeLimit(.minutes(20)))
struct QuakeFeedTests {
  private func load(
    _ text: String, into store: QuakeStore, rule: MagnitudeRule = .aboveZero,
    folder: TemporaryFolder
  ) async throws -> RefreshReport {
    let file = try folder.file("feed.geojson", text)
    let feed = try QuakeFeed(
      FeedSelection(file.path), into: store, rule: rule)
    return try await feed.copy.refresh(force: true)
  }

  @Test(
    "New events go in, changed ones change, the same ones stay, and none is there twice",
    arguments: StoreForm.shared)
  func upserts(_ form: StoreForm) async throws {
    let place = try TestStore(form)
    let folder = place.folder
    let store = try place.open()
    let first = try await load(
      Fixture.feed([Fixture.feature("nc1"), Fixture.feature("nc2")]), into: store, folder: folder)
    #expect(first.inserted == 2 && first.received == 2)
    let again = try await load(
      Fixture.feed([Fixture.feature("nc1"), Fixture.feature("nc2")]), into: store, folder: folder)
    #expect(again.inserted == 0 && again.updated == 0 && again.unchanged == 2)
    let second = try await load(
      Fixture.feed([
        Fixture.feature("nc1", magnitude: "2"), Fixture.feature("nc2"), Fixture.feature("us1"),
      ]), into: store, folder: folder)
    #expect(second.inserted == 1 && second.updated == 1 && second.unchanged == 1)
    #expect(try store.count() == 3)
    #expect(try store.event(id: "nc1")?.magnitude == 2)
    // The code `1` in two networks stands for two earthquakes.
    #expect(try store.event(id: "us1") != nil)
  }

  @Test("Magnitudes of zero and below, and missing ones, are excluded by default")
  func rules() async throws {
    let folder = try TemporaryFolder()
    let text = Fixture.feed(
      ["null", "-1.2", "0", "0.1"].enumerated().map { number, magnitude in
        Fixture.feature("nc\(number)", magnitude: magnitude)
      })
    let store = try QuakeStore(file: nil)
    let kept = try await load(text, into: store, folder: folder)
    #expect(kept.inserted == 1 && kept.filtered == 3)
    let all = try await load(text, into: store, rule: .all, folder: folder)
    #expect(all.inserted == 3 && all.unchanged == 1 && all.filtered == 0)
    #expect(try store.event(id: "nc0")?.magnitude == nil)
  }

  @Test("A malformed feature is skipped and reported with its place; the others are imported")
  func malformedFeature() async throws {
    let folder = try TemporaryFolder()
    let store = try QuakeStore(file: nil)
    let report = try await load(
      Fixture.feed([
        Fixture.feature("nc1"), Fixture.feature("nc2", magnitude: "\"strong\""), "7",
        Fixture.feature("nc3"),
      ]), into: store, folder: folder)
    #expect(report.inserted == 2 && report.skipped == 2)
    #expect(report.details.map(\.index) == [1, 2])
    #expect(report.details.first?.path.description.contains("mag") == true)
  }

  @Test("A malformed document changes nothing")
  func malformedDocument() async throws {
    let folder = try TemporaryFolder()
    let store = try QuakeStore(file: nil)
    _ = try await load(Fixture.feed([Fixture.feature("nc1")]), into: store, folder: folder)
    let broken = Fixture.feed([Fixture.feature("nc2")]).dropLast(3)
    await #expect(throws: LocalCopyError.self) {
      try await load(String(broken), into: store, folder: folder)
    }
    #expect(try store.count() == 1 && store.event(id: "nc2") == nil)
  }

  @Test("A failure that the service reports inside a success is refused")
  func reportedFailure() async throws {
    let folder = try TemporaryFolder()
    let store = try QuakeStore(file: nil)
    await #expect(throws: (any Error).self) {
      try await load(
        Fixture.feed([Fixture.feature("nc1")], status: 503), into: store, folder: folder)
    }
    #expect(try store.count() == 0)
  }

  @Test("Addresses that could run a script are not links")
  func links() throws {
    let text = Fixture.feature("nc1").replacingOccurrences(
      of: "https://example.org/nc1", with: "javascript:alert(1)")
    let event = try JSONDecoder().decode(FeedEvent.self, from: Data(text.utf8)).event
    #expect(event.url == "javascript:alert(1)" && event.webAddress == nil)
    for format in EventFormat.allCases {
      #expect(!String(decoding: format.document([event]), as: UTF8.self).contains("javascript"))
    }
  }
}
