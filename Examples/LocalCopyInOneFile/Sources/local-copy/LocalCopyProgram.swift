import Foundation
import LocalCopy
import SwiftData

/// An earthquake as this program keeps it.
@Model
final class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var place: String
  var time: Date

  init(code: String, magnitude: Double, place: String, time: Date) {
    self.code = code
    self.magnitude = magnitude
    self.place = place
    self.time = time
  }
}

/// An earthquake as the feed has it.
@FeedElement
struct SentQuake: Decodable {
  @FeedElement
  struct Properties: Decodable {
    var mag: Double?
    var place: String?
    var time: Date
  }
  var id: String
  var properties: Properties
}

/// `local-copy [STORE [FEED]]`: the strongest earthquakes of the past day, also without a network.
@main
struct LocalCopyProgram {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let file = URL(filePath: arguments.first ?? "quakes.store")
    let feed =
      arguments.dropFirst().first
      ?? "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson"
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: file))

    var configuration = LocalCopyConfiguration()
    configuration.decoding.dates = .millisecondsSince1970
    let copy = try LocalCopy(
      of: FeedSource(feed), elements: "features", decode: SentQuake.self, into: container,
      configuration: configuration
    ) { sent in
      // Events without a magnitude are left out.
      sent.properties.mag.map {
        Quake(
          code: sent.id, magnitude: $0, place: sent.properties.place ?? "unknown place",
          time: sent.properties.time)
      }
    }
    do {
      let report = try await copy.refresh()
      print("\(report.inserted) new, \(report.updated) changed, \(report.skipped) skipped")
    } catch {
      print("From the last refresh, because: \(error.localizedDescription)")
    }

    var strongest = FetchDescriptor<Quake>(
      sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    strongest.fetchLimit = 5
    for quake in try ModelContext(container).fetch(strongest) {
      print(quake.magnitude, quake.place, quake.time.formatted(.iso8601))
    }
  }
}
