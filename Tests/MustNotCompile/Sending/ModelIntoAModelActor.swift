import SwiftData

@Model
final class PassedRecord {
  var name: String = ""

  init() {}
}

@ModelActor
actor PassedImporter {
  func adopt(_ record: PassedRecord) throws {
    modelContext.insert(record)
    try modelContext.save()
  }
}

@MainActor
func pass(_ record: PassedRecord, to importer: PassedImporter) async throws {
  try await importer.adopt(record)
  record.name = "after"
}
