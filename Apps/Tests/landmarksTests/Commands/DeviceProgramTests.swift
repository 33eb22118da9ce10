import Foundation
import Testing

@testable import ProgramTesting
@testable import TestSupport

@Suite("Devices and their server as programs, some of which are killed", .timeLimit(.minutes(20)))
struct DeviceProgramTests {
  /// A folder with the stores of two devices and of a server.
  private struct Place {
    let folder: TemporaryFolder
    let program: Program

    init() throws {
      folder = try TemporaryFolder("landmarks")
      program = try Program(
        "landmarks", folder: folder.url, environment: ["LANDMARKS_TOKEN": alice])
    }

    func serve(port: Int = 0) async throws -> RunningProgram {
      try await program.serve([
        "serve", "--port", "\(port)", "--store",
        folder.file("server.store").path,
      ])
    }

    /// Runs a command on the store of a device.
    func run(_ device: String, _ address: String, _ arguments: String...) async throws -> String {
      let outcome = try await program.run(
        arguments: arguments,
        environment: [
          "LANDMARKS_STORE": folder.file("\(device).store").path,
          "LANDMARKS_SERVER": address,
        ])
      try #require(outcome.code == 0, "\(device): \(arguments): \(outcome.errors)")
      return outcome.output
    }

    func app(_ device: String, _ address: String) async throws -> RunningProgram {
      try await program.serve([
        "app", "--port", "0", "--every", "1", "--server", address, "--store",
        folder.file("\(device).store").path,
      ])
    }
  }

  /// Returns the day in a number of days from now, in the format of the command line.
  private static func day(_ days: Double) -> String {
    String(Date().addingTimeInterval(days * 86_400).ISO8601Format().prefix(10))
  }

  @Test("killed programs lose no edit, and nothing is done twice")
  func killed() async throws {
    let place = try Place()
    var server = try await place.serve()
    let address = server.address
    let port = try WireClient(address).port
    for device in ["a", "b"] { _ = try await place.run(device, address, "sync") }
    var made: Set<String> = []
    for round in 0..<6 {
      let app = try await place.app("a", address)
      // The engine is active when it, or the server, ends.
      let reserved = try await place.run(
        "a", address, "reserve", "\(1001 + round)", "--on", Self.day(30 + Double(round)))
      made.insert(String(reserved.prefix(36)))
      _ = try await place.run("a", address, "favorite", "\(1001 + round)")
      if round % 2 == 1 {
        try await server.kill()
        server = try await place.serve(port: port)
      }
      try await app.kill()
    }
    let synced = try await place.run("a", address, "sync")
    #expect(synced.contains(" 0 waiting"), "\(synced)")
    let client = try WireClient(address)
    let reservations = try await client.request("GET", "/reservations", by: alice).text
    for id in made { #expect(reservations.components(separatedBy: id).count == 2, "\(id)") }
    #expect(reservations.components(separatedBy: "\"id\"").count == made.count + 1)
    let favorites = try await client.request("GET", "/favorites", by: alice).text
    for number in 1001...1006 { #expect(favorites.contains("\(number)")) }
    // The other device gets the same data.
    _ = try await place.run("b", address, "sync")
    let lists = [
      try await place.run("a", address, "reserve"), try await place.run("b", address, "reserve"),
    ]
    #expect(lists[0] == lists[1] && lists[0].split(separator: "\n").count == made.count)
    #expect(
      try await place.run("b", address, "list", "--favorites").split(separator: "\n").count == 6)
    try await server.stop()
  }

  @Test(
    "two devices move one reservation: the second keeps its date, with a notice, and both agree")
  func conflict() async throws {
    let place = try Place()
    let server = try await place.serve()
    let address = server.address
    _ = try await place.run("a", address, "sync")
    let id = String(
      try await place.run("a", address, "reserve", "1002", "--on", Self.day(30)).prefix(36))
    _ = try await place.run("a", address, "sync")
    _ = try await place.run("b", address, "sync")
    _ = try await place.run("a", address, "reserve", "--change", id, "--on", Self.day(31))
    _ = try await place.run("b", address, "reserve", "--change", id, "--on", Self.day(32))
    _ = try await place.run("a", address, "sync")
    let told = try await place.run("b", address, "sync")
    #expect(
      told.contains(
        "Notice: El Capitan was moved here and elsewhere; this device's date was kept."))
    _ = try await place.run("a", address, "sync")
    for device in ["a", "b"] {
      #expect(try await place.run(device, address, "reserve").contains(Self.day(32)))
      #expect(try await place.run(device, address, "status").contains("Nothing waits"))
    }
    try await server.stop()
  }
}
