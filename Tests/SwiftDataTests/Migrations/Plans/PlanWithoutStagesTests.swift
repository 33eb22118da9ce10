import SwiftData
import Testing

private typealias E = ErrandVersions

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [E.V1.self, E.V2.self, E.V4.self] }
  static var stages: [MigrationStage] { [] }
}

/// The first version, which was edited instead of frozen.
private enum Edited: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Errand.self] }
  static var versionIdentifier: Schema.Version { E.V1.versionIdentifier }

  @Model
  final class Errand {
    var what: String
    var amount: Int
    var urgent: Bool = false
    init(_ what: String, amount: Int) {
      self.what = what
      self.amount = amount
    }
  }
}

private enum PlanOfEdited: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Edited.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite(
  "Migration plans without stages",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct PlanWithoutStagesTests {
  private func open(
    _ store: TemporaryStore, _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = Plan.self
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: [ModelConfiguration(url: store.file)])
  }

  private func fill(_ store: TemporaryStore) throws {
    let context = ModelContext(try open(store, E.V1.self))
    for (number, what) in ["milk", "bread", "milk"].enumerated() {
      context.insert(E.V1.Errand(what, amount: number + 1))
    }
    try context.save()
  }

  @Test("the way to a newer version is inferred, and the file has that version then")
  func inferred() throws {
    let store = try TemporaryStore()
    try fill(store)
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: E.V2.self), migrationPlan: Plan.self,
      configuration: ModelConfiguration(url: store.file))
    #expect(preview.stages.map(\.name) == ["inferred"])
    for _ in 1...2 {
      let context = ModelContext(try open(store, E.V2.self))
      let errands = try context.fetch(
        FetchDescriptor<E.V2.Errand>(sortBy: [SortDescriptor(\.amount)]))
      #expect(errands.map(\.what) == ["milk", "bread", "milk"])
      #expect(try context.fetchCount(FetchDescriptor<E.V2.Shop>()) == 0)
    }
    #expect(try store.value("SELECT value FROM _metadata WHERE key = 'schema.version'") == "2.0.0")
  }

  @Test("a version may get a property with a default value after it was shipped")
  func editedVersion() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = ModelContext(try open(store, Edited.self, PlanOfEdited.self))
    let errands = try context.fetch(
      FetchDescriptor<Edited.Errand>(sortBy: [SortDescriptor(\.amount)]))
    #expect(errands.map(\.what) == ["milk", "bread", "milk"])
    #expect(errands.map(\.urgent) == [false, false, false])
  }

  @Test("a change that can't be inferred is an error, and the file stays")
  func notInferable() throws {
    let store = try TemporaryStore()
    try fill(store)
    // Two errands have the title that becomes unique.
    #expect(throws: MigrationError.self) { _ = try open(store, E.V4.self) }
    let context = ModelContext(try open(store, E.V1.self))
    #expect(try context.fetchCount(FetchDescriptor<E.V1.Errand>()) == 3)
  }

  @Test("a newer file is refused")
  func backward() throws {
    let store = try TemporaryStore()
    _ = try open(store, E.V2.self)
    #expect {
      _ = try open(store, E.V1.self)
    } throws: { error in
      (error as? SwiftDataError) == .backwardMigration
    }
  }

  @Test("models that no version of the plan has are refused")
  func strangeModels() throws {
    let store = try TemporaryStore()
    try fill(store)
    #expect {
      _ = try open(store, E.Stray.self)
    } throws: { error in
      (error as? MigrationError)?.code == .invalidPlan && "\(error)".contains("urgent")
    }
  }
}
