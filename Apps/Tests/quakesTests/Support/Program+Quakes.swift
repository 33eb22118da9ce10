import Foundation

@testable import ProgramTesting

extension Program {
  /// Creates the program `quakes` with a store in the folder.
  init(folder: URL) throws {
    try self.init(
      "quakes", folder: folder,
      environment: ["QUAKES_STORE": folder.appendingPathComponent("test.store").path])
  }

  /// The program's default store.
  var store: URL { folder.appendingPathComponent("test.store") }
}
