import Foundation

@_exported import ProgramTesting

extension Program {
  /// The program `quakes` with a store in the folder.
  init(folder: URL) throws {
    try self.init(
      "quakes", folder: folder,
      environment: ["QUAKES_STORE": folder.appendingPathComponent("test.store").path])
  }

  /// The store that the program uses when nothing else is said.
  var store: URL { folder.appendingPathComponent("test.store") }
}
