import Foundation
import LocalCopy
import Testing

@testable import QuakesKit
@testable import TestSupport

@Suite("Revisions of events", .timeLimit(.minutes(20)))
struct RevisionTests {
  /// The time of the first document, in seconds since 1970.
  fileprivate static let start = 1_750_000_000.0

  fileprivate struct Feature {
    var id = "nc1"
    var magnitude = 4.2
    var magnitudeType = "ml"
    var latitude = 36.0
    var depth = 10.0
    var status = "automatic"
    var ids: String?
    var felt = 0
    /// Minutes after the first document.
    var updated = 0.0

    var text: String {
      """
      {"type":"Feature","id":"\(id)","properties":{"mag":\(magnitude),"magType":"\(magnitudeType)","place":"near",
      "time":\(Int((start - 600) * 1_000)),"updated":\(Int((start + updated * 60) * 1_000)),"felt":\(felt),
      "status":"\(status)","ids":\(ids.map { "\"\($0)\"" } ?? "null"),"net":"nc","code":"1"},
      "geometry":{"type":"Point","coordinates":[-121,\(latitude),\(depth)]}}
      """
    }
  }

  private static func moment(_ minutes: Double) -> Date {
    Date(timeIntervalSince1970: start + minutes * 60)
  }

  @Test(
    "Each form that a feed replaces is kept, with the values and times that it had",
    arguments: StoreForm.shared)
  func replacedForms(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Feature()], after: 1)
    #expect(try place.store.revisions(of: "nc1") == [])
    try await place.load([Feature(magnitude: 4.6, magnitudeType: "mww", updated: 18)], after: 19)
    try await place.load(
      [
        Feature(
          magnitude: 4.6, magnitudeType: "mww", latitude: 36.1, depth: 12.3, status: "reviewed",
          updated: 40)
      ], after: 41)
    let revisions = try place.store.revisions(of: "nc1")
    #expect(revisions.map(\.until) == [Self.moment(19), Self.moment(41)])
    #expect(revisions.map(\.values.magnitude) == [4.2, 4.6])
    #expect(revisions.map(\.values.updated) == [Self.moment(0), Self.moment(18)])
    let event = try #require(try place.store.event(id: "nc1"))
    #expect(
      EventLife(revisions, event).steps == [
        .init(moment: Self.moment(0), text: "M 4.2 ml, automatic"),
        .init(moment: Self.moment(18), text: "M 4.2 ml → M 4.6 mww"),
        .init(moment: Self.moment(40), text: "moved 11 km, depth 10 km → 12.3 km, reviewed"),
      ])
  }

  @Test(
    "Equal values, and other ones that revisions aren't about, make none",
    arguments: StoreForm.shared)
  func nothingLearnt(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Feature()], after: 1)
    try await place.load([Feature()], after: 2)
    let report = try await place.load([Feature(felt: 12, updated: 3)], after: 4)
    #expect(report.updated == 1)
    #expect(try place.store.revisions(of: "nc1") == [])
  }

  @Test(
    "A withdrawal, a return and another identifier are in the life", arguments: StoreForm.shared)
  func withdrawal(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    let other = Feature(id: "nc2")
    try await place.load([Feature(), other], after: 1)
    try await place.load([other], after: 5)
    try await place.load([Feature(), other], after: 9)
    let event = try #require(try place.store.event(id: "nc1"))
    let life = EventLife(try place.store.revisions(of: "nc1"), event)
    #expect(life.steps.map(\.text) == ["M 4.2 ml, automatic", "withdrawn", "listed again"])
    #expect(life.steps.map(\.moment) == [Self.moment(0), Self.moment(5), Self.moment(9)])
    try await place.load([other, Feature(id: "us1", ids: ",us1,nc1,")], after: 12)
    let row = try #require(try place.store.row(id: "nc1"))
    #expect(row.replacement == "us1")
    let steps = EventLife(try place.store.revisions(of: "nc1"), row).steps
    #expect(steps.last == .init(moment: Self.moment(12), text: "withdrawn"))
    // The earthquake's life goes on under the other identifier.
    let now = try #require(try place.store.event(id: "nc1"))
    #expect(
      EventLife(try place.store.revisions(of: "us1"), now).steps.map(\.text) == [
        "M 4.2 ml, automatic", "withdrawn", "listed again", "now us1, before nc1",
      ])
  }

  @Test(
    "An event that was revised so that the rule leaves it out keeps its former form",
    arguments: StoreForm.shared)
  func leftOut(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Feature()], after: 1)
    try await place.load([Feature(magnitude: -0.3, updated: 2)], after: 3)
    #expect(try place.store.revisions(of: "nc1").map(\.values.magnitude) == [4.2])
  }

  @Test(
    "An event that gets another identifier and values that the rule leaves out goes on under it",
    arguments: StoreForm.shared)
  func leftOutRenamed(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Feature(magnitude: 0.1)], after: 1)
    let heir = Feature(id: "us1", magnitude: -0.1, ids: ",us1,nc1,", updated: 2)
    let report = try await place.load([heir], after: 3)
    #expect(report.inserted == 0 && report.filtered == 1)
    #expect(try place.store.events(EventQuery()).map(\.magnitude) == [-0.1])
    for id in ["nc1", "us1"] { #expect(try place.store.event(id: id)?.id == "us1") }
    let event = try #require(try place.store.event(id: "us1"))
    #expect(
      EventLife(try place.store.revisions(of: "us1"), event).steps.map(\.text) == [
        "M 0.1 ml, automatic", "now us1, before nc1, M 0.1 ml → M -0.1 ml",
      ])
    #expect(try await place.load([heir], after: 4).concluded == 0)
  }

  @Test("Of many revisions, the first and the latest are kept", arguments: [StoreForm.file])
  func many(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    let count = RevisionRecorder.limit + 3
    for number in 0...count {
      let feature = Feature(depth: Double(number), updated: Double(number))
      try await place.load([feature], after: Double(number) + 1)
    }
    let depths = try place.store.revisions(of: "nc1").map(\.values.depth)
    #expect(depths.count == RevisionRecorder.limit)
    #expect(depths.first == 0 && depths.dropFirst().first == 4)
    #expect(depths.last == Double(count - 1))
  }

  @Test("A document that is refused leaves no revision behind", arguments: StoreForm.shared)
  func refused(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Feature()], after: 1)
    let file = try place.folder.file(
      "feed.json", #"{"type":"FeatureCollection","features":["# + Feature(magnitude: 5).text + ",")
    await #expect(throws: LocalCopyError.self) {
      try await QuakeFeed(FeedSelection(file.path), into: place.store, rule: .all).copy
        .refresh(force: true)
    }
    #expect(try place.store.revisions(of: "nc1") == [])
  }

  @Test("A distance is that of the great circle, also across the date line and to the antipode")
  func distances() {
    let degree = GreatCircle.radius * .pi / 180
    #expect(abs(GreatCircle.distance(from: (0, 0), to: (0, 1)) - degree) < 1e-6)
    #expect(abs(GreatCircle.distance(from: (179.5, 0), to: (-179.5, 0)) - degree) < 1e-6)
    #expect(abs(GreatCircle.distance(from: (0, 0), to: (180, 0)) - 180 * degree) < 1e-6)
    #expect(GreatCircle.distance(from: (10, 20), to: (10, 20)) == 0)
  }
}

extension FeedPlace {
  /// Loads a document that was made `minutes` after the first one.
  @discardableResult
  fileprivate func load(
    _ features: [RevisionTests.Feature], after minutes: Double
  ) async throws -> RefreshReport {
    try await load(
      features.map(\.text), generated: Int((RevisionTests.start + minutes * 60) * 1_000))
  }
}
