import Foundation
import QuakesKit
import SwiftDataPostgres

@testable import PostgresTesting
@testable import StoreTesting
@testable import TestSupport

/// The kinds of stores on which suites run that aren't about files.
enum StoreForm: String, Sendable {
  case memory
  case file
  case server

  /// Stores that several containers may open.
  static let shared = [StoreForm.file] + servers
  /// Stores for a single container.
  static let single = [StoreForm.memory] + servers

  /// None where PostgreSQL isn't installed.
  private static let servers: [StoreForm] = {
    guard let absence = PostgresServer.absence else { return [.server] }
    print("Tests on a server are skipped: \(absence)")
    return []
  }()
}

/// The place of a store of one test, which several containers may open, like several programs.
final class TestStore: Sendable {
  let folder: TemporaryFolder
  let location: StoreLocation
  private let schema: String?

  init(_ form: StoreForm) throws {
    folder = try TemporaryFolder()
    switch form {
    case .memory:
      location = .memory
      schema = nil
    case .file:
      location = .file(folder.url.appendingPathComponent("a.store"))
      schema = nil
    case .server:
      let schema = uniqueName("quakes")
      self.schema = schema
      location = .server(PostgresConfiguration(schema, url: try PostgresServer.shared.url))
    }
  }

  func open() throws -> QuakeStore { try QuakeStore(location) }

  /// Changes the magnitude of an event as a tool would that doesn't use the library.
  func setMagnitude(_ magnitude: Int, of id: String) throws {
    let condition = "SET magnitude = \(magnitude) WHERE \"eventID\" = '\(id)'"
    if case .file(let file) = location {
      try SQLiteFile(file).run("UPDATE Quake \(condition)")
    } else if let schema {
      try PostgresServer.shared.run("UPDATE \"\(schema)\".\"Quake\" \(condition)")
    }
  }
}
