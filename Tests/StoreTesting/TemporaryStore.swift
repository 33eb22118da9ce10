import Foundation
import SwiftData
import TestSupport

/// A folder for the files of one test, removed when the test releases it.
package final class TemporaryStore: Sendable {
  package let folder: URL
  private let owned: TemporaryFolder?
  package var file: URL { folder.appending(path: "test.store") }

  package init() throws {
    let owned = try TemporaryFolder("swiftdata-tests")
    self.owned = owned
    folder = owned.url
  }

  /// Uses the folder of another process, which removes it.
  package init(of folder: URL) {
    self.folder = folder
    owned = nil
  }

  package func container(
    _ types: any PersistentModel.Type..., allowsSave: Bool = true
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: file, allowsSave: allowsSave))
  }

  /// Runs SQL on the file as another program would.
  package func execute(_ sql: String) throws { _ = try values(sql) }

  /// Returns the first column of the first row, as text.
  package func value(_ sql: String) throws -> String? { try values(sql).first ?? nil }

  /// Returns the first column of all rows, as text.
  package func values(_ sql: String) throws -> [String?] { try SQLiteFile(file).values(sql) }
}

/// Creates a container whose store is in memory.
package func memoryContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
