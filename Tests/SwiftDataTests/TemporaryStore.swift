import Foundation
import SwiftData

/// A folder for the files of one test, removed when the test lets go of it.
final class TemporaryStore {
  let folder: URL
  var file: URL { folder.appending(path: "test.store") }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "swiftdata-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
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
}

func memoryContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
