import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import quakes
@testable import TestSupport

@Suite("`quakes watch`", .timeLimit(.minutes(20)))
struct WatchCommandTests {
  /// A folder with the program's store and a feed in a file.
  private final class Workplace: Sendable {
    private let folder: TemporaryFolder
    let program: Program

    init() throws {
      folder = try TemporaryFolder("quakes")
      program = try Program(folder: folder.url)
    }

    var feed: URL { folder.file("feed.geojson") }

    /// Writes the feed: events an hour apart, the last one newest.
    /// - Parameter aliases: The identifiers of events that have others, as the feed writes them.
    func write(
      _ events: [(id: String, magnitude: Double, place: String)], aliases: [String: String] = [:]
    ) throws {
      let features = events.enumerated().map { number, event in
        """
        {"type":"Feature","properties":{"mag":\(event.magnitude),"place":"\(event.place)",
        "ids":"\(aliases[event.id] ?? "")","time":\(1_750_000_000_000 + number * 3_600_000)},"geometry":{"type":"Point",
        "coordinates":[1,2,3]},"id":"\(event.id)"}
        """
      }
      let text =
        #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
      try Data(text.utf8).write(to: feed)
    }

    /// Loads the feed, like `quakes refresh` run by cron.
    func refresh() async throws {
      let outcome = try await program.run("refresh", "--force", "--feed", feed.path)
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
  }

  private struct Line: Decodable {
    var change: String
    var event: APIEvent?
    var id: String?
  }

  @Test("In a pipe, each new event is a line, and a limit ends the command")
  func lines() async throws {
    let place = try Workplace()
    try place.write([("nc1", 5, "Alpha"), ("nc2", 1, "Beta"), ("nc3", 6, "Gam\\u001bma")])
    let arguments = ["watch", "--feed", place.feed.path, "--min-magnitude", "4", "--limit", "2"]
    let json = try await place.program.run(
      arguments: arguments + ["--format", "json", "--store", place.program.folder.path + "/j"])
    #expect(json.code == 0 && json.errors.isEmpty)
    let lines = try json.output.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(lines.map(\.change) == ["new", "new"])
    #expect(lines.map { $0.event?.id } == ["nc1", "nc3"])

    let short = try await place.program.run(
      arguments: arguments + ["--json", "--store", place.program.folder.path + "/k"])
    #expect(short.code == 0 && short.output == json.output)

    let text = try await place.program.run(arguments: arguments)
    let rows = text.output.split(separator: "\n").map(String.init)
    #expect(text.code == 0 && rows.count == 2 && rows.allSatisfy { $0.hasPrefix("new      2025-") })
    #expect(rows[0].contains("Alpha") && rows[1].contains("Gam\u{fffd}ma"))
  }

  @Test("`--run` starts its command for each new event before the limit's end, in their order")
  func runs() async throws {
    let place = try Workplace()
    try place.write([
      ("nc1", 5, "$(touch pwned) Alpha"), ("nc2", 1, "Beta"), ("nc3", 6, "Gam\\u001bma"),
    ])
    let outcome = try await place.program.run(
      arguments: [
        "watch", "--feed", place.feed.path, "--min-magnitude", "4", "--limit", "2", "--since",
        "2025-01-01",
        "--run",
        "cd '\(place.program.folder.path)'; echo \"$QUAKES_ID $QUAKES_PLACE\" >> runs; cat >> objects;"
          + " echo printed; echo told >&2; [ $QUAKES_ID != nc1 ]",
      ])
    let folder = place.program.folder
    let runs = try String(contentsOf: folder.appendingPathComponent("runs"), encoding: .utf8)
    #expect(runs == "nc1 $(touch pwned) Alpha\nnc3 Gam\u{fffd}ma\n")
    let objects = try String(contentsOf: folder.appendingPathComponent("objects"), encoding: .utf8)
    let ids = try objects.split(separator: "\n").map {
      try JSONDecoder().decode(APIEvent.self, from: Data($0.utf8)).id
    }
    #expect(ids == ["nc1", "nc3"] && !place.program.files().contains("pwned"))
    // The commands' output isn't mixed with the lines.
    #expect(outcome.code == 0 && outcome.output.split(separator: "\n").count == 2)
    #expect(!outcome.output.contains("printed"))
    #expect(
      outcome.errors == """
        printed
        told
        The command for nc1 ended with exit code 1.
        printed
        told

        """)
  }

