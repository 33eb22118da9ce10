import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

/// The kinds of writes to a store that may be in progress when an event happens to its file.
enum FileWriter: String, CaseIterable, Sendable {
  case plainContext, mainContext, modelActor, customContextAfterFetch, largeSave, deletion
  case batchInsert, batchUpsert, metadata, batchUpdate, batchDelete, deleteInContext, history
  case sideTable, erase

  private static let toolkitTable = SideTable("_of_test", [.init("value", .integer)], key: .number)

  /// A write that is started before the event and ended after it.
  struct Begun {
    /// Writes, or throws.
    let end: @MainActor () async throws -> Void
    /// Returns whether the changes are still pending; nil for a write without pending changes.
    var isPending: (@MainActor () async -> Bool)?
  }

  /// - Parameter name: The name of the parcel that is written, if any.
  @MainActor
  func begin(_ container: ModelContainer, name: String = "new") async throws -> Begun {
    switch self {
    case .plainContext, .mainContext, .customContextAfterFetch:
      let context = self == .mainContext ? container.mainContext : ModelContext(container)
      context.autosaveEnabled = false
      if self == .customContextAfterFetch { _ = try context.fetch(FetchDescriptor<Parcel>()) }
      context.insert(Parcel(name))
      return Begun(end: { try context.save() }, isPending: { context.hasChanges })
    case .modelActor:
      let desk = ParcelDesk(modelContainer: container)
      await desk.insert(name)
      return Begun(end: { try await desk.save() }, isPending: { await desk.hasChanges })
    case .largeSave:
      let context = ModelContext(container)
      for number in 0..<3_000 { context.insert(Parcel("many \(number)")) }
      context.insert(Parcel(name))
      return Begun(end: { try context.save() }, isPending: { context.hasChanges })
    case .deletion:
      let context = ModelContext(container)
      for parcel in try container.parcels(named: "large") {
        if let own = context.model(for: parcel.persistentModelID) as? Parcel { context.delete(own) }
      }
      return Begun(end: { try context.save() }, isPending: { context.hasChanges })
    case .batchInsert:
      return Begun(end: { _ = try container.batchInsert([Parcel(name)]) })
    case .batchUpsert:
      let batch = try BatchUpsert<Parcel>(container)
      try batch.upsert(Parcel(name))
      return Begun(end: { try batch.commit() })
    case .metadata:
      return Begun(end: {
        let batch = try BatchUpsert<Parcel>(container)
        try batch.setMetadata(Data([1]), forKey: "new")
        try batch.commit()
      })
    case .batchUpdate:
      return Begun(end: {
        _ = try container.batchUpdate(Parcel.self) { $0.set(\.note, to: "new") }
      })
    case .batchDelete: return Begun(end: { _ = try container.batchDelete(Parcel.self) })
    case .deleteInContext:
      let context = ModelContext(container)
      try context.delete(model: Parcel.self)
      return Begun(end: { try context.save() }, isPending: { context.hasChanges })
    case .history:
      return Begun(end: {
        try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      })
    case .sideTable:
      let store = try #require(container.core.stores.first as? DefaultStore)
      return Begun(end: {
        try store.writeSideTables { transaction in
          try transaction.create(Self.toolkitTable)
          try transaction.insert(
            SideTableRows("value", rows: [[.integer(7)]]), into: Self.toolkitTable, existing: nil)
        }
      })
    case .erase: return Begun(end: { try container.erase() })
    }
  }

  /// Returns whether another container finds the written data.
  func isStored(in container: ModelContainer, name: String = "new") throws -> Bool {
    let context = ModelContext(container)
    switch self {
    case .plainContext, .mainContext, .modelActor, .customContextAfterFetch, .batchInsert,
      .batchUpsert:
      return try container.parcels(named: name).count == 1
    case .largeSave: return try context.fetchCount(FetchDescriptor<Parcel>()) > 3_000
    case .deletion: return try container.parcels(named: "large").isEmpty
    case .metadata: return try container.storeMetadata(forKey: "new") == Data([1])
    case .batchUpdate:
      return try context.fetch(FetchDescriptor<Parcel>()).allSatisfy { $0.note == "new" }
    case .batchDelete, .deleteInContext, .erase:
      return try context.fetchCount(FetchDescriptor<Parcel>()) == 0
    case .history:
      return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty
    case .sideTable:
      let store = try #require(container.core.stores.first as? DefaultStore)
      var found = 0
      try store.readRows { transaction in
        try transaction.forEachRow(SideTableQuery(Self.toolkitTable, ["value"])) { _ in found += 1 }
      }
      return found == 1
    }
  }
}
