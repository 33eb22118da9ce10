import SwiftData
import Testing

@Suite("Migration plans", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct MigrationPlanTests {
  private typealias E = ErrandVersions

  private func open(
    _ store: TemporaryStore, _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = ErrandVersions.Plan.self
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: [ModelConfiguration(url: store.file)])
  }

  private func fill(_ store: TemporaryStore, plan: (any SchemaMigrationPlan.Type)? = nil) throws {
    let context = ModelContext(try open(store, E.V1.self, plan))
    for (number, what) in ["milk", "bread", "milk"].enumerated() {
      context.insert(E.V1.Errand(what, amount: number + 1))
    }
    try context.save()
  }

  @Test("every stage runs in order, with old classes before and new ones after")
  func allStages() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = ModelContext(try open(store, E.V4.self))
    let errands = try context.fetch(
      FetchDescriptor<E.V4.Errand>(sortBy: [SortDescriptor(\.amount)]))
    #expect(errands.map(\.title) == ["milk (1)", "bread (1)"])
    #expect(errands.map(\.amount) == [10, 20])
    #expect(try store.values("SELECT name FROM sqlite_schema WHERE name LIKE '%Shop%'") == [])
    #expect(try store.value("SELECT value FROM _metadata WHERE key = 'schema.version'") == "4.0.0")
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("a plan is followed as far as the container's version")
  func halfway() throws {
    let store = try TemporaryStore()
    try fill(store)
    do {
      let context = ModelContext(try open(store, E.V2.self))
      let errands = try context.fetch(FetchDescriptor<E.V2.Errand>())
      #expect(errands.count == 3 && errands.allSatisfy { $0.shop?.name == "corner" })
    }
    // From the second version to the third only values change, and only once.
    for _ in 1...2 {
      let context = ModelContext(try open(store, E.V3.self))
      #expect(Set(try context.fetch(FetchDescriptor<E.V2.Errand>()).map(\.amount)) == [10, 20, 30])
    }
    let context = ModelContext(try open(store, E.V4.self))
    #expect(try context.fetchCount(FetchDescriptor<E.V4.Errand>()) == 2)
  }

  @Test("a stage that uses the class of another version is told which one it has")
  func classOfAnotherVersion() throws {
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [E.V1.self, E.V2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: E.V1.self, toVersion: E.V2.self,
            willMigrate: { _ = try $0.fetch(FetchDescriptor<E.V2.Errand>()) }, didMigrate: nil)
        ]
      }
    }
    let store = try TemporaryStore()
    try fill(store)
    #expect {
      _ = try open(store, E.V2.self, Plan.self)
    } throws: { error in
      let text = "\(error)"
      return text.contains("ErrandVersions.V2.Errand isn't part of the container's schema")
        && text.contains("ErrandVersions.V1.Errand under the name Errand")
    }
  }

  @Test("saves of stages are in the history")
  func history() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = ModelContext(try open(store, E.V2.self))
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map {
      $0.changes.count
    }
    #expect(changes == [3, 3, 4])
  }

  @Test("a newer file is always refused")
  func backward() throws {
    let store = try TemporaryStore()
    try fill(store)
    _ = try open(store, E.V4.self)
    for plan in [E.Plan.self, nil] as [(any SchemaMigrationPlan.Type)?] {
      #expect {
        _ = try open(store, E.V2.self, plan)
      } throws: { error in
        (error as? SwiftDataError) == .backwardMigration
          && "\(error)".contains("4.0.0") && "\(error)".contains("amount")
      }
    }
    #expect(
      try ModelContext(open(store, E.V4.self)).fetchCount(FetchDescriptor<E.V4.Errand>()) == 2)
  }

  @Test("a stage to an older version runs when the plan has it, and the file has that version then")
  func stagesBack() throws {
    let store = try TemporaryStore()
    try fill(store)
    do {
      let context = ModelContext(try open(store, E.V2.self, E.Return.self))
      #expect(try context.fetchCount(FetchDescriptor<E.V2.Shop>()) == 1)
    }
    for _ in 1...2 {
      let context = ModelContext(try open(store, E.V1.self, E.Return.self))
      let errands = try context.fetch(
        FetchDescriptor<E.V1.Errand>(sortBy: [SortDescriptor(\.amount)]))
      #expect(errands.map(\.what) == ["milk at corner", "bread at corner", "milk at corner"])
      #expect(
        try store.value("SELECT value FROM _metadata WHERE key = 'schema.version'") == "1.0.0")
      #expect(try store.values("SELECT name FROM sqlite_schema WHERE name = 'Shop'") == [])
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: E.V2.self), migrationPlan: E.Return.self,
      configuration: ModelConfiguration(url: store.file))
    #expect(preview.stages.map(\.name) == ["V1 to V2"])
    let context = ModelContext(try open(store, E.V2.self, E.Return.self))
    #expect(try context.fetchCount(FetchDescriptor<E.V2.Errand>()) == 3)
    #expect(try store.value("SELECT value FROM _metadata WHERE key = 'schema.version'") == "2.0.0")
  }

  @Test("stages to older versions that stop short of it don't downgrade a file")
  func notFarEnoughBack() throws {
    let store = try TemporaryStore()
    try fill(store)
    _ = try open(store, E.V4.self)
    #expect(throws: SwiftDataError.backwardMigration) {
      _ = try open(store, E.V1.self, E.Circle.self)
    }
    #expect(
      try ModelContext(open(store, E.V4.self)).fetchCount(FetchDescriptor<E.V4.Errand>()) == 2)
  }

  @Test("a file of no version is an error with the differences from the nearest")
  func frozen() throws {
    let store = try TemporaryStore()
    _ = try ModelContainer(
      for: E.Stray.Errand.self, configurations: ModelConfiguration(url: store.file))
    #expect {
      _ = try open(store, E.V4.self)
    } throws: { error in
      (error as? SwiftDataError) == .unknownDataStoreSchema && "\(error)".contains("V1 (1.0.0)")
        && "\(error)".contains("Errand.urgent is new: Bool")
        && "\(error)".contains("Errand.amount is gone: Int")
    }
  }

  @Test(
    "contradictions are named",
    arguments: [
      ("has no stage from V1 (1.0.0)", E.Gap.self as any SchemaMigrationPlan.Type),
      ("V2 (2.0.0), which its schemas don't list", E.Unlisted.self),
      ("two versions 1.0.0", E.Twice.self),
      ("has no stage from V2 (2.0.0) towards V4", E.Circle.self),
      ("from V1 (1.0.0) to itself", E.Loop.self),
      ("two stages from V1 (1.0.0)", E.Fork.self),
    ])
  func wrongPlans(_ text: String, _ plan: any SchemaMigrationPlan.Type) throws {
    let store = try TemporaryStore()
    try fill(store)
    #expect {
      _ = try open(store, E.V4.self, plan)
    } throws: { error in
      (error as? MigrationError)?.code == .invalidPlan && "\(error)".contains(text)
    }
    let context = ModelContext(try open(store, E.V1.self, nil))
    #expect(try context.fetchCount(FetchDescriptor<E.V1.Errand>()) == 3)
  }

  @Test("models that no version of the plan has are refused")
  func strangeModels() throws {
    let store = try TemporaryStore()
    #expect {
      _ = try open(store, E.Stray.self)
    } throws: { error in
      (error as? MigrationError)?.code == .invalidPlan && "\(error)".contains("urgent")
    }
  }

  @Test("a stage that throws leaves the old store, and its error")
  func failingStage() throws {
    let store = try TemporaryStore()
    try fill(store)
    #expect {
      _ = try open(store, E.V2.self, E.Failing.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .stageFailed && error?.underlyingError is E.Refused
        && error?.description.contains("didMigrate of V1 to V2") == true
    }
    let context = ModelContext(try open(store, E.V1.self, nil))
    #expect(try context.fetchCount(FetchDescriptor<E.V1.Errand>()) == 3)
    #expect(try store.values("SELECT name FROM sqlite_schema WHERE name = 'Shop'") == [])
  }

  @Test("a stage can't end the migration's transaction")
  func meddling() throws {
    let store = try TemporaryStore()
    try fill(store)
    #expect {
      _ = try open(store, E.V2.self, E.Meddling.self)
    } throws: { error in
      (error as? MigrationError)?.code == .stageFailed
    }
    let context = ModelContext(try open(store, E.V1.self, nil))
    #expect(try context.fetchCount(FetchDescriptor<E.V1.Errand>()) == 3)
  }

  @Test("a new file has the newest version, without any stage")
  func newFile() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try open(store, E.V4.self))
    #expect(try context.fetchCount(FetchDescriptor<E.V4.Errand>()) == 0)
    #expect(context.migrationDatabase == nil)
  }

  @Test("a dry run lists the stages and runs no code")
  func preview() throws {
    let store = try TemporaryStore()
    try fill(store)
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: E.V4.self), migrationPlan: E.Plan.self,
      configuration: ModelConfiguration(url: store.file))
    let tables = preview.stages[2].tables.map(\.description).sorted()
    #expect(preview.version == Schema.Version(4, 0, 0))
    #expect(preview.stages.map(\.name) == ["V1 to V2", "V2 to V3", "V3 to V4"])
    #expect(preview.stages.allSatisfy { $0.runsCode })
    #expect(
      tables == ["drop Shop", "rebuild Errand"])
    #expect(preview.description.contains("change: Shop is gone"))
    #expect(try store.values("SELECT what FROM Errand") == ["milk", "bread", "milk"])
  }

  @Test("stores in memory take any plan")
  func memory() throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: E.V4.self), migrationPlan: E.Plan.self,
      configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    context.insert(E.V4.Errand("milk"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<E.V4.Errand>()) == 1)
  }
}
