import Foundation

@testable import ProgramTesting
@testable import StoreTesting
@testable import TestSupport

/// The program with a folder of its own, in which its stores are.
struct Workplace {
  private let place: TemporaryFolder
  let program: Program
  var folder: URL { place.url }

  init() throws {
    place = try TemporaryFolder("landmarks")
    program = try Program(
      "landmarks", folder: place.url,
      environment: [
        "LANDMARKS_STORE": place.file("a.store").path,
        "LANDMARKS_TOKEN": alice, "LANDMARKS_SERVER": "http://127.0.0.1:1",
      ])
  }

  func serve(_ rules: String...) async throws -> RunningProgram {
    try await program.serve(
      [
        "serve", "--port", "0", "--store", folder.appendingPathComponent("server.store").path,
      ] + rules)
  }

  /// Changes a store as no version of the program does.
  func change(_ store: String, _ statement: String) throws {
    try SQLiteFile(folder.appendingPathComponent(store)).run(statement)
  }

  /// Returns the first column that a query reads from a store.
  func read(_ store: String, _ query: String) throws -> [String?] {
    try SQLiteFile(folder.appendingPathComponent(store)).values(query)
  }

  /// Returns the day in a number of days from now, in the format of the command line.
  static func day(_ days: Double) -> String {
    String(Date().addingTimeInterval(days * 86_400).ISO8601Format().prefix(10))
  }
}
