import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras
import Testing

@testable import TestSupport

@Suite("Queries of the store")
struct QuakeStoreTests {
  /// Returns a store with forty events, one per minute, with magnitudes 0.0 to 3.9, every eighth
  /// without one.
  private func filled(_ form: StoreForm) throws -> QuakeStore {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for index in 0..<40 {
      let place = ["\"5 km N of Tōkyō, Japan\"", "\"Central Alaska\"", "null"][index % 3]
      let magnitude = index % 8 == 0 ? "null" : "\(Double(index) / 10)"
      let text = Fixture.feature(
        "nc\(index)", magnitude: magnitude, place: place, time: index * 60_000)
      context.insert(try Quake(JSONDecoder().decode(SentFeature.self, from: Data(text.utf8))))
    }
    try context.save()
    return store
  }

  /// Returns the expected results of a query, computed from plain values.
  private func expected(_ query: EventQuery, _ all: [Event]) -> [Event] {
    var found = all.filter { event in
      if let minimum = query.minimumMagnitude {
        guard let magnitude = event.magnitude, magnitude >= minimum else { return false }
      }
      if let since = query.since, event.time < since { return false }
      if let text = query.search?.text {
        return event.place?.localizedStandardContains(text) ?? false
      }
      return true
    }
    let sign = query.order == .ascending ? 1.0 : -1.0
    // Those without a magnitude are last in both directions.
    let unknown = sign * 99
    found.sort { left, right in
      let keys: (Double, Double) =
        switch query.sort {
        case .magnitude: (left.magnitude ?? unknown, right.magnitude ?? unknown)
        default: (left.time.timeIntervalSince1970, right.time.timeIntervalSince1970)
        }
      if keys.0 != keys.1 { return sign * keys.0 < sign * keys.1 }
      return left.time == right.time ? left.id < right.id : left.time > right.time
    }
    return found
  }

  @Test(
    "Every combination of conditions and orders gives the same as plain values",
    arguments: StoreForm.single)
  func combinations(_ form: StoreForm) throws {
    let store = try filled(form)
    let all = try store.page(EventQuery()).events
    #expect(all.count == 40)
    for minimum in [nil, 2.5, -1] as [Double?] {
      for since in [nil, Date(timeIntervalSince1970: 600)] {
        for search in [nil, "tokyo", "ALASKA", "50%"] as [String?] {
          for sort in [EventQuery.Sort.time, .magnitude] {
            for order in EventQuery.Order.allCases {
              let query = EventQuery(
                minimumMagnitude: minimum, since: since,
                search: try search.map { try EventSearch($0) }, sort: sort, order: order)
              let page = try store.page(query)
              let wanted = expected(query, all)
              #expect(page.events == wanted, "\(query)")
              #expect(page.total == wanted.count)
              #expect(all.filter(query.includes).count == wanted.count)
            }
          }
        }
      }
    }
  }

