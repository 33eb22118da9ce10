import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting
@testable import QuakesKit
@testable import quakes

@Suite("The commands `backfill` and `coverage`", .timeLimit(.minutes(20)))
struct BackfillCommandTests {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("Loads a range once, tells what it did, and `coverage` shows it")
  func loads() async throws {
    let place = try CommandTests.Workplace()
    try await ArchiveScene.run { scene in
      let range = ["backfill", "--from", "2025-01-01", "--to", "2025-06-01"]
      let words = range + ["--service", scene.base, "--min-magnitude", "1"]
      let first = try await place.program.run(arguments: words + ["--json"])
      #expect(first.code == 0 && first.errors.isEmpty, "\(first)")
      let report = try object(first.output)
      let day = 86_400_000
      #expect(report["since"] as? Int == 20_089 * day && report["until"] as? Int == 20_240 * day)
      #expect(report["minimumMagnitude"] as? Double == 1)
      #expect(report["inserted"] as? Int == report["received"] as? Int)
      #expect(report["inserted"] as? Int ?? 0 > 300 && report["parts"] as? Int == 3)
      let again = try await place.program.run(
        arguments: words, environment: ["QUAKES_ALL_MAGNITUDES": "0"])
      #expect(again.output == "2025-01-01 to 2025-06-01: already loaded; --force loads it again\n")
      let forced = try await place.program.run(
        arguments: range + ["--minimum-magnitude", "4", "--force"],
        environment: ["QUAKES_SERVICE": scene.base])
      #expect(forced.code == 0 && forced.output.contains("\n  unchanged "))
      let shown = try await place.program.run("coverage").output
      let start = "2025-01-01 to 2025-06-01  M 1.0+  from 127.0.0.1, loaded 2"
      #expect(shown.hasPrefix(start) && shown.filter { $0 == "\n" }.count == 1)
      let listed = try await place.program.run("coverage", "--json").output
      let ranges = try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]]
      #expect(ranges?.count == 1 && ranges?[0]["service"] as? String == scene.service.description)
      #expect(ranges?[0]["since"] as? Int == 20_089 * day)
      #expect(ranges?[0]["minimumMagnitude"] as? Double == 1)
      let listedEvents = try await place.program.run("list", "--format", "json").output
      #expect(
        try JSONDecoder().decode([APIEvent].self, from: Data(listedEvents.utf8)).count
          == report["inserted"] as? Int)
    }
  }

  @Test("A failing service is one line with what it says, and leaves what was loaded")
  func fails() async throws {
    let place = try CommandTests.Workplace()
    try await ArchiveScene.run { scene in
      await scene.world.turnOn(.notFound, after: 1)
      let words = [
        "backfill", "--from", "2025-01-01", "--to", "2025-06-01", "--service", scene.base,
      ]
      let outcome = try await place.program.run(arguments: words)
      #expect(outcome.code == 69 && outcome.output.isEmpty)
      #expect(
        outcome.errors.contains("The server answered 404 Not Found: A fault of the demo.")
          && outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome.errors)")
      let kept = try await place.program.run("coverage").output
      #expect(kept.hasPrefix("2025-05-02 to 2025-06-01  magnitudes above 0  from 127.0.0.1"))
    }
  }

  @Test(
    "Mistyped options leave no store behind",
    arguments: [
      ["--from", "yesterday"], ["--from", "2025-01-01", "--to", "2024-01-01"],
      ["--from", "2025-01-01", "--service", "all_day"], ["--from", "9000-01-01"],
      ["--from", "2025-01-01", "--min-magnitude", "nan"],
      ["--from", "2025-01-01", "--min-magnitude", "1e300"], [],
    ])
  func refused(_ words: [String]) async throws {
    let place = try CommandTests.Workplace()
    let before = place.program.files()
    let outcome = try await place.program.run(arguments: ["backfill"] + words)
    #expect(outcome.code == 64 && !outcome.errors.isEmpty, "\(outcome)")
    #expect(place.program.files() == before)
  }

  @Test("Without back-fills, `coverage` says what to do")
  func nothing() async throws {
    let place = try CommandTests.Workplace()
    _ = try await place.program.run("refresh", "--feed", place.feed(events: 10))
    let outcome = try await place.program.run("coverage")
    #expect(outcome.code == 0 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("quakes backfill --from"))
    #expect(try await place.program.run("coverage", "--json").output == "[]\n")
  }

  @Test("The steps of a back-fill, as the line of progress shows them")
  func steps() {
    let part = 1_735_689_600..<1_735_776_000
    var report = BackfillReport(range: part)
    report.counts.received = 7
    report.counts.inserted = 5
    func text(_ step: BackfillProgress.Step) -> String {
      BackfillText.step(BackfillProgress(step: step, part: part, report: report))
    }
    #expect(text(.loaded) == "7 events, 5 new, back to 2025-01-01")
    #expect(text(.divided) == "too many events since 2025-01-01, asking for less")
    let error = BackfillError(.busy, part, reason: "The server answered 503")
    #expect(
      text(.waiting(.milliseconds(1_200), error)) == "again in 2 s: The server answered 503")
    #expect(ExitStatus(error).code == 75)
    #expect(ExitStatus(BackfillError(.malformed, part, reason: "")).code == 65)
    #expect(RangeText.time(1_735_689_601) == "2025-01-01 00:00:01")
  }
}
