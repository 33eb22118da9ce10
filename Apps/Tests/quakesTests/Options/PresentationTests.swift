import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import TestSupport
@testable import quakes

@Suite("Zones, units, orders and columns of commands", .timeLimit(.minutes(20)))
struct PresentationTests {
  /// A program whose store has three events.
  private struct Workplace {
    let place: CommandTests.Workplace
    var program: Program { place.program }

    init() async throws {
      place = try CommandTests.Workplace()
      func feature(
        _ id: String, _ magnitude: Double, _ kind: String, _ depth: Double, _ time: Int
      ) -> String {
        """
        {"properties":{"mag":\(magnitude),"magType":"ml","place":"12 km NNW of Town","time":\(time),
        "type":"\(kind)","url":"https://example.org/\(id)?a=b"},
        "geometry":{"coordinates":[-122.5,38.25,\(depth)]},"id":"\(id)"}
        """
      }
      let features = [
        feature("nc1", 2, "quarry blast", -1, 1_746_100_000_000),
        feature("nc2", 5, "earthquake", 12.3, 1_746_200_000_000),
        feature("nc3", 3, "earthquake", 100, 1_746_300_000_000),
      ]
      let feed = try place.write(
        "three.geojson", "{\"features\":[\(features.joined(separator: ","))]}")
      #expect(try await program.run("refresh", "--feed", feed).code == 0)
    }

    /// Runs a command in a zone with summer time.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws
      -> Program.Outcome
    {
      try await program.run(
        arguments: arguments,
        environment: ["TZ": "Europe/Berlin"].merging(environment) { $1 })
    }

    /// The first words of the lines of a table without its heading.
    func ids(_ arguments: String...) async throws -> [String] {
      let table = try await program.run(arguments: ["list", "--columns", "id"] + arguments).output
      return table.split(separator: "\n").dropFirst().map(String.init)
    }
  }

