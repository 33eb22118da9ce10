import DemoFeed
import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting

@Suite("Commands that only read", .timeLimit(.minutes(20)))
struct ReadingCommandTests {
  private static let commands = [
    ["list"], ["list", "--format", "csv"], ["list", "--format", "json"],
    ["list", "--since", "24h"], ["coverage"], ["stats"], ["stats", "--json"],
    ["show", "nc1"], ["show", "nc1", "--json"], ["show", "nc1", "--details"],
    ["watch", "--no-refresh", "--limit", "1"],
    ["watch", "--no-refresh", "--limit", "1", "--format", "json"],
  ]

  @Test(
    "Without a store, they fail with a message and create no file or folder",
    arguments: commands)
  func makesNothing(_ command: [String]) async throws {
    let place = try CommandTests.Workplace()
    let empty = try place.write("empty.store", "")
    let foreign = try place.write("notes.txt", String(repeating: "no store\n", count: 1_000))
    let file = place.folder.appendingPathComponent("file").path
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    let before = place.program.files()
    for store in [
      "mistyped.store", "no/such/folder/a.store", empty, file + "/a.store", foreign, ".",
    ] {
      let path = store.hasPrefix("/") ? store : place.folder.appendingPathComponent(store).path
      let outcome = try await place.program.run(arguments: command + ["--store", path])
      #expect(outcome.code == 74, "\(command) \(store): \(outcome)")
      #expect(
        outcome.output.isEmpty && outcome.errors.contains(path), "\(store): \(outcome.errors)")
      #expect(place.program.files() == before, "\(command) \(store)")
    }
    let mistyped = place.folder.appendingPathComponent("mistyped.store").path
    let errors = try await place.program.run(arguments: command + ["--store", mistyped]).errors
    #expect(errors.contains("there is no store") && errors.contains("quakes refresh"))
    // The default location of the store.
    let usual = try await place.program.run(
      arguments: command,
      environment: ["QUAKES_STORE": "", "XDG_DATA_HOME": place.folder.path + "/data"])
    #expect(usual.code == 74 && !usual.errors.isEmpty)
    #expect(place.program.files() == before)
  }

  @Test(
    "A feed that doesn't exist leaves no store behind", arguments: ["refresh", "serve", "watch"])
  func mistypedFeed(_ command: String) async throws {
    let place = try CommandTests.Workplace()
    let before = place.program.files()
    let outcome = try await place.program.run(command, "--feed", "all_dya")
    #expect(outcome.code == 64 && outcome.errors.contains("all_dya"))
    #expect(place.program.files() == before)
  }

  @Test("When no event matches `--since`, the newest event's time is printed")
  func oldStore() async throws {
    let place = try CommandTests.Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed(events: 50))
    let outcome = try await place.program.run(
      "list", "--since", "24h", environment: ["TZ": "Europe/Berlin"])
    #expect(outcome.code == 0 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("the newest in the store is of 2025-06-15 "))
    #expect(outcome.errors.contains("GMT+2") && outcome.errors.contains("quakes refresh"))
    let other = try await place.program.run("list", "--search", "nowhere at all")
    #expect(other.errors == "No event matches.\n")
  }

  @Test("They read a store in a folder that can't be written")
  func readOnlyFolder() async throws {
    let place = try CommandTests.Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed(events: 50))
    let outcome = try await place.program.shell(
      "quakes list --limit 3 && quakes stats > /dev/null && quakes coverage 2>&1",
      sealing: place.folder)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 5 && lines.first?.hasPrefix("Time ") == true, "\(outcome.output)")
  }

  @Test("`near` and `--search` find events round a place, tell which, and refuse what is none")
  func near() async throws {
    let place = try CommandTests.Workplace()
    let feed = try place.write(
      "two.geojson",
      """
      {"features":[
      {"properties":{"mag":5,"place":"Izu","time":1746100000000},"geometry":{"coordinates":[139.4,34.1]},"id":"nc1"},
      {"properties":{"mag":4,"place":"Izu","time":1736000000000},"geometry":{"coordinates":[1,2]},"id":"nc2"}]}
      """)
    #expect(try await place.program.run("refresh", "--feed", feed).code == 0)
    let listed = try await place.program.run("list", "--search", "near:tokyo 300km")
    #expect(listed.output.contains("nc1") && !listed.output.contains("nc2"))
    #expect(listed.errors == "Within 300 km of Tokyo, Japan.\n")
    let near = try await place.program.run("near", "tokyo", "--within", "300km", "--json")
    let events = try JSONDecoder().decode([APIEvent].self, from: Data(near.output.utf8))
    #expect(events.map(\.id) == ["nc1"] && near.errors.isEmpty)
    let point = try await place.program.run("near", "2, 1", "--search", "m<4.5")
    #expect(point.output.contains("nc2") && point.errors.isEmpty)
    let none = try await place.program.run("near", "paris, texas")
    #expect(none.errors == "Within 100 km of Paris, Texas.\nNo event matches.\n")
    let statistics = try await place.program.run("stats", "--search=-near:tokyo 300km", "--json")
    #expect(statistics.output.contains(#""count":1,"#))
    for command in ["list", "stats", "watch"] {
      let refused = try await place.program.run(command, "--search", "m>4 near:tokyp")
      #expect(refused.code == 64 && refused.output.isEmpty)
      #expect(refused.errors.contains("“near:tokyp”") && refused.errors.contains("near:tokyo"))
    }
    for arguments in [["tokyp"], ["tokyo", "--within", "5"], ["tokyo", "--within", "0km"], [""]] {
      #expect(try await place.program.run(arguments: ["near"] + arguments).code == 64)
    }
  }

  @Test("`show` names the zone as it was at the event, and `list` each row's")
  func zones() async throws {
    let place = try CommandTests.Workplace()
    let feed = try place.write(
      "two.geojson",
      """
      {"features":[
      {"properties":{"mag":5,"place":"May","time":1746100000000},"geometry":{"coordinates":[1,2]},"id":"nc1"},
      {"properties":{"mag":5,"place":"January","time":1736000000000,"ids":",nc2,us7,"},
      "geometry":{"coordinates":[1,2]},"id":"nc2"}]}
      """)
    #expect(try await place.program.run("refresh", "--feed", feed).code == 0)
    func run(_ arguments: String...) async throws -> String {
      try await place.program.run(arguments: arguments, environment: ["TZ": "Europe/Berlin"]).output
    }
    #expect(try await run("show", "nc1").contains("2025-05-01 13:46:40 GMT+2"))
    #expect(try await run("show", "nc2").contains("2025-01-04 15:13:20 GMT+1"))
    let rows = try await run("list").split(separator: "\n")
    #expect(rows[1].contains("13:46:40 GMT+2") && rows[2].contains("15:13:20 GMT+1"))
    #expect(try await run("show", "us7").contains("Also known as  us7") == true)
  }

  @Test("Withdrawn events are excluded by default, in every format")
  func withdrawn() async throws {
    let place = try CommandTests.Workplace()
    func feature(_ id: String, _ status: String) -> String {
      """
      {"properties":{"mag":5,"place":"x","time":0,"status":"\(status)"},"geometry":{"coordinates":[1,2]},
      "id":"\(id)"}
      """
    }
    let feed = try place.write(
      "two.geojson", "{\"features\":[\(feature("nc1", "reviewed")),\(feature("nc2", "deleted"))]}")
    #expect(try await place.program.run("refresh", "--feed", feed).code == 0)
    for format in ["table", "json", "csv", "geojson"] {
      let shown = try await place.program.run("list", "--format", format).output
      #expect(shown.contains("nc1") && !shown.contains("nc2"))
      let all = try await place.program.run("list", "--format", format, "--withdrawn").output
      #expect(all.contains("nc1") && all.contains("nc2"))
    }
    #expect(try await place.program.run("show", "nc2").output.hasPrefix("Withdrawn"))
  }

  @Test("`show` tells the forms that an event had, as text and as JSON")
  func history() async throws {
    let place = try CommandTests.Workplace()
    func load(_ magnitude: Double, _ status: String, updated: Int) async throws {
      let feed = try place.write(
        "one.geojson",
        """
        {"features":[{"properties":{"mag":\(magnitude),"magType":"ml","place":"x","time":0,"updated":\(updated),
        "status":"\(status)"},"geometry":{"coordinates":[1,2]},"id":"nc1"}]}
        """)
      let words = ["refresh", "--force", "--feed", feed]
      #expect(try await place.program.run(arguments: words).code == 0)
    }
    func show(_ more: String...) async throws -> String {
      let words = ["show", "nc1"] + more
      return try await place.program.run(arguments: words, environment: ["TZ": "UTC"]).output
    }
    try await load(4.2, "automatic", updated: 60_000)
    #expect(try await !show().contains("History"))
    #expect(try await show("--json").contains("\"revisions\":[]"))
    try await load(4.6, "reviewed", updated: 120_000)
    let lines = try await show().split(separator: "\n").suffix(2)
    #expect(lines.first?.hasPrefix("History        1970-01-01 00:01:00") == true)
    #expect(lines.first?.hasSuffix("M 4.2 ml, automatic") == true)
    #expect(lines.last?.hasPrefix("               1970-01-01 00:02:00") == true)
    #expect(lines.last?.hasSuffix("M 4.2 ml → M 4.6 ml, reviewed") == true)
    #expect(
      try await show("--json").contains(
        "\"revisions\":[{\"id\":\"nc1\",\"updated\":60000,\"magnitude\":4.2,"))
  }

  @Test("A port in use is reported before the feed is requested")
  func takenPort() async throws {
    let taken = try await withServer { client -> (ProgramOutcome, Int, Int) in
      let place = try CommandTests.Workplace()
      var settings = DemoFeedServerTests.settings
      settings.events = 100
      let port = client.port
      let outcome = try await DemoFeedServer(settings).whileRunning { base in
        let outcome = try await place.program.run(
          "serve", "--port", "\(port)", "--feed", base + DemoFeedServerTests.day)
        let state = try await WireClient(base).request("GET", "/control/state").body
        return (ProgramOutcome(outcome), state)
      }
      let state = try JSONSerialization.jsonObject(with: Data(outcome.1)) as? [String: Any]
      return (outcome.0, port, state?["requests"] as? Int ?? -1)
    }
    #expect(taken.0.code == 74 && taken.2 == 0)
    #expect(
      taken.0.errors.contains(
        "127.0.0.1:\(taken.1): cannot listen: another program listens there already"))
    #expect(!taken.0.errors.contains("errno"))
  }

  private struct ProgramOutcome: Sendable {
    let code: Int32
    let errors: String

    init(_ outcome: Program.Outcome) { (code, errors) = (outcome.code, outcome.errors) }
  }
}
