import Foundation
import QuakesKit
import SwiftData
import Testing

@testable import TestSupport

@Suite("Words of a search")
struct SearchTests {
  /// The cases for this and for the page.
  private struct Cases: Decodable {
    struct Place: Decodable {
      var id: String
      var place: String?
      var type: String?
      var magnitude: Double?
      var time: Date
    }

    var events: [Place]
    var searches: [String: [String]]
  }

  private func cases() throws -> Cases {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../SearchCases/search.json")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Cases.self, from: Data(contentsOf: file))
  }

  private func filled(_ form: StoreForm, _ cases: Cases) throws -> QuakeStore {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for event in cases.events {
      let text = Fixture.feature(
        event.id, magnitude: event.magnitude.map { "\($0)" } ?? "null",
        place: event.place.map { "\"\($0)\"" } ?? "null",
        time: Int(event.time.timeIntervalSince1970 * 1_000))
      let quake = try Quake(JSONDecoder().decode(SentFeature.self, from: Data(text.utf8)))
      quake.type = event.type ?? "earthquake"
      context.insert(quake)
    }
    try context.save()
    return store
  }

  @Test(
    "States, countries, codes, magnitudes, days, kinds and identifiers are found",
    arguments: StoreForm.single)
  func cases(_ form: StoreForm) throws {
    let cases = try cases()
    let store = try filled(form, cases)
    let all = try store.page(EventQuery()).events
    #expect(all.count == cases.events.count && !cases.searches.isEmpty)
    for (search, wanted) in cases.searches {
      let query = EventQuery(search: search)
      let page = try store.page(query)
      #expect(Set(page.events.map(\.id)) == Set(wanted), "\(search)")
      #expect(page.total == wanted.count)
      #expect(Set(all.filter(query.includes).map(\.id)) == Set(wanted), "\(search) in memory")
    }
  }

  @Test("Other filters hold beside the search", arguments: StoreForm.single)
  func combined(_ form: StoreForm) throws {
    let store = try filled(form, cases())
    let since = try Moment.parse("2026-05-03", now: Date())
    let query = EventQuery(minimumMagnitude: 5, since: since, search: "california")
    #expect(try store.page(query).events.map(\.id) == ["nc3"])
  }

  @Test("The longest searches that the API takes are answered", arguments: StoreForm.single)
  func long(_ form: StoreForm) throws {
    let store = try filled(form, cases())
    let words = (0..<50).map { "u\($0) " }.joined() + "usa united north island new"
    #expect(try store.page(EventQuery(search: words)).events.isEmpty)
    let countries = ["united", "america", "usa", "us", "north", "south", "new"]
    #expect(try store.page(EventQuery(search: countries.joined(separator: " "))).total == 0)
  }
}
