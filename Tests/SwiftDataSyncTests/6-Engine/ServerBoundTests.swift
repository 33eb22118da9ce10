import Foundation
import SwiftData
import TestSupport
import Testing

@testable import SwiftDataSync

/// Limits for the data that a client with a token can make a server store, and for the answer to a request.
@Suite(.timeLimit(.minutes(20))) struct ServerBoundTests {
  private func park(_ number: Int, _ name: String) -> SyncValues {
    ["number": .integer(Int64(number)), "name": .text(name), "mood": .text("calm")]
  }

  private func change(
    _ number: Int, _ name: String, _ version: Int64? = nil, id: String = UUID().uuidString
  ) -> SyncChange {
    SyncChange(
      id: id, object: SyncObjectID("Park", "\(number)"), content: .put(park(number, name)),
      baseVersion: version)
  }

  /// Both names are stored with every answer: 5,000 changes of a client with a name of 7 MB would have filled the disk.
  @Test func namesThatAreKeptAreBounded() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let long = String(repeating: "a", count: SyncServer.maximumName + 1)
    for (client, id) in [(long, "1"), ("c", long)] {
      await #expect(throws: SyncFailure.self) {
        try await server.push([change(1, "a", id: id)], client: client, user: "ann")
      }
    }
    let fits = String(long.dropLast())
    #expect(
      try await server.push([change(1, "a", id: fits)], client: fits, user: "ann").count == 1)
  }

  @Test func clientsOfDifferentUsersNeverShareOutcomes() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let pairs = [
      ("a", "b\u{1F}c"), ("a\u{1F}b", "c"), ("", "a\u{1F}b\u{1F}c"), ("a\u{1F}b\u{1F}c", ""),
      // These look like names with a length in front.
      ("", "1\u{1F}a\u{1F}b\u{1F}c"), ("\u{1F}1", "a\u{1F}b\u{1F}c"),
    ]
    for (number, (user, client)) in pairs.enumerated() {
      let outcome = try await server.push(
        [change(number, "a", id: "x")], client: client, user: user)["x"]
      guard case .accepted = outcome else {
        Issue.record("\(number): \(String(describing: outcome))")
        continue
      }
    }
    #expect(try await server.pull(after: nil, user: "a").changes.count == pairs.count)
  }

  @Test func outcomesThatWereStoredUnderPlainNamesAreStillFound() {
    #expect(SyncServerLedger.name(of: "client", user: "ann") == "ann\u{1F}client")
    #expect(SyncServerLedger.name(of: "", user: "") == "\u{1F}")
  }

  /// A conflict is answered with the object as it is: as many of them as a request has changes would have been as many
  /// copies of it.
  @Test func anAnswerOfConflictsIsBounded() async throws {
    var limits = SyncAttachmentLimits()
    limits.batchByteCount = 100_000
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything,
      attachments: limits)
    let large = String(repeating: "a", count: 60_000)
    _ = try await server.push([change(1, large)], client: "c", user: "ann")
    let attempts = (0..<100).map { change(1, "\($0)", 99, id: "\($0)") }
    for _ in 0..<2 {
      let outcomes = try await server.push(attempts, client: "c", user: "ann")
      #expect((1...3).contains(outcomes.count))
      for outcome in outcomes.values {
        guard case .conflict(let remote) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
        #expect(remote.values?["name"] == .text(large))
      }
    }
  }

  /// An accepted change is answered with what it doesn't speak of: it needs to speak of nothing.
  @Test func anAnswerOfPartialChangesIsBounded() async throws {
    var limits = SyncAttachmentLimits()
    limits.batchByteCount = 100_000
    let container = try Fixture.container()
    let server = try SyncServer(
      container, models: Fixture.models(), rules: .everyoneSeesEverything, attachments: limits)
    let large = String(repeating: "a", count: 60_000)
    var versions: [Int: Int64] = [:]
    for number in 0..<40 {
      let change = change(number, large)
      guard
        case .accepted(let version, _, _) = try await server.push(
          [change], client: "c", user: "ann")[change.id]
      else {
        Issue.record("park \(number) isn't stored")
        return
      }
      versions[number] = version
    }
    var open = (0..<40).map { number in
      SyncChange(
        id: "\(number)", object: SyncObjectID("Park", "\(number)"), content: .put([:]),
        baseVersion: versions[number])
    }
    for _ in 0..<40 where !open.isEmpty {
      let outcomes = try await server.push(open, client: "c", user: "ann")
      #expect((1...3).contains(outcomes.count))
      for outcome in outcomes.values {
        guard case .accepted(_, _, let values) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
        #expect(values?["name"] == .text(large))
      }
      open.removeAll { outcomes[$0.id] != nil }
    }
    #expect(open.isEmpty)
    // What the changes don't speak of isn't kept with the outcomes.
    let storage = try ModelServerStorage(container, Fixture.models())
    let kept = try storage.remembered(
      (0..<40).map(String.init), client: SyncServerLedger.name(of: "c", user: "ann"))
    #expect(kept.count == 40)
    for outcome in kept.values {
      guard case .accepted(_, _, nil) = outcome else {
        Issue.record("values are kept")
        continue
      }
    }
  }

  @Test func ownersSeeTheirOwnOnly() async throws {
    let rules = SyncServerRules.owned(by: "name")
    let ann = SyncObjectID("Park", "1")
    #expect(rules.scope(ann, park(1, "ann")) == "ann")
    let nobody = rules.scope(ann, ["number": .integer(1)])
    #expect(nobody != nil && nobody != "" && nobody != "ann")
    let server = try SyncServer(Fixture.container(), models: Fixture.models(), rules: rules)
    _ = try await server.push([change(1, "ann")], client: "c", user: "ann")
    #expect(try await server.pull(after: nil, user: "bob").changes.isEmpty)
    #expect(try await server.pull(after: nil, user: "ann").changes.count == 1)
    #expect(
      SyncServerRules.everyoneSeesEverything.scope(ann, park(1, "ann")) == nil)
  }

  @Test func objectsWithoutAnOwnerBelongToNoUserOfAnyName() async throws {
    let container = try Fixture.container()
    let context = ModelContext(container)
    context.insert(Park(number: 1, name: "a"))
    try context.save()
    // No park has such a property, which the server itself refuses.
    var rules = SyncServerRules.owned(by: "owner")
    #expect {
      _ = try SyncServer(container, models: Fixture.models(), rules: rules)
    } throws: { error in
      (error as? SyncError)?.code == .unsupported && "\(error)".contains("property owner")
    }
    // A scope of one's own isn't checked.
    rules.scope = { [scope = rules.scope] in scope($0, $1) }
    let server = try SyncServer(container, models: Fixture.models(), rules: rules)
    let user = rules.scope(SyncObjectID("Park", "1"), park(1, "a")) ?? ""
    #expect(try await server.pull(after: nil, user: user).changes.isEmpty)
    for attempt in [change(1, "b", 1), change(2, "b")] {
      let outcome = try await server.push([attempt], client: "c", user: user)[attempt.id]
      guard case .rejected(let rejection) = outcome else {
        Issue.record("\(String(describing: outcome))")
        continue
      }
      #expect(rejection.code == "forbidden")
    }
  }

  @Test func aRepeatedConflictShowsNothingOfAnObjectThatHasMovedToAnotherUser() async throws {
    let container = try Fixture.container()
    let server = try SyncServer(
      container, models: Fixture.models(), rules: .owned(by: "name"))
    _ = try await server.push([change(1, "ann")], client: "c", user: "ann")
    let late = change(1, "ann", 99)
    let first = try await server.push([late], client: "c", user: "ann")[late.id]
    guard case .conflict(let remote) = first else {
      Issue.record("\(String(describing: first))")
      return
    }
    #expect(remote.values?["name"] == .text("ann"))
    let context = ModelContext(container)
    for park in try context.fetch(FetchDescriptor<Park>()) {
      park.name = "bob"
      park.tags = ["bob's"]
    }
    try context.save()
    let repeated = try await server.push([late], client: "c", user: "ann")[late.id]
    guard case .rejected(let rejection) = repeated else {
      Issue.record("\(String(describing: repeated))")
      return
    }
    #expect(rejection.code == "forbidden")
    // A change that the server sees for the first time has the same outcome.
    let new = change(1, "ann", 99)
    #expect(try await server.push([new], client: "c", user: "ann")[new.id] == repeated)
  }

  @Test func rulesThatHaveBecomeStricterHoldForObjectsFromBefore() async throws {
    let container = try Fixture.container()
    let open = try SyncServer(
      container, models: Fixture.models(), rules: .everyoneSeesEverything)
    _ = try await open.push([change(1, "bob")], client: "c", user: "bob")
    let late = change(1, "ann", 99)
    _ = try await open.push([late], client: "c", user: "ann")
    let strict = try SyncServer(container, models: Fixture.models(), rules: .owned(by: "name"))
    let anns = try await strict.pull(after: nil, user: "ann").changes
    #expect(anns.allSatisfy { $0.values == nil })
    let bobs = try await strict.pull(after: nil, user: "bob").changes
    #expect(bobs.first?.values?["name"] == .text("bob"))
    let attempts = [late, change(1, "ann", bobs.first?.version)]
    let outcomes = try await strict.push(attempts, client: "c", user: "ann")
    #expect(outcomes.count == 2)
    for (id, outcome) in outcomes {
      guard case .rejected(let rejection) = outcome else {
        Issue.record("\(id): \(outcome)")
        continue
      }
      #expect(rejection.code == "forbidden")
    }
    #expect(try await strict.pull(after: nil, user: "bob").changes == bobs)
  }

  @Test func incompleteFilesAreForTheirOwnerOnly() async throws {
    let place = try TemporaryFolder()
    let folder = place.url
    let server = try SyncServer(
      Photographer.container(folder.appending(path: "server.store")),
      models: Photographer.models, rules: .everyoneSeesEverything)
    // The beginning of an upload is kept, for any length of the whole.
    let attachment = try #require(
      SyncAttachment(sha256: String(repeating: "ab", count: 32), byteCount: 20_000))
    _ = try await server.upload([1, 2, 3], of: attachment, at: 0, user: "ann")
    var paths: [String] = []
    let support = folder.appending(path: ".server.store_SUPPORT/sync-incoming")
    let all = try #require(FileManager.default.enumerator(atPath: support.path))
    for case let path as String in all { paths.append(path) }
    #expect(paths.contains { $0.hasSuffix(".part") })
    for path in paths + ["."] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: support.appending(path: path).path)
      let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
      #expect(mode & 0o077 == 0, "\(path) has \(String(mode, radix: 8))")
    }
  }
}