  @Test(
    "Upper limits, depths and their combinations give the same as plain values",
    arguments: StoreForm.single)
  func limits(_ form: StoreForm) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for index in 0..<60 {
      let magnitude: Double? = index % 7 == 0 ? nil : Double(index % 11) / 2
      let depth: Double? = index % 5 == 0 ? nil : Double(index % 9) * 10 - 10
      try context.insert(
        Event(
          eventID: "nc\(index)", magnitude: magnitude,
          time: Date(timeIntervalSince1970: Double(index) * 60),
          updated: Date(timeIntervalSince1970: 0), longitude: 0, latitude: 0, depth: depth,
          type: "earthquake", tsunami: false, significance: 0, code: "\(index)", net: "nc"),
        as: Quake.self)
    }
    try context.save()
    let all = try store.page(EventQuery()).events
    #expect(all.count == 60)
    let depths: [(Double?, Double?)] = [(nil, nil), (0, nil), (nil, 20), (10, 10)]
    for least in [nil, 1.5] as [Double?] {
      for most in [nil, 4, 1] as [Double?] {
        for until in [nil, Date(timeIntervalSince1970: 1_800)] {
          for (shallow, deep) in depths {
            let query = EventQuery(
              minimumMagnitude: least, maximumMagnitude: most, until: until,
              minimumDepth: shallow, maximumDepth: deep)
            let wanted = all.filter { event in
              if let least, event.magnitude ?? -99 < least { return false }
              if let most, event.magnitude ?? 99 > most { return false }
              if let until, event.time >= until { return false }
              if let shallow, event.depth ?? -999 < shallow { return false }
              if let deep, event.depth ?? 999 > deep { return false }
              return true
            }
            #expect(try store.page(query).events == wanted, "\(query)")
            #expect(all.filter(query.includes) == wanted, "\(query) in memory")
          }
        }
      }
    }
  }

  @Test(
    "Events without a magnitude never pass a filter for magnitudes",
    arguments: StoreForm.single)
  func nullMagnitudes(_ form: StoreForm) throws {
    let store = try filled(form)
    let page = try store.page(EventQuery(minimumMagnitude: -10))
    #expect(page.total == 35 && page.events.allSatisfy { $0.magnitude != nil })
  }

  @Test(
    "Of equal magnitudes the newest are first, and at one time those with the lesser identifier",
    arguments: StoreForm.single, EventQuery.Order.allCases)
  func equalMagnitudes(_ form: StoreForm, _ order: EventQuery.Order) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for (id, magnitude, time) in [
      ("nc1", 4.0, 60), ("nc5", 4.0, 120), ("nc3", 4.0, 120), ("nc4", 5.0, 0), ("nc2", 5.0, 180),
    ] {
      let text = Fixture.feature(id, magnitude: "\(magnitude)", place: "null", time: time * 1_000)
      context.insert(try Quake(JSONDecoder().decode(SentFeature.self, from: Data(text.utf8))))
    }
    try context.save()
    var ids: [String] = []
    for offset in stride(from: 0, to: 6, by: 2) {
      let part = EventQuery(sort: .magnitude, order: order, limit: 2, offset: offset)
      ids += try store.page(part).events.map(\.id)
    }
    let (weak, strong) = (["nc3", "nc5", "nc1"], ["nc2", "nc4"])
    #expect(ids == (order == .ascending ? weak + strong : strong + weak))
  }

  @Test(
    "Places are ordered as people order them, unknown ones last in both directions",
    arguments: StoreForm.single)
  func places(_ form: StoreForm) throws {
    let store = try filled(form)
    for order in EventQuery.Order.allCases {
      let direction = order == .ascending ? ComparisonResult.orderedAscending : .orderedDescending
      let places = try store.page(EventQuery(sort: .place, order: order)).events.map(\.place)
      let known = places.compactMap { $0 }
      #expect(known.count == 27)
      #expect(known == known.sorted { $0.localizedStandardCompare($1) == direction })
      #expect(places.suffix(13).allSatisfy { $0 == nil })
    }
  }

  @Test(
    "Pages have no gaps and no overlap, and include the total",
    arguments: StoreForm.single)
  func pages(_ form: StoreForm) throws {
    let store = try filled(form)
    for order in EventQuery.Order.allCases {
      for sort in EventQuery.Sort.allCases {
        let whole = EventQuery(sort: sort, order: order)
        // Parts of 5 begin where the 35 events with a magnitude end, others lie over it.
        for length in [5, 7, 40] {
          var ids: [String] = []
          for offset in stride(from: 0, to: 45, by: length) {
            var part = whole
            (part.limit, part.offset) = (length, offset)
            let page = try store.page(part)
            #expect(page.total == 40)
            ids += page.events.map(\.id)
          }
          #expect(ids == (try store.page(whole).events.map(\.id)), "\(sort) \(order)")
        }
        #expect(try store.events(whole).map(\.id) == store.page(whole).events.map(\.id))
        let beyond = try store.page(EventQuery(sort: sort, order: order, limit: 5, offset: 100))
        #expect(beyond.events.isEmpty && beyond.total == 40)
      }
    }
  }

  @Test(
    "Batches give all events once, and stop at the limit",
    arguments: StoreForm.single)
  func batches(_ form: StoreForm) throws {
    let store = try filled(form)
    var ids: [String] = []
    try store.forEachBatch(EventQuery(limit: 11)) { ids += $0.map(\.id) }
    #expect(ids == (try store.page(EventQuery(limit: 11)).events.map(\.id)))
    ids = []
    try store.forEachBatch(EventQuery()) { ids += $0.map(\.id) }
    #expect(ids.count == 40)
  }

  @Test(
    "An export has each event once, whatever a refresh changes while it is read",
    arguments: StoreForm.single)
  func changedMeanwhile(_ form: StoreForm) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    func insert(_ id: String, _ second: Int) throws {
      try context.insert(
        Event(
          eventID: id, time: Date(timeIntervalSince1970: Double(second)),
          updated: Date(timeIntervalSince1970: 0), longitude: 179, latitude: 60,
          type: "earthquake", tsunami: false, significance: 0, code: "", net: "nc"),
        as: Quake.self)
    }
    for index in 0..<2_100 { try insert("nc\(index)", index) }
    try context.save()
    for search in [nil, try EventSearch("near:60,179 7000km")] {
      let query = EventQuery(search: search)
      let before = try store.events(query).map(\.id)
      var cursor = try store.cursor(query)
      var read = try cursor.next()?.map(\.id) ?? []
      #expect(read.count == 2_000)
      // Newer events, and withdrawn ones among those that were read.
      for index in 0..<3 { try insert("us\(before.count)-\(index)", 5_000 + index) }
      for id in before.prefix(4) {
        let found = try context.fetch(
          FetchDescriptor<Quake>(predicate: #Predicate { $0.eventID == id }))
        found.first?.withdrawn = Date(timeIntervalSince1970: 9_000)
      }
      try context.save()
      while let part = try cursor.next() { read += part.map(\.id) }
      #expect(read == before)
    }
  }

  @Test(
    "No filter but one of times leaves out events of the remote past, up to the first date of all",
    arguments: StoreForm.single)
  func remotePast(_ form: StoreForm) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for (id, seconds) in [("nc1", -8.64e12), ("nc2", -62_200_000_000), ("nc3", 0)] {
      let time = Date(timeIntervalSince1970: seconds)
      context.insert(
        Quake(
          Event(
            eventID: id, magnitude: 2, time: time, updated: time, longitude: 0, latitude: 0,
            type: "earthquake", tsunami: false, significance: 0, code: "", net: "nc")))
    }
    try context.save()
    for minimum in [nil, 1.0] {
      for withdrawn in [false, true] {
        var query = EventQuery(minimumMagnitude: minimum, includesWithdrawn: withdrawn)
        #expect(try store.events(query).map(\.id) == ["nc3", "nc2", "nc1"])
        query.since = Date(timeIntervalSince1970: -1)
        #expect(try store.events(query).map(\.id) == ["nc3"])
      }
    }
  }

  @Test("All values come back as they went in", arguments: StoreForm.single)
  func roundTrip(_ form: StoreForm) throws {
    let text = Fixture.feature("us7", magnitude: "6.75", place: "null", time: -1, depth: "null")
    let event = try JSONDecoder().decode(FeedEvent.self, from: Data(text.utf8)).event
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    context.insert(Quake(event))
    try context.save()
    #expect(try store.event(id: "us7")?.withoutModel == event)
    #expect(try store.event(id: "us8") == nil)
    #expect(try store.count() == 1)
  }

  @Test("A file that is no store is an error that names it, and stays as it is")
  func foreignFile() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("notes.txt", String(repeating: "not a store\n", count: 500))
    #expect { try QuakeStore(file: file) } throws: { error in
      (error as? QuakesError)?.code == .storeFailure && "\(error)".contains(file.path)
    }
    #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("not a store"))
  }

  @Test("A folder that can't be made is told in the system's words")
  func unmade() throws {
    let file = URL(fileURLWithPath: "/dev/null/folder/a.store")
    let error = try #require(throws: QuakesError.self) { _ = try QuakeStore(file: file) }
    #expect(error.description.contains("the store cannot be opened: "))
    #expect(!error.description.contains("Domain"), "\(error)")
  }

  @Test("The store is in the folder that XDG defines")
  func place() {
    #if !canImport(Darwin)
      #expect(
        StorePlace.standard(environment: ["XDG_DATA_HOME": "/data"]).path
          == "/data/quakes/quakes.store")
      for odd in ["", "relative"] {
        let file = StorePlace.standard(environment: ["XDG_DATA_HOME": odd, "HOME": "/home/x"])
        #expect(file.path == "/home/x/.local/share/quakes/quakes.store")
      }
    #endif
  }
}
