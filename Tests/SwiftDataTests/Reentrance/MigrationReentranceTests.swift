import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// The operations that the code of a migration's stage performs on the stage's context.
enum StageOperation: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case read, set, insert, delete, fetch, fetchCount, save, setAndSave, rollback, undo, relate
  case processPending, batchDelete, enumerate, otherContext, erase

  var testDescription: String { rawValue }
}

private enum ChoreVersions {
  enum V1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Chore.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model
    final class Chore {
      var name: String
      var number: Int
      var next: Chore?
      init(_ name: String, number: Int = 0) {
        self.name = name
        self.number = number
      }
    }
  }

  enum V2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [V1.Chore.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }

  enum Plan: SchemaMigrationPlan {
    @TaskLocal static var operation:
      (isBefore: Bool, body: @Sendable (ModelContext) throws -> Void)?

    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self,
          willMigrate: { context in
            if let operation, operation.isBefore { try operation.body(context) }
          },
          didMigrate: { context in
            if let operation, !operation.isBefore { try operation.body(context) }
          })
      ]
    }
  }
}

@Suite(
  "A stage of a migration may do everything with its context",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct MigrationReentranceTests {
  private typealias Chore = ChoreVersions.V1.Chore

  @Test(
    "in a stage, an operation: the edit before it is there when the store is open",
    arguments: StageOperation.allCases, [true, false])
  func pair(_ operation: StageOperation, isBefore: Bool) throws {
    let store = try TemporaryStore()
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: ChoreVersions.V1.self),
        configurations: ModelConfiguration(url: store.file))
      let context = ModelContext(container)
      let first = Chore("a")
      first.next = Chore("b")
      context.insert(first)
      try context.save()
    }
    let calls = Calls()
    let open = {
      try ModelContainer(
        for: Schema(versionedSchema: ChoreVersions.V2.self),
        migrationPlan: ChoreVersions.Plan.self,
        configurations: ModelConfiguration(url: store.file))
    }
    let body: @Sendable (ModelContext) throws -> Void = { context in
      calls.count += 1
      let chores = try context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.name)]))
      let (first, second) = (chores[0], chores[1])
      first.number = 7
      try Self.carryOut(operation, context, first, second)
    }
    do {
      _ = try ChoreVersions.Plan.$operation.withValue((isBefore, body)) { try open() }
    } catch {
      // An operation that a stage may not perform makes the whole migration fail, with an error
      // that describes it.
      #expect(error is MigrationError || error is SwiftDataError || error is StoreError)
      #expect(operation == .erase || operation == .otherContext, "\(error)")
    }
    #expect(calls.count == 1)
    let chores = try ModelContext(try open()).fetch(
      FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.name)]))
    let isTakenBack = [.rollback, .erase, .otherContext, .batchDelete].contains(operation)
    if !isTakenBack { #expect(chores.first?.number == 7) }
  }

  private final class Calls: @unchecked Sendable {
    // Unchecked: a stage runs on the thread that opens the store.
    var count = 0
  }

  private static func carryOut(
    _ operation: StageOperation, _ context: ModelContext, _ first: Chore, _ second: Chore
  ) throws {
    switch operation {
    case .read: #expect(first.next?.name == "b")
    case .set: second.number = 8
    case .insert: context.insert(Chore("new"))
    case .delete: context.delete(second)
    case .fetch: #expect(try context.fetch(FetchDescriptor<Chore>()).count == 2)
    case .fetchCount: #expect(try context.fetchCount(FetchDescriptor<Chore>()) == 2)
    case .save: try context.save()
    case .setAndSave:
      second.number = 8
      try context.save()
    case .rollback: context.rollback()
    case .undo:
      context.undoManager = UndoManager()
      second.number = 9
      context.undoManager?.undo()
      #expect(second.number == 0)
    case .relate: second.next = first
    case .processPending: context.processPendingChanges()
    case .batchDelete: try context.delete(model: Chore.self)
    case .enumerate:
      try context.enumerate(FetchDescriptor<Chore>(), allowEscapingMutations: true) {
        if $0.name == "b" { $0.number += 1 }
      }
    case .otherContext:
      let other = ModelContext(context.container)
      for chore in try other.fetch(FetchDescriptor<Chore>()) { chore.number = 3 }
      try other.save()
    case .erase: try context.container.erase()
    }
  }
}
