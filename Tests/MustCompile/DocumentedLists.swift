// The unchanged code of docs/live-results.md and docs/snapshots.md.

import Foundation
import SwiftData
import SwiftDataExtras

@Model final class DocumentedTrip {
  var country: String
  var start: Date

  init(country: String, start: Date) {
    self.country = country
    self.start = start
  }
}

func printSections(_ context: ModelContext) throws {
  let list = try ResultsObserver<DocumentedTrip, String>(
    sortBy: [SortDescriptor(\.start)], sectionBy: \.country, modelContext: context)
  if let sections = list.sections {
    for section in sections { print(section.title, section.count) }
  }
}

@Model @Snapshotable final class DocumentedQuake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  @SnapshotIgnored var rawFeed: Data?

  init(code: String, magnitude: Double) {
    self.code = code
    self.magnitude = magnitude
  }
}

func strongOnes(_ container: ModelContainer) throws -> Data {
  let strong: [DocumentedQuake.Snapshot] = try container.snapshots(
    FetchDescriptor<DocumentedQuake>(predicate: #Predicate { $0.magnitude > 6 }))
  return try JSONEncoder().encode(strong)
}
