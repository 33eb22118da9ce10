import DemoFeed
import Foundation
import LocalApp
import QuakesKit
import Testing

@testable import ProgramTesting

@Suite("Messages of commands about what they refuse", .timeLimit(.minutes(20)))
struct RefusalTests {
  @Test(
    "name the option or argument that has the wrong value",
    arguments: [
      (["list", "--since", "yesterday"], "--since yesterday: "),
      (["stats", "--until", "2026-13-45"], "--until 2026-13-45: "),
      (["backfill", "--from", "long ago"], "--from long ago: "),
      (["backfill", "--from", "2d", "--to", "soon"], "--to soon: "),
      (["demo-feed", "--anchor", "x"], "--anchor x: "),
      (["list", "--box", "1,2,3,4"], "--box 1,2,3,4: a box is "),
      (["watch", "--box", "10,10..0,20"], "--box 10,10..0,20: the southern corner"),
      (["near", "tokyo", "--within", "30000km"], "--within 30000km: a radius"),
      (["near", "tokyo", "--within", "0 km"], "--within 0 km: a radius"),
      (["near", "95,10"], "quakes: 95,10: latitudes"),
      (["near", "no such place"], "quakes: no such place: "),
      (["list", "--json", "--format", "csv"], "--json is --format json"),
      (["list", "--since", "2026-02-30"], "--since 2026-02-30: "),
      (["list", "--min-magnitude", "5", "--max-magnitude", "4"], "--min-magnitude is greater"),
      (["stats", "--min-depth=-5", "--max-depth=-6"], "The range is empty: --min-depth"),
      (
        ["list", "--since", "2021-07-23", "--until", "2021-07-22"], "--since 2021-07-23: the range"
      ),
      (["list", "--search", "m > 4"], "“>”: a comparison has no spaces"),
      (["demo-feed", "--replay", "a", "--write", "b"], "--write writes made-up events"),
    ])
  func options(_ command: [String], _ start: String) async throws {
    let place = try CommandTests.Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed(events: 10))
    let outcome = try await place.program.run(arguments: command)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(start), "\(outcome.errors)")
    #expect(command.contains("--search") || !outcome.errors.contains("--search"))
  }

  @Test(
    "tell of a file that is no feed that it isn't one, and the form of a feed",
    arguments: ["hello", #"{"type": "FeatureCollection"}"#, "id,time\n1,2\n"])
  func noFeed(_ content: String) async throws {
    let place = try CommandTests.Workplace()
    let file = place.folder.appendingPathComponent("events.txt")
    try Data(content.utf8).write(to: file)
    let outcome = try await place.program.run("refresh", "--feed", file.path)
    #expect(outcome.code == 65 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("The file isn't a feed, and nothing was changed. A feed is"))
    #expect(!outcome.errors.contains("later"), "\(outcome.errors)")
  }

  @Test("tell where a server can't listen, in words", arguments: ["serve", "demo-feed"])
  func listening(_ command: String) async throws {
    let place = try CommandTests.Workplace()
    let feed = try place.feed(events: 10)
    let errors = try await DemoFeedServer(.init().onFreePort).whileRunning { base in
      let port = try WireClient(base).port
      let more = command == "serve" ? ["--feed", feed] : []
      let outcome = try await place.program.run(
        arguments: [command, "--port", "\(port)"] + more)
      #expect(outcome.code == 74)
      return outcome.errors
    }
    #expect(errors.contains("another program listens there already; --port takes another port"))
    #expect(!errors.contains("errno") && !errors.contains("descriptor"))
  }

  @Test("tell that a host has no address")
  func unknownHost() async throws {
    let place = try CommandTests.Workplace()
    let outcome = try await place.program.run(
      "serve", "--port", "0", "--feed", place.feed(events: 10), "--host", "nowhere.invalid")
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains("nowhere.invalid:0: cannot listen: no address is known"))
    #expect(outcome.errors.contains("--host") && !outcome.errors.contains("--port"))
  }

  @Test("tell why the demo feed's files can't be read or written, and leave nothing behind")
  func demoFiles() async throws {
    let place = try CommandTests.Workplace()
    let missing = place.folder.appendingPathComponent("no/such.geojson").path
    let before = place.program.files()
    let read = try await place.program.run("demo-feed", "--replay", missing)
    #expect(read.code == 66)
    #expect(read.errors.hasSuffix("\(missing) (No such file or directory)\n"), "\(read.errors)")
    let written = try await place.program.run("demo-feed", "--events", "10", "--write", missing)
    #expect(written.code == 74)
    #expect(written.errors.hasSuffix("\(missing) (No such file or directory)\n"))
    let full = try await place.program.shell(
      "ulimit -f 1; trap '' XFSZ; cd '\(place.folder.path)'; "
        + "quakes demo-feed --write big.geojson --events 10000 2>&1; echo $?")
    #expect(full.output.hasSuffix("/big.geojson (File too large)\n74\n"), "\(full)")
    #expect(place.program.files() == before)
  }

  @Test("name an argument or variable that isn't UTF-8, which would be another file's name")
  func otherBytes() async throws {
    let place = try CommandTests.Workplace()
    let feed = try place.feed(events: 10)
    let before = place.program.files()
    let name = "\"$(printf 'caf\\351.store')\""
    for command in [
      "quakes refresh --feed '\(feed)' --store \(name)", "quakes list --store \(name)",
      "QUAKES_STORE=\(name) quakes refresh --feed '\(feed)'",
      "unset XDG_DATA_HOME; HOME=$PWD/\(name) quakes list",
    ] {
      let outcome = try await place.program.shell(
        "cd '\(place.folder.path)'; \(command) 2>&1; echo $?")
      #expect(outcome.output.hasSuffix(" isn't UTF-8\n64\n"), "\(outcome)")
    }
    #expect(place.program.files() == before)
  }

  @Test("name a store once")
  func stores() async throws {
    let place = try CommandTests.Workplace()
    let foreign = try place.write("notes.txt", String(repeating: "no store\n", count: 1_000))
    for command in [["list"], ["refresh", "--feed", try place.feed(events: 10)]] {
      let outcome = try await place.program.run(arguments: command + ["--store", foreign])
      #expect(outcome.code == 74)
      #expect(outcome.errors.components(separatedBy: foreign).count == 2, "\(outcome.errors)")
    }
  }

  @Test("give no age of an event in the future")
  func future() async throws {
    let place = try CommandTests.Workplace()
    let time = (Int(Date().timeIntervalSince1970) + 86_400) * 1_000
    let feed = try place.write(
      "future.geojson",
      """
      {"features":[{"properties":{"mag":5,"place":"x","time":\(time)},
      "geometry":{"coordinates":[1,2]},"id":"nc1"}]}
      """)
    _ = try await place.program.run("refresh", "--feed", feed)
    let outcome = try await place.program.run("list", "--since", "2100-01-01")
    #expect(outcome.code == 0 && outcome.errors.contains("the newest in the store is of "))
    #expect(!outcome.errors.contains("ago"), "\(outcome.errors)")
  }
}

extension DemoFeedServer.Settings {
  fileprivate var onFreePort: Self {
    var settings = self
    (settings.port, settings.events) = (0, 10)
    return settings
  }
}

@Suite("The help of commands")
struct HelpTests {
  @Test(
    "has short lines, and those of lists are indented",
    arguments: [
      [], ["refresh"], ["backfill"], ["coverage"], ["list"], ["near"], ["show"], ["open"],
      ["stats"], ["watch"], ["serve"], ["demo-feed"],
    ])
  func lines(_ command: [String]) async throws {
    let place = try CommandTests.Workplace()
    let outcome = try await place.program.run(arguments: command + ["--help"])
    let described = outcome.output.components(separatedBy: "\nUSAGE: ")[0]
    for block in described.components(separatedBy: "\n\n") {
      let lines = block.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 })
      guard lines.first?.allSatisfy({ $0.isUppercase || $0 == " " }) == true else { continue }
      #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(block)")
    }
  }
}
