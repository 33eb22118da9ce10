import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataCore

/// An alert or a log that shows `localizedDescription` shows the framework's own message.
@Suite("The localized description of an error is its description")
struct LocalizedErrorTests {
  @Model
  final class Flat {
    @Attribute(.unique) var number: Int
    init(number: Int) { self.number = number }
  }

  static let errors: [any Error] = [
    SwiftDataError.unknownSchema, DataStoreError.preferInMemorySort,
    SchemaError.entityClash(entity: "Flat"),
    MigrationError(.busy, explanation: "another program keeps the store locked."),
    MergeConflictError(conflicts: []),
    RowDecodingError(entity: "Flat", column: "number", expected: "an integer", found: "text"),
  ]

  @Test("of each type of error", arguments: errors)
  func known(_ error: any Error) {
    #expect(error.localizedDescription == String(describing: error))
  }

  @Test("of a store's errors", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func thrown() throws {
    let store = try TemporaryStore()
    try Data("no database at all, but longer than a header".utf8).write(to: store.file)
    let opening = #expect(throws: StoreError.self) { try store.container(Flat.self) }
    #expect(opening?.localizedDescription == opening?.description)
    #expect(opening?.localizedDescription.contains(store.file.path) == true)

    let context = ModelContext(try memoryContainer(Flat.self))
    let query = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: "DELETE FROM Flat", as: Int.self)
    }
    #expect(query?.localizedDescription == query?.description)
  }
}
