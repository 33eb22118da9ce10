import LocalCopy
import SwiftData
import SwiftDataExtras

@Model @Snapshotable
final class Station {
  @Attribute(.unique) var code: String
  var name: String
  @SnapshotIgnored var network: Network?

  init(_ sent: SentStation) {
    code = sent.id
    name = sent.properties.name ?? "unnamed"
  }
}

@Model
final class Network {
  var name = ""

  init() {}
}

@FeedElement
struct SentStation: Decodable {
  @FeedElement
  struct Properties: Decodable {
    var name: String?
  }

  var id: String
  var properties: Properties
}

func stationCopy(of address: String, into container: ModelContainer) throws -> LocalCopy<
  SentStation, Station
> {
  try LocalCopy(
    of: FeedSource(address), elements: "features", decode: SentStation.self, into: container
  ) { Station($0) }
}

func named(_ name: String, in container: ModelContainer) throws -> [Station.Snapshot] {
  try container.snapshots(FetchDescriptor<Station>(predicate: #Predicate { $0.name == name }))
}
