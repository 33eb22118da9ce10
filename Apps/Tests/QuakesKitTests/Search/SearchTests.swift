import Foundation
import SwiftData
import SwiftDataExtras
import Testing
import WireFormats

@testable import QuakesKit
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
      var latitude: Double
      var longitude: Double
      var depth: Double?
      var status: String?
      var aliases: [String]?
    }

    var now: Date
    var events: [Place]
    var searches: [String: [String]]
    var errors: [String: String]
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
      let aliases = event.aliases.map { ",\($0.joined(separator: ","))," }
      try context.insert(
        Event(
          eventID: event.id, magnitude: event.magnitude, place: event.place, time: event.time,
          updated: event.time, longitude: event.longitude, latitude: event.latitude,
          depth: event.depth, type: event.type ?? "earthquake", status: event.status,
          tsunami: false, significance: 0, code: event.id, net: "us", aliases: aliases),
        as: Quake.self)
    }
    try context.save()
    return store
  }

  @Test(
    "Words and terms find the same in the store and in memory",
    arguments: StoreForm.single)
  func cases(_ form: StoreForm) throws {
    let cases = try cases()
    let store = try filled(form, cases)
    let all = try store.page(EventQuery()).events
    #expect(all.count == cases.events.count && !cases.searches.isEmpty)
    for (search, wanted) in cases.searches {
      let query = EventQuery(search: try EventSearch(search, now: cases.now))
      let page = try store.page(query)
      #expect(Set(page.events.map(\.id)) == Set(wanted), "\(search)")
      #expect(page.total == wanted.count)
      #expect(try store.count(query) == wanted.count)
      #expect(try store.statistics(query).count == wanted.count)
      #expect(Set(all.filter(query.includes).map(\.id)) == Set(wanted), "\(search) in memory")
    }
  }

  @Test("Other filters hold beside the search", arguments: StoreForm.single)
  func combined(_ form: StoreForm) throws {
    let store = try filled(form, cases())
    let since = try Moment.parse("2026-05-03", now: Date())
    let query = EventQuery(minimumMagnitude: 5, since: since, search: try EventSearch("california"))
    #expect(try store.page(query).events.map(\.id) == ["nc3"])
  }

  @Test("The longest searches that the API takes are answered", arguments: StoreForm.single)
  func long(_ form: StoreForm) throws {
    let store = try filled(form, cases())
    let words = (0..<50).map { "u\($0) " }.joined() + "usa united north island new"
    #expect(try store.page(EventQuery(search: try EventSearch(words))).events.isEmpty)
    let countries = ["united", "america", "usa", "us", "north", "south", "new"]
    let many = try EventSearch(countries.joined(separator: " "))
    #expect(try store.page(EventQuery(search: many)).total == 0)
  }

  @Test("A term that can't be read is an error that tells the word and what is possible")
  func errors() throws {
    let cases = try cases()
    #expect(!cases.errors.isEmpty)
    for (search, message) in cases.errors {
      do {
        let read = try EventSearch(search, now: cases.now)
        Issue.record("\(search) was read as \(read)")
      } catch {
        #expect(error.description == message)
      }
    }
  }

  @Test("Each magnitude rounds to one tenth, halves up, and to one hundredth")
  func rounded() {
    let tenths = (0...100).map { SearchWord.magnitudes("\($0 / 10).\($0 % 10)") }
    for hundredths in 0...999 {
      let magnitude = Double(hundredths) / 100
      let fitting = tenths.indices.filter { tenths[$0]?.contains(magnitude) == true }
      #expect(fitting == [(hundredths + 5) / 10], "\(magnitude)")
      let decimals = hundredths % 100
      let word = "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
      let range = SearchWord.magnitudes(word)
      for thousandths in -10...10 {
        let near = Double(hundredths * 10 + thousandths) / 1_000
        #expect(range?.contains(near) == (-5..<5).contains(thousandths), "\(near) by \(word)")
      }
    }
  }

  @Test(
    "Any combination of terms finds the same in the store and in memory",
    arguments: StoreForm.single)
  func random(_ form: StoreForm) throws {
    let cases = try cases()
    let store = try filled(form, cases)
    let all = try store.page(EventQuery()).events
    var chance = SeededGenerator(seed: 61)
    let terms = Array(Set(cases.searches.keys.flatMap { SearchToken.tokens(of: $0) }.map(\.source)))
      .sorted()
    for _ in 0..<300 {
      let latitude = Double.random(in: -90...90, using: &chance)
      let longitude = Double.random(in: -180...180, using: &chance)
      let radius = Double.random(in: 1...20_000, using: &chance)
      let circle = "near:\(latitude.rounded()),\(longitude.rounded()) \(radius.rounded())km"
      var parts = (0..<Int.random(in: 0...2, using: &chance)).compactMap { _ in
        terms.randomElement(using: &chance)
      }
      if Bool.random(using: &chance) { parts.append(circle) }
      if Bool.random(using: &chance) { parts.append("-" + circle) }
      let sign = Bool.random(using: &chance) ? "-" : ""
      let (north, east) = (-latitude.rounded(), (longitude / 2).rounded())
      parts.append(
        "\(sign)section:\(latitude.rounded()),\(longitude.rounded())..\(north),\(east) "
          + "\((radius / 20).rounded(.up))km")
      // Terms that are parts of others, such as `near:` before a radius, may be errors.
      guard let search = try? EventSearch(parts.joined(separator: " "), now: cases.now) else {
        continue
      }
      let query = EventQuery(search: search)
      #expect(try store.page(query).events == all.filter(query.includes), "\(search.text)")
    }
  }

  @Test(
    "Pages, batches and parts of a circle are those of all its events", arguments: StoreForm.single)
  func parts(_ form: StoreForm) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    var chance = SeededGenerator(seed: 17)
    for index in 0..<5_000 {
      try context.insert(
        Event(
          eventID: "nc\(index)", magnitude: Double(index % 5),
          time: Date(timeIntervalSince1970: Double(index % 700)),
          updated: Date(timeIntervalSince1970: 0),
          longitude: Double.random(in: -180...180, using: &chance),
          latitude: Double.random(in: -90...90, using: &chance), type: "earthquake",
          tsunami: false, significance: 0, code: "", net: "nc"),
        as: Quake.self)
    }
    try context.save()
    let search = try EventSearch("near:60,179 7000km")
    for sort in EventQuery.Sort.allCases {
      let query = EventQuery(search: search, sort: sort)
      let wanted = try store.page(EventQuery(sort: sort)).events.filter(query.includes).map(\.id)
      #expect(wanted.count > 300 && wanted.count < 2_500)
      var paged: [String] = []
      for offset in stride(from: 0, to: wanted.count, by: 250) {
        var part = query
        (part.limit, part.offset) = (250, offset)
        let page = try store.page(part)
        #expect(page.total == wanted.count)
        #expect(try store.events(part) == page.events)
        paged += page.events.map(\.id)
      }
      #expect(paged == wanted)
      var batched: [String] = []
      try store.forEachBatch(query) { batched += $0.map(\.id) }
      #expect(batched == wanted)
    }
  }

  @Test("An open quotation mark of one part of a search encloses nothing of the next")
  func parts() throws {
    let search = try EventSearch(parts: ["\"no", "near:\"tokyo\" 100km", "type:earthquake"])
    let separate = ["\"no\"", "near:tokyo 100km", "type:earthquake"]
    #expect(try search.terms == separate.flatMap { try EventSearch($0).terms })
    #expect(search.places.count == 1)
    // A distance belongs to the term before it only within a part, and is nothing by itself.
    #expect(throws: SearchError.self) { try EventSearch(parts: ["near:tokyo", "300km"]) }
  }

  @Test("Each place of the list has the key by which it is looked up, and is found by it")
  func places() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/QuakesKit/Resources/places.txt.gz")
    let bytes = try GzipDecoder.expand(Array(Data(contentsOf: file)), limit: 16 << 20)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("=") }
    #expect(lines.count > 40_000)
    // They are searched by halving.
    let keys = lines.map { Array($0.utf8.prefix { $0 != UInt8(ascii: "\t") }) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
    var others = 0
    for (number, line) in lines.enumerated() {
      let fields = line.components(separatedBy: "\t")
      let isOther = Gazetteer.key(fields[1]) != fields[0]
      if isOther {
        others += 1
        // A name in another language, in the form in which it is looked up.
        #expect(Gazetteer.key(fields[0]) == fields[0], "\(fields[1])")
      }
      guard number.isMultiple(of: 10) else { continue }
      #expect(Gazetteer.own.place(isOther ? fields[0] : fields[1]) != nil, "\(fields[1])")
    }
    #expect(others > 20_000 && lines.count - others > 40_000)
  }

  @Test("A place has its names in other languages, after the places that have them as their own")
  func otherNames() {
    let names = [
      "München": "Munich, Germany", "muenchen": "Munich, Germany", "Firenze": "Florence, Italy",
      "genova,italy": "Genoa, Italy", "Москва": "Moscow, Russia",
      "Αθήνα": "Athens, Greece", "東京": "Tokyo, Japan", "仙台": "Sendai, Japan",
      "ロサンゼルス": "Los Angeles, California", "서울": "Seoul, South Korea",
      "valencia,es": "Valencia, Spain", "Valencia": "Valencia, Venezuela",
    ]
    for (name, full) in names { #expect(Gazetteer.own.place(name)?.fullName == full, "\(name)") }
    // Proposals are places' own names.
    #expect(!Gazetteer.own.suggestions("minkhe").contains("minkhen"))
    #expect(Gazetteer.own.place("münchen,france") == nil)
  }

  @Test("Of several places with a name the most important one is meant, or that of a region")
  func regions() throws {
    let names = [
      "paris": "Paris, France", "Paris,TX": "Paris, Texas", "paris, texas": "Paris, Texas",
      "paris,usa": "Paris, Texas", "paris,fra": "Paris, France", "Łódź": "Łódź, Poland",
      "lodz": "Łódź, Poland", "new_york": "New York City, New York",
      "sao-paulo": "São Paulo, Brazil",
      "springfield,il": "Springfield, Illinois", "misato, saitama": "Misato, Saitama, Japan",
    ]
    for (name, full) in names { #expect(Gazetteer.own.place(name)?.fullName == full) }
    #expect(Gazetteer(nil).place("paris") == nil && Gazetteer(nil).failure != nil)
    for name in ["", ",", "nowhere at all", "tokyo,france", "\n", "paris\t"] {
      #expect(Gazetteer.own.place(name) == nil || name == "paris\t", "\(name)")
    }
  }
}