  @Test("The first load of an empty store starts no command of `--run`; a later event does")
  func firstLoad() async throws {
    let place = try Workplace()
    let ran = place.program.folder.appendingPathComponent("runs")
    let arguments = [
      "watch", "--feed", place.feed.path, "--run", "echo $QUAKES_ID >> '\(ran.path)'", "--limit",
    ]
    try place.write([("nc1", 5, "Alpha"), ("nc2", 5, "Beta")])
    let first = try await place.program.run(arguments: arguments + ["2"])
    #expect(first.code == 0 && first.output.split(separator: "\n").count == 2)
    #expect(!FileManager.default.fileExists(atPath: ran.path))
    try place.write([("nc1", 5, "Alpha"), ("nc2", 5, "Beta"), ("nc3", 5, "Gamma")])
    _ = try await place.program.run(arguments: arguments + ["1"])
    #expect(try String(contentsOf: ran, encoding: .utf8) == "nc3\n")
  }

  @Test("Changed and deleted events are lines, too")
  func changedLines() throws {
    let pipe = Pipe()
    let lines = WatchLines(
      table: nil, query: { EventQuery(minimumMagnitude: 4) }, limit: nil,
      descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try lines.write(
      EventChanges(
        updated: [WatchScreenTests.event("nc1"), WatchScreenTests.event("nc2", 3)],
        deleted: ["nc\"3"]))
    try lines.write(.unknown)
    try pipe.fileHandleForWriting.close()
    let output = try #require(try pipe.fileHandleForReading.readToEnd())
    let found = try String(decoding: output, as: UTF8.self).split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(found.map(\.change) == ["changed", "deleted", "unknown"])
    #expect(found[0].event?.id == "nc1" && found[1].id == "nc\"3")
  }

  @Test("It ends without an error when the pipe is closed, even with nothing left to write")
  func closedPipe() async throws {
    let place = try Workplace()
    try place.write([("nc1", 5, "Alpha")])
    let outcome = try await place.program.shell(
      "quakes watch --feed '\(place.feed.path)' | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}")
    #expect(outcome.output == "0\n")
  }

  @Test("Unsupported options are refused at the start")
  func refusals() async throws {
    let place = try Workplace()
    for (code, arguments) in [
      (64, ["--format", "screen"]), (64, ["--limit", "0"]), (64, ["--since", "yesterday"]),
      (64, ["--json", "--format", "lines"]), (64, ["--run", " "]), (64, ["--run-limit", "5m"]),
      (64, ["--run", "a", "--run-limit", "0s"]),
      (64, ["--min-magnitude", "nan"]), (64, ["--every", "soon"]), (64, ["--feed", "all_year"]),
      (74, ["--store", "/dev/null/x.store"]),
    ] as [(Int32, [String])] {
      let outcome = try await place.program.run(arguments: ["watch"] + arguments)
      #expect(outcome.code == code && !outcome.errors.isEmpty && outcome.output.isEmpty)
    }
  }

  #if os(Linux)
    private static let opening = "\u{1b}[?1049h"
    private static let closing = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    @Test("On a terminal, another process's events appear marked; q restores the screen")
    func screen() async throws {
      let place = try Workplace()
      try place.write([("nc1", 5, "Alpha"), ("nc2", 2, "Beta")])
      try await place.refresh()
      let terminal = try await PseudoTerminal(
        place.program, ["watch", "--no-refresh"], environment: ["NO_COLOR": "1"])
      let start = try await terminal.read { $0.contains("Alpha") && $0.contains("not loaded yet") }
      #expect(start.hasPrefix(Self.opening) && start.contains("Quakes · 2 events"))
      #expect(!terminal.isCooked && !start.contains(/\u{1b}\[[0-9]*m/))

      try place.write([("nc1", 5.5, "Alpha"), ("nc2", 2, "Beta"), ("nc3", 4, "Gamma")])
      try await place.refresh()
      let news = try await terminal.read {
        $0.contains("Gamma") && $0.contains("5.5") && $0.contains("Quakes · 3 events")
      }
      #expect(news.contains(/\+ 2025[^\u{1b}]*Gamma/) && news.contains(/~ 2025[^\u{1b}]*Alpha/))
      terminal.press("q")
      let (end, code) = try await terminal.end()
      #expect(code == 0 && end.hasSuffix(Self.closing) && terminal.isCooked)
    }

    @Test("The live view runs commands of `--run`, once for an earthquake, and tells failures")
    func runsBesideScreen() async throws {
      let place = try Workplace()
      try place.write([("nc1", 5, "Alpha")])
      try await place.refresh()
      let fifo = place.program.folder.appendingPathComponent("fifo")
      #expect(mkfifo(fifo.path, 0o600) == 0)
      let descriptor = open(fifo.path, O_RDWR | O_CLOEXEC)
      let reader = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      let command = "echo hidden; printf '%s\\n' \"$QUAKES_ID\" > '\(fifo.path)'; exit 7"
      let terminal = try await PseudoTerminal(
        place.program, ["watch", "--no-refresh", "--run", command])
      _ = try await terminal.read { $0.contains("Alpha") }
      // nc1 is stored already, also under its new identifier.
      try place.write([("nc2", 5, "Alpha"), ("nc3", 4, "Gamma")], aliases: ["nc2": ",nc1,nc2,"])
      try await place.refresh()
      #expect(try reader.read(upToCount: 4) == Data("nc3\n".utf8))
      let shown = try await terminal.read { $0.contains("ended with exit code 7. ·") }
      #expect(!shown.contains("hidden"))
      try place.write([("nc4", 5, "Delta"), ("us5", 4, "Gamma")], aliases: ["us5": ",nc3,us5,"])
      try await place.refresh()
      #expect(try reader.read(upToCount: 4) == Data("nc4\n".utf8))
      _ = try await terminal.read { $0.contains("The command for nc4") }
      terminal.press("q")
      let (end, code) = try await terminal.end()
      #expect(code == 0 && terminal.isCooked)
      let after = try #require(end.components(separatedBy: Self.closing).last)
      #expect(
        after == "The command for nc3 ended with exit code 7.\r\n"
          + "The command for nc4 ended with exit code 7.\r\n")
    }

