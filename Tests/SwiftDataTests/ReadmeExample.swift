import SwiftData

@Model
final class Station {
  @Attribute(.unique) var code: String
  var name: String
  var elevation: Double

  init(code: String, name: String, elevation: Double) {
    self.code = code
    self.name = name
    self.elevation = elevation
  }
}

func highStations(in file: URL) throws -> [String] {
  let container = try ModelContainer(
    for: Station.self, configurations: ModelConfiguration(url: file))
  let context = ModelContext(container)
  context.insert(Station(code: "ANMO", name: "Albuquerque", elevation: 1_820))
  context.insert(Station(code: "KBS", name: "Ny-Ålesund", elevation: 40))
  try context.save()

  // The code is known: the stored station gets the new values, and there is no second one.
  context.insert(Station(code: "KBS", name: "Ny-Ålesund", elevation: 90))
  try context.save()

  let high = FetchDescriptor<Station>(
    predicate: #Predicate { $0.elevation > 50 }, sortBy: [SortDescriptor(\.name)])
  return try context.fetch(high).map { "\($0.name): \($0.elevation) m" }
}
