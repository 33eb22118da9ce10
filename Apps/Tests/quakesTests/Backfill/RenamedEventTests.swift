import Foundation
import Synchronization
import Testing

@testable import QuakesKit

@Suite("Back-fills of events under other identifiers", .timeLimit(.minutes(20)))
struct RenamedEventTests {
  /// The time of the back-fills and answers, in seconds since 1970.
  private static let now = 1_750_000_000

  private static func answer(_ id: String, magnitude: Double, ids: String) -> String {
    """
    {"type":"FeatureCollection","metadata":{"generated":\(now * 1_000),"status":200,"count":1},
    "features":[{"type":"Feature","id":"\(id)","properties":{"mag":\(magnitude),"place":"near",
    "time":\((now - 3_600) * 1_000),"updated":\((now - 1_800) * 1_000),"ids":"\(ids)","net":"nc",
    "code":"1"},"geometry":{"type":"Point","coordinates":[1,2,3]}}]}
    """
  }

  @Test("An event that the rule leaves out is stored where it replaces a stored one")
  func leftOut() async throws {
    let store = try QuakeStore(file: nil)
    var pacing = Backfill.Pacing()
    pacing.now = { Date(timeIntervalSince1970: Double(Self.now)) }
    let body = Mutex(Self.answer("nc1", magnitude: 0.1, ids: ",nc1,"))
    try await ScriptedServer.run({ _ in ScriptedServer.answer(body.withLock { $0 }) }) { server in
      let backfill = Backfill(
        from: try EventService(server.base), into: store, rule: .aboveZero, pacing: pacing)
      let since = Date(timeIntervalSince1970: Double(Self.now - 7_200))
      #expect(try await backfill.run(since: since).counts.inserted == 1)
      body.withLock { $0 = Self.answer("us1", magnitude: -0.1, ids: ",us1,nc1,") }
      let counts = try await backfill.run(since: since, force: true).counts
      #expect(counts.inserted == 1 && counts.renamed == 1 && counts.filtered == 0)
      for id in ["nc1", "us1"] {
        let event = try store.event(id: id)
        #expect(event?.id == "us1" && event?.magnitude == -0.1)
      }
      #expect(try store.count() == 1)
      #expect(try store.revisions(of: "us1").map(\.values.magnitude) == [0.1])
      let again = try await backfill.run(since: since, force: true).counts
      #expect(again.unchanged == 1 && again.inserted == 0 && again.renamed == 0)
      // Without a stored form, the rule decides.
      body.withLock { $0 = Self.answer("us2", magnitude: -0.1, ids: ",us2,nc2,") }
      let other = try await backfill.run(since: since, force: true).counts
      #expect(other.filtered == 1 && other.inserted == 0)
      #expect(try store.event(id: "us2") == nil)
    }
  }
}
