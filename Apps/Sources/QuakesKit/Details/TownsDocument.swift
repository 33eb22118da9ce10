import WireFormats

/// The file of the towns near an event: an array of objects.
enum TownsDocument {
  /// The maximum number of towns that are kept. The files have five.
  static let limit = 10
  private static let longestName = 120
  private static let directions: Set<String> = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
  ]

  /// Reads a file.
  /// - Returns: The towns, nearest first; those with impossible values are left out.
  /// - Throws: `JSONError`, and ``DetailDocument/Refusal`` when it is no array.
  static func read(_ bytes: [UInt8]) throws -> [EventDetails.Town] {
    var towns: [EventDetails.Town] = []
    try JSONReader.read(bytes) { reader in
      guard try reader.kind() == .array else {
        throw DetailDocument.Refusal(reason: "it is no list of towns")
      }
      try reader.array { reader in
        guard let town = try town(&reader), towns.count < 10 * limit else { return }
        towns.append(town)
      }
    }
    return Array(towns.sorted { $0.distance < $1.distance }.prefix(limit))
  }

  private static func town(_ reader: inout JSONReader) throws -> EventDetails.Town? {
    var name: String?
    var direction: String?
    var numbers: [String: Double] = [:]
    try reader.members { reader, member in
      switch member {
      case "name": name = try reader.text(upTo: longestName)
      case "direction": direction = try reader.text(upTo: 3)
      case "distance", "latitude", "longitude", "population":
        numbers[member] = try reader.finiteNumber()
      default: try reader.skipValue()
      }
    }
    guard let name, !name.isEmpty, let distance = numbers["distance"],
      (0...20_100).contains(distance), let longitude = numbers["longitude"],
      abs(longitude) <= 180, let latitude = numbers["latitude"], abs(latitude) <= 90
    else { return nil }
    let population = numbers["population"].flatMap { (0...1e9).contains($0) ? Int($0) : nil }
    return EventDetails.Town(
      name: name, distance: distance,
      direction: direction.flatMap { directions.contains($0) ? $0 : nil }, longitude: longitude,
      latitude: latitude, population: population)
  }
}
