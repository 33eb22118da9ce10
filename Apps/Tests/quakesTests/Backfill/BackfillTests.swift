import DemoFeed
import Foundation
import LocalCopy
import SwiftDataExtras
import Synchronization
import Testing
import WireFormats

@testable import PostgresTesting
@testable import QuakesKit
@testable import TestSupport
@testable import quakes

@Suite("Back-fills from an event service", .timeLimit(.minutes(20)))
struct BackfillTests {
  private typealias Scene = ArchiveScene

  @Test("A range is loaded completely, newest first, and the second time without a request")
  func complete() async throws {
    try await Scene.run { scene in
      let (store, since) = (try scene.store(), Scene.ago(365))
      let steps = Mutex<[BackfillProgress]>([])
      let report = try await scene.backfill(store).run(
        since: since, onProgress: { step in steps.withLock { $0.append(step) } })
      let ids = try store.ids()
      #expect(ids.count > 3_500 && Set(ids).count == ids.count)
      #expect(try await Set(ids) == Set(scene.catalogue(since)))
      #expect(report.counts.inserted == ids.count && report.counts.received == ids.count)
      #expect(report.loaded == 365 * 86_400 && report.share == 1)
      let parts = steps.withLock { $0 }.map(\.part)
      #expect(parts.count == report.parts && report.requests == report.parts)
      #expect(parts.first?.upperBound == 1_750_000_000)
      for (newer, older) in zip(parts, parts.dropFirst()) {
        #expect(newer.lowerBound == older.upperBound)
      }
      // Few events: the parts grow, and 365 days take four.
      #expect(parts.map(\.count) == [30, 60, 120, 155].map { $0 * 86_400 })
      let before = await scene.requests
      let again = try await scene.backfill(scene.store()).run(since: since)
      #expect(await scene.requests == before && again.requests == 0 && again.missing == 0)
      #expect(
        try store.loadedRanges() == [
          LoadedRange(
            scene.service, 1_750_000_000 - 365 * 86_400..<1_750_000_000, minimumMagnitude: nil,
            rule: .all, loaded: 1_750_000_000)
        ])
    }
  }

  @Test("A part with more than 20,000 events is divided")
  func divides() async throws {
    try await Scene.run(events: 20_500, years: 0) { scene in
      let store = try scene.store()
      let steps = Mutex<[BackfillProgress.Step]>([])
      let report = try await scene.backfill(store).run(
        since: Scene.ago(30), onProgress: { step in steps.withLock { $0.append(step.step) } })
      #expect(steps.withLock { $0 } == [.divided, .loaded, .loaded])
      #expect(report.requests == 3 && report.parts == 2 && report.counts.inserted > 20_000)
      #expect(try await Set(store.ids()) == Set(scene.catalogue(Scene.ago(30))))
    }
  }

  @Test("A service that refuses a second for its size is an error that says so")
  func indivisible() async throws {
    try await Scene.run(fault: .tooLarge) { scene in
      let store = try scene.store()
      let error = await #expect(throws: BackfillError.self) {
        try await scene.backfill(store).run(since: Scene.ago(30))
      }
      #expect(error?.code == .tooLarge && error?.seconds.count == 1 && error?.httpStatus == 413)
      // 30 days halved to a second.
      #expect(await scene.requests == 22 && scene.paused.isEmpty)
      #expect(try store.loadedRanges().isEmpty && store.count() == 0)
    }
  }

  @Test(
    "A failure that stays ends the back-fill with its kind and changes nothing",
    arguments: [
      (Fault.badRequest, BackfillError.Code.badRequest, 1), (.notFound, .notFound, 1),
      (.malformed, .malformed, 1), (.html, .malformed, 1), (.badGzip, .malformed, 1),
      (.truncated, .truncated, 6), (.serverError, .unavailable, 6), (.unavailable, .busy, 6),
      (.tooManyRequests, .busy, 6),
    ])
  func stays(fault: Fault, code: BackfillError.Code, requests: Int) async throws {
    try await Scene.run(fault: fault) { scene in
      let store = try scene.store()
      let error = await #expect(throws: BackfillError.self) {
        try await scene.backfill(store).run(since: Scene.ago(30))
      }
      #expect(error?.code == code)
      let (sent, paused) = (await scene.requests, scene.paused)
      #expect(sent == requests && paused.count == requests - 1)
      let asked: Duration = code == .busy ? .seconds(2) : .zero
      #expect(paused.allSatisfy { $0 >= asked && $0 <= .seconds(60) })
      #expect(try store.loadedRanges().isEmpty && store.count() == 0)
      #expect(error.map { "\($0)".contains("2025-05-16T15:06:40Z") } == true)
    }
  }

  @Test(
    "A failure that passes is waited for",
    arguments: [Fault.unavailable, .tooManyRequests, .serverError, .truncated])
  func passes(fault: Fault) async throws {
    try await Scene.run(fault: fault) { scene in
      let store = try scene.store()
      scene.duringPauses { _ = await scene.world.turnOn(.none) }
      let waits = Mutex<[BackfillProgress.Step]>([])
      let report = try await scene.backfill(store).run(
        since: Scene.ago(10),
        onProgress: { progress in
          if progress.step != .loaded { waits.withLock { $0.append(progress.step) } }
        })
      #expect(report.requests == 2 && report.parts == 1 && scene.paused.count == 1)
      guard case .waiting(let pause, _) = waits.withLock({ $0.first }) else {
        Issue.record("no wait was reported")
        return
      }
      #expect(scene.paused == [pause])
      #expect(try await Set(store.ids()) == Set(scene.catalogue(Scene.ago(10))))
    }
  }

  @Test("A pause longer than is waited is an error at once")
  func longPause() async throws {
    try await Scene.run(fault: .unavailable) { scene in
      var pacing = Backfill.Pacing()
      pacing.now = { Scene.now }
      pacing.longestPause = .seconds(1)
      pacing.sleep = { _ in Issue.record("waited") }
      let backfill = Backfill(
        from: scene.service, into: try scene.store(), rule: .all, pacing: pacing)
      let error = await #expect(throws: BackfillError.self) {
        try await backfill.run(since: Scene.ago(30))
      }
      #expect(error?.code == .busy && error?.retryAfter == 2)
    }
  }

  @Test("A service that cannot be reached is asked again, then an error")
  func unreachable() async throws {
    let service = try await Scene.run { $0.service }
    var pacing = Backfill.Pacing()
    pacing.sleep = { _ in }
    let backfill = Backfill(
      from: service, into: try QuakeStore(.memory), rule: .all, pacing: pacing)
    let error = await #expect(throws: BackfillError.self) {
      try await backfill.run(since: Scene.ago(30))
    }
    #expect(error?.code == .unavailable && error?.httpStatus == nil)
    #expect(error?.reason == "The server can't be reached (\(service)/query)")
  }

  @Test("A cancelled pause ends the back-fill")
  func cancelledPause() async throws {
    try await Scene.run(fault: .unavailable) { scene in
      let backfill = scene.backfill(try scene.store())
      let running = Mutex<Task<BackfillReport, any Error>?>(nil)
      scene.duringPauses { running.withLock { $0?.cancel() } }
      let task = Task { try await backfill.run(since: Scene.ago(30)) }
      running.withLock { $0 = task }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test(
    "Ended after any part, a back-fill continues there and loads nothing twice",
    arguments: [false, true])
  func resumes(byFailure: Bool) async throws {
    try await Scene.run { scene in
      let (store, since) = (try scene.store(), Scene.ago(365))
      var received = 0
      var runs = 0
      var isComplete = false
      while !isComplete, runs < 50 {
        runs += 1
        // One request of each run succeeds.
        await scene.world.turnOn(.none)
        if byFailure { await scene.world.turnOn(.notFound, after: 1) }
        let counts = Mutex(BackfillCounts())
        let running = Mutex<Task<BackfillReport, any Error>?>(nil)
        let (begin, started) = AsyncStream.makeStream(of: Void.self)
        let run = Task {
          for await _ in begin {}
          return try await scene.backfill(scene.store()).run(
            since: since,
            onProgress: { progress in
              guard progress.step == .loaded else { return }
              counts.withLock { $0 = progress.report.counts }
              if !byFailure { running.withLock { $0?.cancel() } }
            })
        }
        running.withLock { $0 = run }
        started.finish()
        switch await run.result {
        case .success(let report): isComplete = report.loaded == report.missing
        case .failure(let error as BackfillError): #expect(byFailure && error.code == .notFound)
        case .failure(let error): #expect(!byFailure && error is CancellationError)
        }
        received += counts.withLock { $0 }.received
        #expect(try store.count() == received)
      }
      await scene.world.turnOn(.none)
      let ids = try store.ids()
      #expect(runs > 3 && received == ids.count)
      #expect(try await Set(ids) == Set(scene.catalogue(since)))
    }
  }

  @Test("A range without events is loaded too")
  func empty() async throws {
    try await Scene.run { scene in
      let store = try scene.store()
      let range = (Scene.ago(2_000), Scene.ago(1_000))
      let report = try await scene.backfill(store).run(since: range.0, until: range.1)
      #expect(report.counts == BackfillCounts() && report.loaded == 1_000 * 86_400)
      #expect(try await scene.backfill(store).run(since: range.0, until: range.1).requests == 0)
      #expect(try store.loadedRanges().map(\.seconds.count) == [1_000 * 86_400])
    }
  }

  @Test("Events from a magnitude on cover those from a greater one, and not the others")
  func magnitudes() async throws {
    try await Scene.run { scene in
      let (store, since) = (try scene.store(), Scene.ago(200))
      let backfill = scene.backfill(store)
      let strong = try await backfill.run(since: since, minimumMagnitude: 4.5)
      #expect(try store.count() == strong.counts.inserted && strong.counts.inserted > 0)
      #expect(
        try await Set(store.ids())
          == Set(scene.catalogue(since, Scene.now, "&minmagnitude=4.5")))
      #expect(try await backfill.run(since: since, minimumMagnitude: 6).requests == 0)
      let more = try await backfill.run(since: since, minimumMagnitude: 2.5)
      #expect(more.counts.unchanged == strong.counts.inserted && more.counts.inserted > 0)
      #expect(try await backfill.run(since: since, minimumMagnitude: 4.5).requests == 0)
      #expect(try store.loadedRanges().map(\.minimumMagnitude) == [2.5])
      // Without events of zero and below first, then all.
      let positive = try await scene.backfill(store, rule: .aboveZero).run(since: since)
      #expect(positive.counts.filtered > 0)
      let all = try await backfill.run(since: since)
      #expect(all.counts.inserted == positive.counts.filtered)
    }
  }

  @Test("Loaded again by force, everything is unchanged")
  func force() async throws {
    try await Scene.run { scene in
      let (store, since) = (try scene.store(), Scene.ago(100))
      let first = try await scene.backfill(store).run(since: since)
      let again = try await scene.backfill(store).run(since: since, force: true)
      #expect(again.requests == first.requests && again.counts.unchanged == first.counts.inserted)
      #expect(again.counts.inserted == 0 && again.counts.updated == 0)
    }
  }

  @Test("Newer events and later withdrawals stay, older ones are replaced")
  func newerStays() async throws {
    try await Scene.run { scene in
      let (store, since) = (try scene.store(), Scene.ago(30))
      _ = try await scene.backfill(store).run(since: since)
      let events = try store.events(EventQuery(limit: 5))
      func change(_ index: Int, _ body: (inout Event) -> Void) throws {
        var event = events[index]
        event.place = "changed"
        body(&event)
        let batch = try BatchUpsert<Quake>(store.container)
        try batch.upsert(Quake(event))
        try batch.commit()
      }
      try change(0) { $0.updated += 1 }
      try change(1) { $0.updated -= 1 }
      // Withdrawn after the answer, and before it: then it is listed again.
      try change(2) { $0.withdrawn = Scene.now.addingTimeInterval(60) }
      try change(3) { $0.withdrawn = Scene.now.addingTimeInterval(-60) }
      // One that the service doesn't list.
      try change(4) {
        $0.eventID = "nc0"
        $0.withdrawn = $0.updated
        $0.replacement = "nc1"
      }
      let again = try await scene.backfill(store).run(since: since, force: true)
      #expect(again.counts.older == 1 && again.counts.updated == 3 && again.counts.renamed == 0)
      #expect(try store.row(id: events[0].id)?.place == "changed")
      #expect(try store.row(id: events[1].id)?.withoutModel == events[1].withoutModel)
      #expect(try store.row(id: events[2].id)?.withdrawn == Scene.now.addingTimeInterval(60))
      #expect(try store.row(id: events[3].id)?.withoutModel == events[3].withoutModel)
      let other = try store.row(id: "nc0")
      #expect(other?.replacement == "nc1" && other?.withdrawn == events[4].updated)
      // The form that was replaced is kept, and none of what stayed.
      let revisions = try store.revisions(of: events[1].id)
      #expect(revisions.map(\.values.place) == ["changed"])
      #expect(try store.revisions(of: events[0].id).isEmpty)
    }
  }

  @Test("A feed's document doesn't withdraw an event that was updated after it was made")
  func olderDocument() async throws {
    try await Scene.run { scene in
      let store = try scene.store()
      _ = try await scene.backfill(store).run(since: Scene.ago(30))
      let newest = try #require(
        try store.events(EventQuery()).max { $0.updated < $1.updated })
      let generated = newest.updated.addingTimeInterval(-1)
      let gone = try #require(
        try store.events(EventQuery()).last { $0.time > Scene.ago(29) && $0.updated < generated })
      let start = Scene.ago(30).formatted(.iso8601)
      let answer = try #require(try await scene.ask("starttime=\(start)"))
      let features = answer.features.filter {
        ![newest.id, gone.id].contains($0["id"] as? String ?? "")
      }
      let document: [String: Any] = [
        "type": "FeatureCollection", "features": features,
        "metadata": [
          "generated": generated.milliseconds, "url": "https://a/summary/all_month.geojson",
          "status": 200, "count": features.count,
        ],
      ]
      let file = try scene.file(
        "all_month.geojson", JSONSerialization.data(withJSONObject: document))
      let feed = try QuakeFeed(FeedSelection(file.path), into: store, rule: .all)
      try await feed.refresh()
      let withdrawn = try store.events(EventQuery(includesWithdrawn: true))
        .filter { $0.withdrawn != nil }
      #expect(withdrawn.map(\.id) == [gone.id])
    }
  }

  @Test("A back-fill withdraws nothing, and restores nothing that the service doesn't list")
  func feeds() async throws {
    try await Scene.run { scene in
      let store = try scene.store()
      let address = scene.base + SummaryFeed(level: .all, window: .month).path
      let feed = try QuakeFeed(FeedSelection(address), into: store, rule: .all)
      try await feed.refresh(force: true)
      // Steps remove, revise and add events.
      var removed: Set<String> = []
      for _ in 0..<30 {
        let step = await scene.world.advance().lastStep
        removed.formUnion(step.removed)
        removed.subtract(step.restored)
      }
      #expect(!removed.isEmpty)
      let before = try store.events(EventQuery()).filter { removed.contains($0.id) }
      var pacing = Backfill.Pacing()
      pacing.now = { Scene.now.addingTimeInterval(3_600) }
      let backfill = Backfill(from: scene.service, into: store, rule: .all, pacing: pacing)
      let report = try await backfill.run(since: Scene.ago(60))
      #expect(report.counts.inserted > 300 && report.counts.updated > 0)
      #expect(try store.events(EventQuery()).filter { removed.contains($0.id) } == before)
      // The feed withdraws what is gone, and nothing that the back-fill brought.
      let second = try await feed.refresh(force: true)
      #expect(second.concluded == removed.count && second.inserted == 0)
      let withdrawn = try store.events(EventQuery(includesWithdrawn: true))
        .filter { $0.withdrawn != nil }
      #expect(Set(withdrawn.map(\.id)) == removed)
      let third = try await backfill.run(since: Scene.ago(60), force: true)
      #expect(third.counts.inserted == 0 && third.counts.updated == 0)
      #expect(
        try store.events(EventQuery(includesWithdrawn: true)).filter { $0.withdrawn != nil }
          == withdrawn)
    }
  }

  @Test("Programs that begin together load everything once")
  func together() async throws {
    try await Scene.run { scene in
      let since = Scene.ago(365)
      let alone = try await scene.backfill(scene.store("alone")).run(since: since)
      let before = await scene.requests
      let reports = try await withThrowingTaskGroup(of: BackfillReport.self) { group in
        for _ in 0..<3 {
          group.addTask { try await scene.backfill(scene.store()).run(since: since) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(await scene.requests - before == alone.requests)
      #expect(reports.map(\.requests).sorted() == [0, 0, alone.requests])
      #expect(try scene.store().ids() == scene.store("alone").ids())
    }
  }

  @Test("A database has the same events and ranges, whoever loads them", .database)
  func database() async throws {
    let address = try PostgresServer.shared.makeDatabase()
    try await Scene.run { scene in
      func store() throws -> QuakeStore { try QuakeStore(StoreLocation(address)) }
      let since = Scene.ago(100)
      await scene.world.turnOn(.notFound, after: 1)
      await #expect(throws: BackfillError.self) {
        try await scene.backfill(store()).run(since: since)
      }
      await scene.world.turnOn(.none)
      let begun = try store().count()
      // The second one waits for the first, and begins with a range that has no events.
      let reports = try await withThrowingTaskGroup(of: BackfillReport.self) { group in
        for _ in 0..<2 {
          group.addTask {
            _ = try await scene.backfill(store()).run(
              since: Scene.ago(3_000), until: Scene.ago(2_000))
            return try await scene.backfill(store()).run(since: since)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(reports.map(\.parts).sorted() == [0, 2])
      #expect(reports.reduce(begun) { $0 + $1.counts.inserted } == (try store().count()))
      #expect(try await Set(store().ids()) == Set(scene.catalogue(since)))
      let ranges = try store().loadedRanges()
      #expect(ranges.map(\.seconds.count) == [1_000 * 86_400, 100 * 86_400])
    }
  }

  @Test("The API's status has the loaded ranges")
  func status() async throws {
    try await Scene.run { scene in
      let store = try scene.store()
      _ = try await scene.backfill(store).run(since: Scene.ago(10), minimumMagnitude: 2)
      let source = try LiveSource(
        FeedSelection(.allDay), store: store, rule: .all, every: .seconds(60),
        logger: QuakeFeed.silence)
      var json = JSONWriter()
      try await source.status().write(to: &json)
      let object = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
      let ranges = object?["coverage"] as? [[String: Any]]
      #expect(ranges?.count == 1 && ranges?[0]["until"] as? Int == 1_750_000_000_000)
      #expect(ranges?[0]["minimumMagnitude"] as? Double == 2)
      #expect(ranges?[0]["allMagnitudes"] as? Bool == true)
    }
  }

  @Test("Ranges and magnitudes that cannot be asked for are errors without a request")
  func refused() async throws {
    try await Scene.run { scene in
      let backfill = scene.backfill(try scene.store())
      let dates = [
        Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: .infinity),
        Date(timeIntervalSince1970: -1e300), Date(timeIntervalSince1970: -62_135_596_801),
        .distantFuture, Scene.now,
      ]
      for since in dates {
        await #expect(throws: QuakesError.self) { try await backfill.run(since: since) }
      }
      await #expect(throws: QuakesError.self) {
        try await backfill.run(since: Scene.ago(1), until: Scene.ago(2))
      }
      await #expect(throws: QuakesError.self) {
        try await backfill.run(since: Scene.ago(1), until: Date(timeIntervalSince1970: -1e300))
      }
      for magnitude in [Double.nan, .infinity, -.infinity, 11, -11, 1e300] {
        await #expect(throws: QuakesError.self) {
          try await backfill.run(since: Scene.ago(1), minimumMagnitude: magnitude)
        }
      }
      #expect(await scene.requests == 0)
      // From the year 1 on; the end is never later than now.
      let all = try await backfill.run(
        since: Date(timeIntervalSince1970: -62_135_596_800), until: .distantFuture,
        minimumMagnitude: -10)
      #expect(all.range.upperBound == 1_750_000_000 && all.share == 1)
      #expect(await scene.requests < 30)
    }
  }

  @Test("An unusable event is reported, and the others are loaded")
  func malformedEvent() async throws {
    try await Scene.run(fault: .malformedFeature) { scene in
      let store = try scene.store()
      let report = try await scene.backfill(store).run(since: Scene.ago(30))
      #expect(report.counts.skipped == 1 && report.details.count == 1)
      #expect(try store.count() == report.counts.received - 1)
    }
  }
}

extension Event {
  /// The event without the identity of a model, for comparisons of values.
  fileprivate var withoutModel: Event {
    var event = self
    event.persistentModelID = nil
    return event
  }
}