    @Test("It loads the feed at intervals and with r, and the last line shows a failure")
    func refreshes() async throws {
      let place = try Workplace()
      try place.write([("nc1", 5, "Alpha")])
      let terminal = try await PseudoTerminal(place.program, ["watch", "--feed", place.feed.path])
      _ = try await terminal.read { $0.contains("Alpha") && $0.contains("next refresh in") }
      try place.write([("nc1", 5, "Alpha"), ("nc2", 4, "Beta")])
      terminal.press("r")
      _ = try await terminal.read { $0.contains("Beta") }
      try Data("{".utf8).write(to: place.feed)
      terminal.press("r")
      _ = try await terminal.read { text in
        if text.contains("the last refresh failed") { return true }
        // Beta is shown before the refresh that loaded it has ended; until then, r joins that
        // refresh.
        terminal.press("r")
        return false
      }
      terminal.press("\u{4}")
      #expect(try await terminal.end().code == 0 && terminal.isCooked)
    }

    @Test("The terminal is restored after any end", arguments: ["Ctrl-C", "SIGTERM", "SIGHUP"])
    func endings(way: String) async throws {
      let place = try Workplace()
      try place.write([("nc1", 5, "Alpha")])
      try await place.refresh()
      let terminal = try await PseudoTerminal(place.program, ["watch", "--no-refresh"])
      _ = try await terminal.read { $0.contains("Alpha") }
      switch way {
      case "Ctrl-C": terminal.press("\u{3}")
      case "SIGTERM": terminal.send(SIGTERM)
      default: terminal.send(SIGHUP)
      }
      let (end, code) = try await terminal.end()
      #expect(code == 0 && end.hasSuffix(Self.closing) && terminal.isCooked)
    }

    @Test("Repeated signals end the command, and the terminal is restored")
    func impatience() async throws {
      let place = try Workplace()
      try place.write([("nc1", 5, "Alpha")])
      try await place.refresh()
      let terminal = try await PseudoTerminal(place.program, ["watch", "--no-refresh"])
      _ = try await terminal.read { $0.contains("Alpha") }
      terminal.press("qqq")
      let (end, code) = try await terminal.end()
      #expect([0, 130].contains(code) && end.hasSuffix(Self.closing) && terminal.isCooked)
      #expect(end.components(separatedBy: Self.closing).count == 2)
    }

    @Test("A new size redraws the view, within its rows")
    func resizes() async throws {
      let place = try Workplace()
      try place.write((1...20).map { ("nc\($0)", 5, "Place \($0)") })
      try await place.refresh()
      let terminal = try await PseudoTerminal(place.program, ["watch", "--no-refresh"], rows: 20)
      let whole = try await terminal.read { $0.contains("[20;1H") }
      #expect(whole.contains("Place 20") && whole.contains("nc20") && whole.contains("Place 4 "))
      terminal.resize(columns: 42, rows: 6)
      let small = try await terminal.read { $0.contains("[6;1H") }
      #expect(small.contains("\u{1b}[2J") && small.contains("Place 20") && !small.contains("nc20"))
      #expect(!small.contains("[7;1H"))
      terminal.press("q")
      #expect(try await terminal.end().code == 0)
    }

    @Test("A store that can't be opened is reported on the restored screen")
    func unopened() async throws {
      let place = try Workplace()
      let terminal = try await PseudoTerminal(
        place.program, ["watch", "--store", "/dev/null/x.store"])
      let (output, code) = try await terminal.end()
      #expect(code == 74 && output.contains("/dev/null/x.store") && !output.contains(Self.opening))
    }
  #endif
}
