import Foundation
import SwiftData
import Testing

@testable import ProgramTesting

/// The models of a later version, under the same names.
private enum Later {
  @Model
  final class StoredOwner {
    var user: String
    var server: String?
    var picture: String?

    init(user: String, picture: String) {
      self.user = user
      self.picture = picture
    }
  }

  @Model
  final class ServedCounter {
    @Attribute(.unique) var name: String
    var value: Int
    var changed: Date?

    init(name: String, value: Int) {
      self.name = name
      self.value = value
      changed = .now
    }
  }
}

@Suite("Stores of a later version", .timeLimit(.minutes(20)))
struct NewerStoreTests {
  private static let commands = [
    "list", "list --json", "status", "activity", "calendar", "favorite 1002", "reserve",
    "reserve 1002 --on 2090-06-01", "sync", "sign-out", "app --port 0",
  ]

  /// A device's store and a server's.
  private func place() async throws -> Workplace {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    try await server.stop()
    return place
  }

  /// Expects that commands refuse a store, and change no file.
  private func refuses(
    _ place: Workplace, _ store: String, _ commands: [String], _ reasons: [String]
  ) async throws {
    let file = place.folder.appendingPathComponent(store)
    let before = try Data(contentsOf: file)
    let files = place.program.files()
    for command in commands {
      let outcome = try await place.program.run(
        arguments: command.split(separator: " ").map(String.init))
      #expect(outcome.code == 74 && outcome.output.isEmpty, "\(command): \(outcome)")
      #expect(outcome.errors.contains(file.path), "\(command): \(outcome.errors)")
      for reason in reasons { #expect(outcome.errors.contains(reason), "\(command): \(outcome)") }
      #expect(outcome.errors.components(separatedBy: file.path).count == 2, "\(outcome.errors)")
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(place.program.files() == files)
  }

  @Test(
    "a property that this version doesn't know is kept: nothing opens the store",
    arguments: [false, true])
  func unknownProperty(_ isMigrated: Bool) async throws {
    let place = isMigrated ? try await place() : try Workplace()
    do {
      let container = try ModelContainer(
        for: Later.StoredOwner.self,
        configurations: ModelConfiguration(url: place.folder.appendingPathComponent("a.store")))
      let context = ModelContext(container)
      context.insert(Later.StoredOwner(user: "ann", picture: "ann.jpg"))
      try context.save()
    }
    try await refuses(
      place, "a.store", Self.commands,
      ["a newer version of this program made it", "use that version"]
        + (isMigrated ? [] : ["StoredOwner.picture"]))
  }

  @Test("a later number of the schema is told in the same words")
  func laterSchema() async throws {
    let place = try await place()
    do {
      let container = try ModelContainer(
        for: Schema([Later.StoredOwner.self], version: Schema.Version(2, 0, 0)),
        configurations: [
          ModelConfiguration(url: place.folder.appendingPathComponent("a.store"))
        ])
      withExtendedLifetime(container) {}
    }
    try await refuses(
      place, "a.store", Self.commands,
      ["a newer version of this program made it", "use that version"])
  }

  @Test("a later format of the file is told with what helps")
  func laterFormat() async throws {
    let place = try await place()
    try place.change("a.store", "PRAGMA user_version = 2")
    try await refuses(place, "a.store", Self.commands, ["a newer version", "update the program"])
  }

  @Test(
    "bookkeeping of a later engine is told with what helps",
    arguments: [
      "ALTER TABLE _sync_object ADD COLUMN signature BLOB",
      """
      UPDATE _sync_progress SET value = CAST(json_set(CAST(value AS TEXT), '$.format', 2) AS BLOB)
      """,
    ])
  func laterBookkeeping(_ change: String) async throws {
    let place = try await place()
    try place.change("a.store", change)
    // Commands that need the bookkeeping for marks only work, and tell that these are missing.
    let list = try await place.program.run("list")
    #expect(list.code == 0 && list.output.contains("El Capitan"))
    #expect(list.errors.contains("A newer program has synchronized the store"))
    try await refuses(
      place, "a.store", ["list --json", "status", "sync", "sign-out", "app --port 0"],
      ["A newer program has synchronized the store", "Use a newer version of this program."])
  }

  @Test("values under keys of the metadata that this version doesn't know stay")
  func unknownMetadata() async throws {
    let place = try await place()
    try place.change("a.store", "INSERT INTO _metadata VALUES ('later.key', 'later value')")
    #expect(try await place.program.run("favorite", "1002").code == 0)
    #expect(
      try place.read("a.store", "SELECT value FROM _metadata WHERE key = 'later.key'")
        == ["later value"])
  }

  @Test("the server doesn't open a store of a later version", arguments: [false, true])
  func server(_ isMigrated: Bool) async throws {
    let place = isMigrated ? try await place() : try Workplace()
    do {
      let container = try ModelContainer(
        for: Later.ServedCounter.self,
        configurations: ModelConfiguration(url: place.folder.appendingPathComponent("server.store"))
      )
      let context = ModelContext(container)
      context.insert(Later.ServedCounter(name: "later", value: 1))
      try context.save()
    }
    let store = place.folder.appendingPathComponent("server.store").path
    try await refuses(
      place, "server.store", ["serve --port 0 --store \(store)"],
      ["a newer version of this program made it", "use that version"]
        + (isMigrated ? [] : ["ServedCounter.changed"]))
  }
}
