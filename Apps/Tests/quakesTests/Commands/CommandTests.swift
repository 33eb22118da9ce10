import DemoFeed
import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import TestSupport

@Suite("The command line", .timeLimit(.minutes(20)))
struct CommandTests {
  struct Workplace {
    private let place: TemporaryFolder
    let program: Program
    var folder: URL { place.url }

    init() throws {
      place = try TemporaryFolder("quakes")
      program = try Program(folder: place.url)
    }

    /// Creates a file with a feed of synthetic events.
    func feed(events: Int = 400) throws -> String {
      let file = folder.appendingPathComponent("all_month.geojson")
      let catalogue = Catalogue(seed: 3, events: events, anchor: 1_750_000_000_000)
      let month = SummaryFeed(level: .all, window: .month)
      _ = try FeedFile.write(month, of: catalogue, to: file)
      return file.path
    }

    func write(_ name: String, _ text: String) throws -> String {
      try place.file(name, text).path
    }
  }

  private func object(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any])
  }

  @Test("`refresh --json` prints one object with counts that add up, and a second run adds nothing")
  func refresh() async throws {
    let place = try Workplace()
    let feed = try place.feed()
    let first = try await place.program.run("refresh", "--feed", feed, "--json")
    #expect(first.code == 0 && first.errors.isEmpty)
    #expect(first.output.filter { $0 == "\n" }.count == 1)
    let report = try object(first.output)
    let counts = ["inserted", "updated", "unchanged", "filtered", "skipped"]
      .compactMap { report[$0] as? Int }
    #expect(report["received"] as? Int == 400 && counts.reduce(0, +) == 400)
    #expect(report["notModified"] as? Bool == false && report["bytes"] as? Int ?? 0 > 100_000)
    let second = try object(
      await place.program.run("refresh", "--feed", feed, "--json", "--force").output)
    #expect(second["inserted"] as? Int == 0 && second["updated"] as? Int == 0)
    let all = try object(
      await place.program.run("refresh", "--feed", feed, "--json", "--all-magnitudes").output)
    #expect(all["filtered"] as? Int == 0 && all["inserted"] as? Int == report["filtered"] as? Int)
  }

  @Test("`stats` counts the events that `list` gives, as text and as JSON")
  func statistics() async throws {
    let place = try Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed())
    let listed = try JSONDecoder().decode(
      [APIEvent].self,
      from: Data(
        await place.program.run("list", "--min-magnitude", "1", "--format", "json").output.utf8))
    let json = try object(
      await place.program.run("stats", "--min-magnitude", "1", "--json").output)
    #expect(json["count"] as? Int == listed.count)
    let bins = try #require(json["magnitudes"] as? [[String: Any]])
    let earthquakes = listed.filter { $0.type == "earthquake" && $0.magnitude != nil }
    #expect(bins.compactMap { $0["count"] as? Int }.reduce(0, +) == earthquakes.count)
    let strongest = try #require(json["strongest"] as? [String: Any])
    #expect(strongest["magnitude"] as? Double == earthquakes.compactMap(\.magnitude).max())
    let text = try await place.program.run("stats", "--min-magnitude", "1").output
    #expect(text.contains("Events        \(listed.count)\n"))
    #expect(text.contains("b value") && text.contains("Events a day"))
    let none = try await place.program.run("stats", "--min-magnitude", "9.9")
    #expect(none.output.isEmpty && none.errors == "No event matches: magnitude ≥ 9.9.\n")
  }

  @Test("Upper limits and depths mean the same for `list` and `stats`")
  func limits() async throws {
    let place = try Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed())
    let all = try JSONDecoder().decode(
      [APIEvent].self, from: Data(await place.program.run("list", "--format", "json").output.utf8))
    let ascending = all.compactMap(\.magnitude).sorted()
    let magnitude = try #require(ascending.dropFirst(all.count / 2).first)
    let wanted = all.filter { event in
      guard let depth = event.depth, let own = event.magnitude else { return false }
      return own <= magnitude && depth >= 2 && depth <= 50.5
    }
    let limits = [
      "--max-magnitude", "\(magnitude)", "--min-depth", "2", "--max-depth", "50.5", "--until",
      "2100-01-01",
    ]
    let listed = try JSONDecoder().decode(
      [APIEvent].self,
      from: Data(
        await place.program.run(arguments: ["list", "--format", "json"] + limits).output.utf8))
    #expect(!wanted.isEmpty && wanted.count < all.count && listed == wanted)
    let json = try object(await place.program.run(arguments: ["stats", "--json"] + limits).output)
    #expect(json["count"] as? Int == wanted.count)
    let none = try await place.program.run("stats", "--until", "1990-01-01", "--max-depth", "7")
    #expect(none.errors == "No event matches: before 1990-01-01, depth ≤ 7.0 km.\n")
    let refused = try await place.program.run("list", "--max-depth", "inf")
    #expect(refused.code == 64 && refused.errors.contains("--max-depth takes a number"))
    let pacific = all.filter { $0.longitude >= 100 || $0.longitude <= -100 }
    let boxed = try JSONDecoder().decode(
      [APIEvent].self,
      from: Data(
        await place.program.run("list", "--format", "json", "--box=-90,100..90,-100").output.utf8))
    #expect(!pacific.isEmpty && pacific.count < all.count && boxed == pacific)
    let turned = try await place.program.run("list", "--box", "10,0..5,1")
    #expect(turned.code == 64 && turned.errors.contains("the southern corner comes first"))
  }

  @Test("`list` gives the same events in every format")
  func formats() async throws {
    let place = try Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed())
    let arguments = ["list", "--min-magnitude", "2.5", "--sort", "magnitude"]
    func list(_ format: String) async throws -> String {
      try await place.program.run(
        arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], "--format", format
      ).output
    }
    let events = try JSONDecoder().decode([APIEvent].self, from: Data(await list("json").utf8))
    #expect(events.count > 10 && events.allSatisfy { ($0.magnitude ?? 0) >= 2.5 })
    #expect(events.map { $0.magnitude ?? 0 } == events.map { $0.magnitude ?? 0 }.sorted(by: >))
    let ids = events.map(\.id)
    let csv = try await list("csv").components(separatedBy: "\r\n").dropFirst().dropLast()
    #expect(csv.map { $0.prefix { $0 != "," }.description } == ids)
    let features = try object(await list("geojson"))["features"] as? [[String: Any]]
    #expect(features?.compactMap { $0["id"] as? String } == ids)
    let table = try await list("table").split(separator: "\n").dropFirst()
    #expect(table.map { String($0.split(separator: " ").last ?? "") } == Array(ids.prefix(100)))
  }

  @Test(
    "A table fits its width, has no colour in a pipe, and neutralises control sequences of a feed")
  func table() async throws {
    let place = try Workplace()
    let evil = #"\u001b[2J\u009b31m\u202Eevil\r\n"# + String(repeating: "x", count: 300)
    let feed = try place.write(
      "evil.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"mag":5,"place":"\(evil)",
      "time":0},"geometry":{"type":"Point","coordinates":[1,2,3]},"id":"nc1"}]}
      """)
    #expect(try await place.program.run("refresh", "--feed", feed).code == 0)
    let table = try await place.program.run("list", environment: ["COLUMNS": "80"]).output
    let lines = table.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { PlainText.width(String($0)) <= 80 })
    for output in [table, try await place.program.run("show", "nc1").output] {
      #expect(output.unicodeScalars.allSatisfy { !["\u{1b}", "\u{9b}", "\u{202e}"].contains($0) })
      #expect(output.contains("1970-01-01 00:00:00"))
    }
  }

  @Test("`show` prints an event, and ends with 1 when there is none")
  func show() async throws {
    let place = try Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed())
    let events = try JSONDecoder().decode(
      [APIEvent].self,
      from: Data(await place.program.run("list", "--limit", "1", "--format", "json").output.utf8))
    let event = try #require(events.first)
    let shown = try await place.program.run("show", event.id, "--json")
    #expect(try JSONDecoder().decode(APIEvent.self, from: Data(shown.output.utf8)) == event)
    #expect(try await place.program.run("show", event.id).output.contains(event.place ?? "unknown"))
    let missing = try await place.program.run("show", "nothing")
    #expect(missing.code == 1 && missing.output.isEmpty && missing.errors.contains("nothing"))
  }

  @Test("Exit codes distinguish kinds of failures")
  func exitCodes() async throws {
    let place = try Workplace()
    let jsonp = try place.write("x.geojsonp", "eqfeed_callback({\"type\":\"FeatureCollection\"});")
    let csv = try place.write(
      "x.csv",
      "time,latitude,longitude,depth,mag,magType\n2019-07-19T02:52:13.590Z,36.1,-117.8,2.8,3.2,ml\n"
    )
    let broken = try place.write("x.geojson", #"{"type":"FeatureCollection","features":[{"#)
    for (code, arguments) in [
      (64, ["refresh", "--feed", "all_year"]), (64, ["list", "--since", "yesterday"]),
      (64, ["list", "--limit", "0"]), (64, ["shake"]), (64, ["refresh", "--feed", "ftp://x/y"]),
      (65, ["refresh", "--feed", jsonp]), (65, ["refresh", "--feed", csv]),
      (65, ["refresh", "--feed", broken]),
      (66, ["refresh", "--feed", "missing.geojson"]), (66, ["refresh", "--feed", "./all_day"]),
      (66, ["refresh", "--feed", "/tmp"]), (64, ["refresh", "--feed", "2.5_dya"]),
      (74, ["list", "--store", "/dev/null/x.store"]),
      (64, ["serve", "--port", "0", "--feed", "missing.geojson", "--connections", "15"]),
      (64, ["serve", "--port", "0", "--feed", "missing.geojson", "--connections", "100001"]),
    ] as [(Int32, [String])] {
      let outcome = try await place.program.run(arguments: arguments)
      #expect(outcome.code == code, "\(arguments): \(outcome.errors)")
      #expect(!outcome.errors.isEmpty && outcome.output.isEmpty)
    }
    let limited = try await place.program.shell(
      "ulimit -n 600; quakes serve --port 0 --feed missing.geojson --connections 1000 2>&1")
    #expect(limited.code == 74 && limited.output.contains("600 files and connections"))
    let missing = try await place.program.run("refresh", "--feed", "missing.geojson").errors
    #expect(missing.contains("no such file") && !missing.contains("significant_hour"))
    #expect(try await place.program.run("refresh", "--feed", jsonp).errors.contains("JSONP"))
    #expect(try await place.program.run("refresh", "--feed", csv).errors.contains("CSV"))
    let bad = try await place.program.run(
      "refresh", environment: ["QUAKES_ALL_MAGNITUDES": "maybe"])
    #expect(bad.code == 64 && bad.errors.contains("QUAKES_ALL_MAGNITUDES"))
  }

  @Test("A busy feed is 75, one that cannot be reached 69")
  func feedFailures() async throws {
    var settings = DemoFeedServerTests.settings
    settings.fault = .unavailable
    settings.retryAfter = 3_600
    let outcome = try await DemoFeedServer(settings).whileRunning { base in
      let place = try Workplace()
      return try await place.program.run("refresh", "--feed", base + DemoFeedServerTests.day).code
    }
    #expect(outcome == 75)
  }

  @Test("The environment stands in for options, and options beat it")
  func environment() async throws {
    let place = try Workplace()
    let feed = try place.feed(events: 50)
    let other = place.folder.appendingPathComponent("other.store").path
    let report = try object(
      await place.program.run(
        "refresh", "--json", "--store", other,
        environment: [
          "QUAKES_FEED": feed, "QUAKES_STORE": "/nowhere", "QUAKES_ALL_MAGNITUDES": "1",
        ]
      ).output)
    #expect(report["store"] as? String == other && report["filtered"] as? Int == 0)
    let standard = try await place.program.run(
      "refresh", "--json", "--feed", feed,
      environment: ["QUAKES_STORE": "", "XDG_DATA_HOME": place.folder.path])
    #expect(
      try object(standard.output)["store"] as? String
        == place.folder.appendingPathComponent("quakes/quakes.store").path)
  }

  @Test("A closed pipe is no failure")
  func closedPipe() async throws {
    let place = try Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed(events: 3_000))
    let outcome = try await place.program.shell(
      "set -o pipefail; quakes list --format geojson | head -c 100 > /dev/null; echo \"code $?\"")
    #expect(outcome.output == "code 0\n")
  }

  @Test("Help shows examples, and every command has some")
  func help() async throws {
    let place = try Workplace()
    for command in [[], ["refresh"], ["list"], ["show"], ["watch"], ["serve"], ["demo-feed"]] {
      let outcome = try await place.program.run(arguments: command + ["--help"])
      #expect(outcome.code == 0 && outcome.output.contains("EXAMPLES"))
    }
    let version = try await place.program.run("--version")
    #expect(version.code == 0 && version.output == "0.1.0\n")
  }

  #if os(Linux)
    @Test("Help that can't be written is a failure", arguments: ["--help", "list --help"])
    func unwritableHelp(_ arguments: String) async throws {
      let place = try Workplace()
      let outcome = try await place.program.shell(
        "quakes \(arguments) 2>&1 > /dev/full; echo \"code $?\"")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasPrefix("quakes: ") && lines[1] == "code 74")
    }

    @Test("Output that can't be written is told as such")
    func unwritableOutput() async throws {
      let place = try Workplace()
      _ = try await place.program.run("refresh", "--feed", place.feed())
      let outcome = try await place.program.shell("quakes list 2>&1 > /dev/full; echo $?")
      #expect(outcome.output == "quakes: the standard output: No space left on device\n74\n")
    }

    @Test("A message that can't be written changes nothing")
    func unwritableMessages() async throws {
      let place = try Workplace()
      _ = try await place.program.run("refresh", "--feed", place.feed())
      let outcome = try await place.program.shell(
        "quakes list 2>/dev/full; echo \"code $?\"; quakes show none 2>/dev/full; echo \"code $?\"")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 103 && lines[101] == "code 0" && lines[102] == "code 1")
    }
  #endif
}
