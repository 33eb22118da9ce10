import Foundation
import QuakesKit
import Testing

@testable import TestSupport
@testable import quakes

@Suite("The command of `quakes watch --run`", .timeLimit(.minutes(20)))
struct EventCommandTests {
  /// Runs a command for an event and returns what it printed, and the reason of its failure.
  private func run(
    _ text: String, _ event: Event = WatchScreenTests.event("nc1")
  ) async throws -> (output: String, failure: String?) {
    let folder = try TemporaryFolder("quakes")
    let file = try folder.file("out", "")
    let output = try FileHandle(forWritingTo: file)
    let failure = await EventCommand(text: text, limit: .seconds(240), output: output).run(event)
    return (try String(contentsOf: file, encoding: .utf8), failure)
  }

  @Test("It has the values of the event in its environment, and those that are unknown are empty")
  func environment() async throws {
    var event = WatchScreenTests.event("nc1", 4.25, place: "5 km N of Here")
    (event.depth, event.longitude, event.latitude) = (-1.5, -122.25, 38)
    event.url = "https://example.org/nc1"
    let names = [
      "ID", "MAGNITUDE", "PLACE", "TIME", "LATITUDE", "LONGITUDE", "DEPTH", "URL",
    ]
    let text = names.map { "printf '%s\\n' \"${QUAKES_\($0)-unset}\"" }.joined(separator: ";")
    let known = try await run(text, event)
    #expect(known.failure == nil)
    #expect(
      known.output == """
        nc1
        4.25
        5 km N of Here
        2025-06-15T15:06:40.000Z
        38
        -122.25
        -1.5
        https://example.org/nc1

        """)
    (event.magnitude, event.place, event.depth, event.url) = (nil, nil, nil, "javascript:alert(1)")
    let unknown = ["MAGNITUDE", "PLACE", "DEPTH", "URL"].map { "\"${QUAKES_\($0)-unset}\"" }
    let printed = try await run("printf '%s|' " + unknown.joined(separator: " "), event)
    #expect(printed.output == "||||")
  }

  @Test("Text of a feed is data: no shell reads it, and a variable has no control characters")
  func hostile() async throws {
    let place = "$(echo evil) `echo evil` '; echo evil; \" \u{1b}[2J\0\n-e"
    let event = WatchScreenTests.event(
      "nc1", place: place + String(repeating: "x", count: 2_000_000))
    let shown = try await run("printf '%s' \"$QUAKES_PLACE\"; printf '%s' $QUAKES_PLACE >&2", event)
    #expect(shown.failure == nil)
    let safe = "$(echo evil) `echo evil` '; echo evil; \" \u{fffd}[2J\u{fffd}\u{fffd}-exxx"
    #expect(shown.output.hasPrefix(safe))
    #expect(!shown.output.unicodeScalars.contains { $0.value < 0x20 })
    #expect(shown.output.utf8.count < 10_000)
  }

  @Test("Its address is one of the web without anything that could be an option, or empty")
  func address() {
    var event = WatchScreenTests.event("nc1")
    for (text, variable) in [
      ("http: -o /tmp/a http://a.example/", ""), ("https:", ""), ("-o", ""),
      ("https://user:word@a.example/", ""), ("https://a.example/ -o", ""),
      ("https://a.example/?b=c", "https://a.example/?b=c"),
    ] {
      event.url = text
      #expect(EventCommand.variables(event)["QUAKES_URL"] == variable, "\(text)")
    }
  }

  @Test("It has the API's object of the event on its standard input, even if it never reads it")
  func input() async throws {
    var event = WatchScreenTests.event("nc1", place: "a \"b\"\n")
    let read = try await run("cat; cat", event)
    let lines = read.output.split(separator: "\n")
    #expect(lines.count == 1 && read.failure == nil)
    let decoded = try JSONDecoder().decode(APIEvent.self, from: Data(read.output.utf8))
    #expect(decoded.id == "nc1" && decoded.place == "a \"b\"\n")
    event.place = String(repeating: "x", count: 2_000_000)
    #expect(try await run("exit 0", event).failure == nil)
    #expect(try await run("wc -c", event).output.contains("2000"))
  }

  @Test("A failure is told: an exit code, a signal")
  func failures() async throws {
    #expect(try await run("exit 3").failure == "ended with exit code 3")
    #expect(try await run("no-such-program-here").failure == "ended with exit code 127")
    #expect(try await run("kill -9 $$").failure == "was ended by signal 9")
  }

  @Test(
    "The time limit and a cancellation end the processes that it has started, too",
    arguments: [true, false])
  func children(isLimited: Bool) async throws {
    let pipe = Pipe()
    let command = EventCommand(
      text: "sleep 1000 & echo begun; wait", limit: isLimited ? .seconds(1) : .seconds(240),
      output: pipe.fileHandleForWriting)
    let running = Task { await command.run(WatchScreenTests.event("nc1")) }
    if !isLimited {
      #expect(try pipe.fileHandleForReading.read(upToCount: 6) == Data("begun\n".utf8))
      running.cancel()
    }
    let failure = await running.value
    #expect(failure == (isLimited ? "took longer than 1 s and was ended" : nil))
    try pipe.fileHandleForWriting.close()
    // The end of the file: no process has the pipe open any more.
    let rest = try pipe.fileHandleForReading.readToEnd()
    #expect(rest == (isLimited ? Data("begun\n".utf8) : nil))
  }
}
