import SwiftData

/// Work beside the main actor, with the same models.
@ModelActor
actor LibraryImporter {
  func write(_ titles: [String]) throws -> [PersistentIdentifier] {
    try modelContext.delete(model: Novel.self)
    let author = Author(name: "unknown")
    author.agent = Agency(name: "agency", place: "Oslo")
    modelContext.insert(author)
    for title in titles {
      author.novels.append(Novel(isbn: UUID().uuidString, title: title))
    }
    try modelContext.save()
    return author.novels.map(\.persistentModelID)
  }

  func widest() throws -> Int? {
    var descriptor = FetchDescriptor<Novel>(sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchLimit = 1
    return try modelContext.fetch(descriptor).first?.size.width
  }
}

enum LibraryV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Author.self, Novel.self, Agent.self, Agency.self]
  }
}

enum LibraryPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self] }
  static var stages: [MigrationStage] { [] }
}

func libraryContainer() throws -> ModelContainer {
  try ModelContainer(
    for: Schema(versionedSchema: LibraryV1.self), migrationPlan: LibraryPlan.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// A closure that leaves the main actor.
func importInBackground(_ titles: [String], _ container: ModelContainer) -> Task<Int, any Error> {
  Task.detached {
    let context = ModelContext(container)
    for title in titles { context.insert(Novel(isbn: title, title: title)) }
    try context.save()
    return try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.born != nil }))
  }
}
