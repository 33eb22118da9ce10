import SwiftData

@Model
final class ActorRecord {
  var name: String = ""

  init() {}
}

@ModelActor
actor RecordImporter {
  var counter = 0

  func records() throws -> [ActorRecord] {
    try modelContext.fetch(FetchDescriptor<ActorRecord>())
  }
}

func reachIn(_ importer: RecordImporter, _ id: PersistentIdentifier) async throws {
  _ = importer.modelContext
  _ = await importer.modelContext
  importer.counter += 1
  _ = try await importer.records()
  _ = await importer[id, as: ActorRecord.self]
}
