import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting
@testable import QuakesKit

@Suite("`quakes show --details`", .timeLimit(.minutes(20)))
struct ShowDetailsTests {
  private struct Shown: Decodable {
    var id: String
    var details: DetailsAPITests.Shown?
  }

  @Test("Details are printed as text and as JSON, and kept for a time without the server")
  func prints() async throws {
    let place = try CommandTests.Workplace()
    let feed = try await DemoFeedServer(DemoFeedServerTests.settings).whileRunning { base in
      let feed = base + DetailsScene.feed
      let loaded = try await place.program.run("refresh", "--feed", feed)
      #expect(loaded.code == 0)
      let strong = try await place.program.run(
        "list", "--format", "json", "--sort", "magnitude", "--limit", "1")
      let id = try #require(
        try JSONDecoder().decode([Shown].self, from: Data(strong.output.utf8)).first?.id)
      let plain = try await place.program.run("show", id)
      #expect(!plain.output.contains("Mechanism"))
      // The default feed is another server's.
      let refused = try await place.program.run("show", id, "--details")
      #expect(refused.code == 65 && refused.errors.contains("127.0.0.1"))
      #expect(refused.output.isEmpty)
      let text = try await place.program.run("show", id, "--details", "--feed", feed)
      #expect(text.code == 0 && text.errors.isEmpty, "\(text)")
      for part in [
        "Details        loaded ", "Shaking        up to ", "Mechanism      moment tensor of ",
        "Plane 1        strike ", "Plane 2        strike ", "Towns ",
        "Contours       intensities III",
      ] {
        #expect(text.output.contains(part), "\(part) in \(text.output)")
      }
      let json = try await place.program.run(
        "show", id, "--details", "--json", environment: ["QUAKES_FEED": feed])
      let shown = try JSONDecoder().decode(Shown.self, from: Data(json.output.utf8))
      #expect(shown.id == id && shown.details?.isCurrent == true)
      #expect(shown.details?.contours.isEmpty == false)
      return (feed: feed, id: id)
    }
    // The server is gone; the events are of another year, and stay current.
    let offline = try await place.program.run(
      "show", feed.id, "--details", "--feed", feed.feed)
    #expect(offline.code == 0 && offline.output.contains("Mechanism"))
    let other = try await place.program.run("list", "--format", "json", "--limit", "1")
    let id = try #require(
      try JSONDecoder().decode([Shown].self, from: Data(other.output.utf8)).first?.id)
    let failed = try await place.program.run("show", id, "--details", "--feed", feed.feed)
    #expect(failed.code == 69 && failed.errors.contains(id) && failed.output.isEmpty)
  }

  @Test("Wrong options are told, and make no file")
  func refused() async throws {
    let place = try CommandTests.Workplace()
    let before = place.program.files()
    for arguments in [
      ["show", "nc1", "--feed", "all_day"], ["show", "nc1", "--service", "https://a.example"],
      ["show", "nc1", "--details", "--feed", "all_dya"],
      ["show", "nc1", "--details", "--service", "ftp://a.example"],
    ] {
      let outcome = try await place.program.run(arguments: arguments)
      #expect(outcome.code == 64, "\(outcome)")
      #expect(place.program.files() == before)
    }
  }
}
