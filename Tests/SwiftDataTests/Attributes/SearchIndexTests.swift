import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataSQLite
import Testing

@Model
final class Site {
  #Index<Site>(.rtree([\.latitude, \.longitude]), .binary([\.rank]))
  @Attribute(.unique) var code: String
  var latitude: Double
  var longitude: Double
  var rank: Int
  @Attribute(.spotlight) var name: String

  init(code: String, latitude: Double, longitude: Double, rank: Int = 0, name: String = "") {
    self.code = code
    self.latitude = latitude
    self.longitude = longitude
    self.rank = rank
    self.name = name
  }
}

@Suite("R*Tree and text indices speed searches up and change no answer")
struct SearchIndexTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try memoryContainer(Site.self)
    context = ModelContext(container)
  }

  private func searches(_ predicate: Predicate<Site>) throws -> [String] {
    let store = try #require(container.core.stores.first as? DefaultStore)
    let plan = try #require(store.plans.first { $0.name == "Site" })
    return try store.searches(for: LoweredPredicate(predicate), plan).map(\.sql)
  }

  /// Compares the store's results with the predicate's own evaluation, in a context without pending
  /// changes.
  @discardableResult
  private func check(
    _ predicate: Predicate<Site>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let fresh = ModelContext(container)
    let found = try fresh.fetch(FetchDescriptor<Site>(predicate: predicate)).map(\.code).sorted()
    let wanted = try fresh.fetch(FetchDescriptor<Site>()).filter { try predicate.evaluate($0) }
      .map(\.code).sorted()
    #expect(found == wanted, sourceLocation: sourceLocation)
    return found
  }

  private static let coordinates: [Double] = [
    0, -0.0, 0.1, 1, 1.0000000001, 16_777_217, -90, 90, 180, -180, 1e-40, 3.5e38, -3.5e38, 1e300,
    .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ]

  @Test("a range on both properties is looked up in the tree", arguments: 1...StoreKind.rounds(3))
  func ranges(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func coordinate() -> Double {
      if Int.random(in: 0..<3, using: &random) == 0,
        let edge = Self.coordinates.randomElement(using: &random)
      {
        return edge
      }
      return Double.random(in: -180...180, using: &random)
    }
    for index in 0..<300 {
      context.insert(Site(code: "\(index)", latitude: coordinate(), longitude: coordinate()))
    }
    try context.save()
    var answers = 0
    for _ in 0..<60 {
      let (a, b, c, d) = (coordinate(), coordinate(), coordinate(), coordinate())
      answers += try check(
        #Predicate { $0.latitude >= a && $0.longitude > c && $0.latitude <= b }
      ).count
      answers += try check(
        #Predicate { $0.latitude < b && $0.longitude < d }
      ).count
      answers += try check(#Predicate { a < $0.latitude && c >= $0.longitude }).count
      try check(#Predicate { $0.latitude == a && $0.longitude == c })
      if a <= b, c < d {
        let rows = a...b
        answers += try check(
          #Predicate { rows.contains($0.latitude) && (c..<d).contains($0.longitude) }
        ).count
      }
      try check(#Predicate { !($0.latitude > a && $0.longitude > c) })
      try check(#Predicate { $0.latitude > a || $0.longitude > c })
    }
    #expect(answers > 1000)
  }

  @Test(
    "the tree is asked where it can answer, and only there",
    .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's indices"))
  func treeUse() throws {
    // The literals would take the compiler seconds.
    let (one, zero, two) = (1.0, 0, 2.0)
    let both = #Predicate<Site> { $0.latitude > one && $0.rank == zero && $0.longitude < two }
    #expect(
      try searches(both) == [
        "SELECT id FROM \"Site_latitude_longitude_rtree\" WHERE max0 >= ? AND min1 <= ?"
      ])
    #expect(try searches(#Predicate { $0.latitude > 1 && $0.latitude < 2 }).isEmpty)
    #expect(try searches(#Predicate { $0.latitude > 1 || $0.longitude > 2 }).isEmpty)
    #expect(try searches(#Predicate { !($0.latitude > 1 && $0.longitude > 2) }).isEmpty)
    #expect(try searches(#Predicate { $0.latitude > $0.longitude }).isEmpty)
  }

  @Test(
    "the tree is left aside where it would find more rows than reading the table costs",
    .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's indices"))
  func selectivity() throws {
    for index in 0..<400 {
      context.insert(Site(code: "\(index)", latitude: Double(index), longitude: 0, rank: index))
    }
    try context.save()
    let store = try #require(container.core.stores.first as? DefaultStore)
    let plan = try #require(store.plans.first { $0.name == "Site" })
    func isAsked(below latitude: Double, limit: Int?) throws -> Bool {
      let predicate = #Predicate<Site> { $0.latitude < latitude && $0.longitude < 1 }
      var request = StoreRequest<Site>(plan: plan)
      request.limit = limit
      var descriptor = FetchDescriptor(
        predicate: predicate, sortBy: [SortDescriptor(\.rank)])
      descriptor.fetchLimit = limit
      let found = try ModelContext(container).fetch(descriptor).map(\.rank)
      #expect(found == Array(0..<min(Int(latitude), limit ?? 400)))
      return try !store.searchConditions(for: LoweredPredicate(predicate), request).isEmpty
    }
    #expect(try isAsked(below: 400, limit: nil))
    #expect(try isAsked(below: 50, limit: 10))
    #expect(try !isAsked(below: 400, limit: 10))
    #expect(DefaultStore.maximumUsefulRows(of: 80_000, limit: nil) == 10_000)
    #expect(DefaultStore.maximumUsefulRows(of: 80_000, limit: 50) == 2_000)
  }

  @Test("triggers keep the tree through edits, upserts and deletions")
  func treeUpkeep() throws {
    let site = Site(code: "a", latitude: 10, longitude: 10)
    context.insert(site)
    context.insert(Site(code: "b", latitude: 20, longitude: 20))
    try context.save()
    let near = #Predicate<Site> {
      (9.0..<11.0).contains($0.latitude) && (9.0..<11.0).contains($0.longitude)
    }
    #expect(try check(near) == ["a"])
    site.latitude = 50
    try context.save()
    #expect(try check(near).isEmpty)
    let batch = try BatchUpsert<Site>(container)
    #expect(try batch.upsert(Site(code: "b", latitude: 10, longitude: 10.5)) == .updated)
    #expect(try batch.upsert(Site(code: "a", latitude: 50, longitude: 10)) == .unchanged)
    #expect(try batch.upsert(Site(code: "c", latitude: .nan, longitude: 10)) == .inserted)
    try batch.commit()
    #expect(try check(near) == ["b"])
    let other = ModelContext(container)
    for site in try other.fetch(FetchDescriptor<Site>(predicate: near)) { other.delete(site) }
    try other.save()
    #expect(try check(near).isEmpty)
  }

  private static let words = [
    "Café", "CAFE", "cafe\u{301}", "Ångström", "angstrom", "straße", "STRASSE", "İstanbul",
    "istanbul",
    "ｶﾞ", "ガ", "ＡＢＣ", "abc", "한국", "Ελλάς", "ελλασ", "naïve \"quoted\"",
    StoreKind.tested == .sqlite ? "a\u{0}bcd" : "a bcd", "O'Hara",
    "ﬁsh", "fish", "🌍🌋", "100 % sure", "co\u{300}\u{301}te", "Ⅷ", "AND OR NOT", "x", "",
  ]

  @Test(
    "substrings are found as in memory, with any letters, case and marks",
    arguments: 4..<4 + StoreKind.rounds(2))
  func texts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func word() -> String { Self.words.randomElement(using: &random) ?? "" }
    for index in 0..<250 {
      let name = (0..<Int.random(in: 0..<4, using: &random)).map { _ in word() }.joined(
        separator: " ")
      context.insert(Site(code: "\(index)", latitude: 0, longitude: 0, name: name))
    }
    try context.save()
    var answers = 0
    for _ in 0..<120 {
      let whole = Array(word().unicodeScalars)
      let start = Int.random(in: 0...whole.count, using: &random)
      let end = Int.random(in: start...whole.count, using: &random)
      var part = ""
      part.unicodeScalars.append(contentsOf: whole[start..<end])
      answers += try check(#Predicate { $0.name.localizedStandardContains(part) }).count
    }
    for part in Self.words + ["AFE", "\"quo", "trasse", "\u{301}te", "bcd", "% s"] {
      answers += try check(#Predicate { $0.name.localizedStandardContains(part) }).count
    }
    #expect(answers > 1000)
  }

  @Test(
    "the text index is asked for parts of three scalars and more",
    .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's indices"))
  func textUse() throws {
    #expect(
      try searches(#Predicate { $0.name.localizedStandardContains("caf") && $0.rank == 1 }) == [
        "SELECT rowid FROM \"Site_name_search\" WHERE \"Site_name_search\" MATCH ?"
          + " UNION ALL SELECT row FROM \"_search_stale\" WHERE source = 'Site_name_search'"
      ])
    #expect(try searches(#Predicate { $0.name.localizedStandardContains("ca") }).isEmpty)
    #expect(try searches(#Predicate { !$0.name.localizedStandardContains("cafe") }).isEmpty)
    #expect(try searches(#Predicate { $0.code.localizedStandardContains("cafe") }).isEmpty)
  }

  @Test("triggers keep the text index through edits, upserts and deletions")
  func textUpkeep() throws {
    let site = Site(code: "a", latitude: 0, longitude: 0, name: "Mount Erebus")
    context.insert(site)
    context.insert(Site(code: "b", latitude: 0, longitude: 0, name: "Fuji"))
    try context.save()
    let erebus = #Predicate<Site> { $0.name.localizedStandardContains("érebus") }
    #expect(try check(erebus) == ["a"])
    site.name = "Mount Terror"
    try context.save()
    #expect(try check(erebus).isEmpty)
    let batch = try BatchUpsert<Site>(container)
    #expect(
      try batch.upsert(Site(code: "b", latitude: 0, longitude: 0, name: "EREBUS")) == .updated)
    try batch.commit()
    #expect(try check(erebus) == ["b"])
    try container.erase()
    #expect(try check(erebus).isEmpty)
  }

  @Test(
    "the file has both, and a file of an earlier schema gets them, filled",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func file() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Site.self))
      context.insert(Site(code: "a", latitude: 1, longitude: 1, name: "Vesuvius"))
      try context.save()
    }
    let names =
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema"
      + " WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name)"
    #expect(try store.value(names) == "Site_latitude_longitude_rtree,Site_name_search")
    for name in try store.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try store.execute("DROP TRIGGER \"\(try #require(name))\"")
    }
    try store.execute("DROP TABLE Site_name_search")
    try store.execute("DROP TABLE Site_latitude_longitude_rtree")
    let predicate = #Predicate<Site> {
      $0.latitude > 0 && $0.longitude > 0 && $0.name.localizedStandardContains("suv")
    }
    let reading = ModelContext(try store.container(Site.self, allowsSave: false))
    #expect(try reading.fetchCount(FetchDescriptor<Site>(predicate: predicate)) == 1)
    let context = ModelContext(try store.container(Site.self))
    #expect(try context.fetchCount(FetchDescriptor<Site>(predicate: predicate)) == 1)
    #expect(try store.value("SELECT count(*) FROM Site_latitude_longitude_rtree") == "1")
    // A text index that was created with another folding is rebuilt.
    try store.execute("UPDATE _metadata SET value = 'other' WHERE key = 'searchFolding'")
    try store.execute("INSERT INTO Site_name_search (Site_name_search) VALUES ('delete-all')")
    let again = ModelContext(try store.container(Site.self))
    #expect(try again.fetchCount(FetchDescriptor<Site>(predicate: predicate)) == 1)
  }

  @Test(
    "a batch of many rows leaves the text index in one segment, a small save adds one",
    .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's indices"))
  func segments() throws {
    let store = try TemporaryStore()
    let container = try store.container(Site.self)
    try container.batchInsert(
      (0..<30_000).lazy.map { number in
        Site(
          code: "\(number)", latitude: 0, longitude: 0,
          name: "Station \(number) at the harbour of \(number &* 7_919)")
      })
    let segments = "SELECT count(DISTINCT segid) FROM Site_name_search_idx"
    #expect(try store.value(segments) == "1")
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    let context = ModelContext(container)
    context.insert(Site(code: "last", latitude: 0, longitude: 0, name: "Vesuvius"))
    try context.save()
    #expect(try store.value(segments) == "2")
    let found = #Predicate<Site> { $0.name.localizedStandardContains("Station 29999 ") }
    #expect(try context.fetch(FetchDescriptor(predicate: found)).map(\.code) == ["29999"])
  }
}
