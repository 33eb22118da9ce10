import CSQLite
import Foundation
import SwiftData

/// A folder for the files of one test, removed when the test releases it.
final class TemporaryStore {
  let folder: URL
  private let isOwn: Bool
  var file: URL { folder.appending(path: "test.store") }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "swiftdata-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    isOwn = true
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Uses the folder of another process, which removes it.
  init(of folder: URL) {
    self.folder = folder
    isOwn = false
  }

  deinit {
    guard isOwn else { return }
    do { try FileManager.default.removeItem(at: folder) } catch {
      print("The folder \(folder.path) couldn't be removed: \(error)")
    }
  }

  func container(_ types: any PersistentModel.Type..., allowsSave: Bool = true) throws
    -> ModelContainer
  {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: file, allowsSave: allowsSave))
  }

  struct DatabaseError: Error { let message: String }

  /// Runs SQL on the file as another program would.
  func execute(_ sql: String) throws {
    _ = try values(sql)
  }

  /// Returns the first column of the first row, as text.
  func value(_ sql: String) throws -> String? { try values(sql).first ?? nil }

  /// Returns the first column of all rows, as text.
  func values(_ sql: String) throws -> [String?] {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    func check(_ result: Int32) throws {
      guard [SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(result) else {
        throw DatabaseError(message: String(cString: sqlite3_errmsg(database)))
      }
    }
    try check(sqlite3_open(file.path, &database))
    sqlite3_busy_timeout(database, 10_000)
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    var values: [String?] = []
    while true {
      let result = sqlite3_step(statement)
      try check(result)
      guard result == SQLITE_ROW else { return values }
      values.append(sqlite3_column_text(statement, 0).map { String(cString: $0) })
    }
  }
}

func memoryContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
