import Foundation
import Testing

/// The documents show parts of programs. The tests add the parts that are missing (the types that the documents mention
/// and don't show, the functions that contain the statements) and leave the listings unchanged.
@Suite(
  "The listings of the documents compile and run", .serialized,
  .enabled(if: SeedListings.folder != nil, "the documents are not in ../shared/seeds"))
struct SeedListingTests {
  @Test("the earthquake sample keeps a local copy", arguments: ["000_", "002_"])
  func localCopy(document: String) async throws {
    let folder = try #require(SeedListings.folder)
    let seeds = try SeedListings(document: document, in: folder)
    let source = """
      \(try seeds.listing(with: "class Quake"))
      import Foundation
      import FoundationNetworking
      \(try seeds.listing(with: "struct Location"))
      \(try seeds.listing(with: "struct GeoFeatureCollection"))
      enum DownloadError: Error { case missingData, wrongDataFormat(error: Error) }
      extension Quake {
        convenience init(
          code: String, magnitude: Double, time: Date, name: String, longitude: Double,
          latitude: Double
        ) {
          self.init(
            code: code, magnitude: magnitude, time: time,
            location: Location(name: name, longitude: longitude, latitude: latitude))
        }
        \(try seeds.listing(with: "convenience init(from feature"))
      }
      func download(from url: URL) async throws -> Data {
        \(try seeds.listing(with: "URLSession.shared"))
        return data
      }
      func decode(_ data: Data) throws -> GeoFeatureCollection {
        \(try seeds.listing(with: "let jsonDecoder"))
      }
      func load(_ featureCollection: GeoFeatureCollection, _ modelContext: ModelContext) {
        \(try seeds.listing(with: "for feature in featureCollection.features"))
      }
      func feature(_ code: String, _ magnitude: Double) -> String {
        \"\"\"
        {"properties": {"mag": \\(magnitude), "place": "p", "time": 1000, "code": "\\(code)"},
         "geometry": {"coordinates": [1, 2, 3]}}
        \"\"\"
      }
      let container = try ModelContainer(
        for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      for features in [[feature("a", 1), feature("b", -1)], [feature("a", 2), feature("c", 3)]] {
        let data = Data("{\\"features\\": [\\(features.joined(separator: ","))]}".utf8)
        load(try decode(data), context)
        try context.save()
      }
      let quakes = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\\.code)]))
      print(quakes.map { "\\($0.code) \\($0.magnitude) \\($0.location.latitude)" })
      """
    let printed = try await CompiledProgram.run(source)
    #expect(printed == "[\"a 2.0 2.0\", \"c 3.0 2.0\"]\n")
  }

  /// Two listings of this document compile on no system, including Apple's: one changes a constant and calls a throwing
  /// method without `try`, and `Date.now` isn't an expression that `#Predicate` accepts. The test corrects only these.
  @Test("the basics: trips with accommodation")
  func basics() async throws {
    let folder = try #require(SeedListings.folder)
    let seeds = try SeedListings(document: "004_", in: folder)
    let trip = try seeds.listing(with: "class Trip")
    let model = trip.replacingOccurrences(of: "var name: String", with: "")
      .replacingOccurrences(of: "var accommodation: Accommodation?", with: "")
    let fetch = try seeds.listing(with: "let upcomingTrips")
      .replacingOccurrences(of: "let upcomingTrips", with: "let now = Date.now\nvar upcomingTrips")
      .replacingOccurrences(of: "Date.now }", with: "now }")
      .replacingOccurrences(of: "context.fetch(", with: "try context.fetch(")
    let annotated = [
      try seeds.listing(with: "@Attribute(.unique)"), try seeds.listing(with: "@Relationship("),
      try seeds.listing(with: "@Transient"),
    ].joined(separator: "\n")
    let source = """
      import SwiftData
      enum AsItStands {
        \(trip)
        @Model class Accommodation { var name: String = "" }
      }
      struct Weather {
        static func current() -> Weather { Weather() }
      }
      @Model class Accommodation { var name: String = "" }
      \(model.replacingOccurrences(of: "class Trip {", with: "class Trip {\n\(annotated)"))
      do {
        \(try seeds.listing(with: "let container = try ModelContainer([")
          .replacingOccurrences(of: "import SwiftData", with: ""))
        _ = container
      }
      \(try seeds.listing(with: "let configuration = ModelConfiguration(")
        .replacingOccurrences(of: ", allowsSave: false", with: ""))
      let name = "Alps", destination = "Chamonix"
      let startDate = Date.now.addingTimeInterval(1000), endDate = startDate
      @MainActor func run() throws {
        do {
          let context = container.mainContext
          \(try seeds.listing(with: "var trip = Trip("))
          trip.accommodation = Accommodation()
          trip.accommodation?.name = "Hut"
          \(try seeds.listing(with: "context.insert(trip)"))
          try context.save()
        }
        do {
          \(fetch)
          print(results.map { "\\($0.name) \\($0.accommodation?.name ?? "-")" })
          for result in results { context.delete(result) }
          try context.save()
          print(try context.fetchCount(FetchDescriptor<Accommodation>()))
        }
      }
      try MainActor.assumeIsolated { try run() }
      """
    #expect(try await CompiledProgram.run(source) == "[\"Alps Hut\"]\n0\n")
  }
}