  @Test("--utc gives times in UTC, which the table tells, in any width")
  func utc() async throws {
    let place = try await Workplace()
    let local = try await place.run("list").output
    #expect(local.contains("2025-05-01 13:46:40 GMT+2"))
    let utc = try await place.run("list", "--utc").output
    #expect(utc.contains("2025-05-01 11:46:40 UTC") && !utc.contains("GMT"))
    let narrow = try await place.run("list", "--utc", environment: ["COLUMNS": "54"]).output
    #expect(narrow.hasPrefix("Time (UTC)") && narrow.contains("2025-05-01 11:46"))
    let shown = try await place.run("show", "nc1", "--utc").output
    #expect(shown.contains("Time           2025-05-01T11:46:40.000Z\n"))
    #expect(shown.contains("Updated        2025-05-01 11:46:40 UTC\n"))
    #expect(try await place.run("near", "38.2,-122.5", "--utc").output.contains("11:46:40 UTC"))
    #expect(
      try await place.run("watch", "--no-refresh", "--utc", "--format", "screen").code == 64)
  }

  @Test("Depths are told from sea level; --miles changes them and the distances of places")
  func miles() async throws {
    let place = try await Workplace()
    let table = try await place.run("list").output
    #expect(table.contains(" ↑1 km  12 km NNW of Town") && table.contains(" 12 km  12 km NNW"))
    let miles = try await place.run("list", "--miles").output
    #expect(miles.contains(" ↑1 mi  7 mi NNW of Town") && miles.contains(" 62 mi  7 mi NNW"))
    let shown = try await place.run("show", "nc1").output
    #expect(shown.contains("Depth          1 km above sea level\n"))
    let inMiles = try await place.run("show", "nc2", "--miles").output
    #expect(inMiles.contains("Depth          7.64 mi\n") && inMiles.contains("7 mi NNW of Town"))
    let near = try await place.run(
      "near", "santa rosa, ca", "--within", "200mi", "--miles")
    #expect(near.errors.hasPrefix("Within 200 mi of Santa Rosa, California"))
    #expect(near.output.contains("↑1 mi"))
    // The unit of the radius that was typed, and a name of several words.
    let words = try await place.run("near", "santa", "rosa,", "ca", "--within", "200mi")
    #expect(words.errors.hasPrefix("Within 200 mi of Santa Rosa, California"))
    let point = try await place.run("near", "38.2", "122.5", "--within", "1km")
    #expect(point.code == 0 && point.output.isEmpty)
    let statistics = try await place.run("stats", "--miles").output
    #expect(statistics.contains("above 0 mi") && statistics.contains("43 to 93 mi"))
    #expect(try await place.run("stats").output.contains("70 to 150 km"))
    for refused in [
      ["list", "--miles", "--json"], ["list", "--miles", "--format", "csv"],
      ["show", "nc1", "--miles", "--json"], ["stats", "--miles", "--json"],
      ["watch", "--miles", "--format", "json", "--no-refresh"],
    ] {
      let outcome = try await place.program.run(arguments: refused)
      #expect(outcome.code == 64 && outcome.output.isEmpty && outcome.errors.contains("--miles"))
    }
  }

  @Test("--type chooses kinds of events, --order the direction")
  func choices() async throws {
    let place = try await Workplace()
    #expect(try await place.ids() == ["nc3", "nc2", "nc1"])
    #expect(try await place.ids("--order", "asc") == ["nc1", "nc2", "nc3"])
    #expect(
      try await place.ids("--sort", "magnitude", "--order", "asc") == ["nc1", "nc3", "nc2"])
    #expect(try await place.ids("--sort", "magnitude") == ["nc2", "nc3", "nc1"])
    #expect(try await place.ids("--type", "Quarry blast") == ["nc1"])
    #expect(try await place.ids("--type", "earthquake", "--search", "m>4") == ["nc2"])
    let statistics = try await place.run("stats", "--type", "blast", "--json").output
    #expect(statistics.hasPrefix(#"{"count":1,"#))
    let none = try await place.run("stats", "--type", "ice quake")
    #expect(none.errors.hasPrefix("No event matches: type ice quake."))
    for refused in [["--order", "down"], ["--type", "a m>4\"b"], ["--type", ""]] {
      #expect(try await place.program.run(arguments: ["list"] + refused).code == 64)
    }
  }

  @Test("--columns chooses columns and their order, in the table and in csv")
  func columns() async throws {
    let place = try await Workplace()
    let table = try await place.run(
      "list", "--utc", "--columns", "magnitude, place,depth,type,time", "--limit", "2"
    ).output
    #expect(
      table == """
        Mag  Place               Depth  Type        Time
        3.0  12 km NNW of Town  100 km  earthquake  2025-05-03 19:20:00 UTC
        5.0  12 km NNW of Town   12 km  earthquake  2025-05-02 15:33:20 UTC

        """)
    let csv = try await place.run(
      "list", "--format", "csv", "--columns", "place,id,magnitude", "--order", "asc"
    ).output
    #expect(csv.hasPrefix("place,id,magnitude\r\n12 km NNW of Town,nc1,2\r\n"))
    for refused in [
      ["--columns", "id,shape"], ["--columns", "id,id"], ["--columns", ""],
      ["--columns", "id", "--json"], ["--columns", "id", "--format", "usgs-csv"],
    ] {
      let outcome = try await place.program.run(arguments: ["list"] + refused)
      #expect(outcome.code == 64 && outcome.output.isEmpty, "\(outcome)")
    }
    let unknown = try await place.run("list", "--columns", "id,shape").errors
    #expect(unknown.contains("“shape”") && unknown.contains("magnitudeType, place"))
  }

  @Test("`open` passes the address to the browser, and prints it where there is none")
  func open() async throws {
    let place = try await Workplace()
    let folder = place.place.folder.path
    func browser(_ name: String, _ code: Int) throws -> String {
      let path = try place.place.write(
        name, "#!/bin/sh\nprintf '%s|' \"$0\" \"$@\" >> '\(folder)/opened'\nexit \(code)\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      return path
    }
    func opened() throws -> String {
      defer { try? FileManager.default.removeItem(atPath: folder + "/opened") }
      return (try? String(contentsOfFile: folder + "/opened", encoding: .utf8)) ?? ""
    }
    let address = "https://example.org/nc1?a=b"
    let (good, bad) = (try browser("good", 0), try browser("bad", 3))
    let first = try await place.run("open", "nc1", environment: ["BROWSER": good])
    #expect(first.code == 0 && first.output.isEmpty && first.errors.isEmpty)
    #expect(try opened() == "\(good)|\(address)|")
    _ = try await place.run(
      "open", "nc1", environment: ["BROWSER": "none-such:\(bad) -x:\(good) --url=%s -n"])
    #expect(try opened() == "\(bad)|-x|\(address)|\(good)|--url=\(address)|-n|")
    _ = try browser("xdg-open", 0)
    let usual = try await place.run("open", "nc1", environment: ["BROWSER": "", "PATH": folder])
    #expect(usual.output.isEmpty)
    #expect(try opened() == "\(folder)/xdg-open|\(address)|")
    for (arguments, path) in [([], "/nowhere"), (["--print"], folder)] {
      let printed = try await place.program.run(
        arguments: ["open", "nc1"] + arguments,
        environment: ["BROWSER": bad, "PATH": path])
      #expect(printed.code == 0 && printed.output == address + "\n")
    }
    #expect(try await place.run("open", "nothing", "--print").code == 1)
  }

  @Test("Only addresses of the web, without anything that a program could take for something else")
  func addresses() throws {
    var event = WatchScreenTests.event("nc1")
    for (address, isGood) in [
      ("https://example.org/a?b=c#d", true), ("http://127.0.0.1/", true), ("--help", false),
      ("javascript:alert(1)", false), ("file:///etc/passwd", false), ("https:", false),
      ("https://user:word@example.org/", false), ("https:///path", false),
    ] {
      event.url = address
      #expect((Browser.address(event) == address) == isGood, "\(address)")
    }
    for hostile in [
      "https://example.org/\u{1b}[2J", "https://example.org/a b\n-x", "https://\u{202e}/",
    ] {
      event.url = hostile
      let address = Browser.address(event) ?? ""
      #expect(address.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    }
    event.url = nil
    #expect(Browser.address(event) == nil)
  }
}
