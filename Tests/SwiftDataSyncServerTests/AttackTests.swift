import CurlClient
import Foundation
import NIOCore
import SwiftDataSync
import SyncServing
import TestSupport
import Testing

/// The required answer to an attack.
enum Expected: Sendable {
  /// This status, and an answer without any user's data.
  case status(Int)
  /// A push whose only change is rejected with this code.
  case rejected(String)
  /// A push whose only change is accepted, as the attacker's own.
  case accepted
  /// A push whose only change is a conflict with the attacker's own object.
  case conflict
  /// A page without other users' data.
  case ownPage
  /// A push that stores nothing and returns no outcome for its changes.
  case unanswered
}

/// A request that tries to read or change another user's data, or to harm the server.
struct Attack: Sendable, CustomTestStringConvertible {
  let name: String
  var method = "GET"
  var path = "/pull"
  /// The value of the field `Authorization`; nil for none.
  var authorization: String? = "Bearer \(MemoServer.token(of: "bob"))"
  var contract: String? = "1"
  /// Creates the body.
  var body: (@Sendable (Scene) -> String)?
  /// Creates the query.
  var cursor: (@Sendable (Scene) -> String)?
  /// Creates the whole path, with its query.
  var target: (@Sendable (Scene) -> String)?
  /// Further header fields.
  var fields: [String: String] = [:]
  let expected: Expected

  var testDescription: String { name }

  /// The targets of the attack.
  struct Scene: Sendable {
    /// The key of ann's memo, which has the text `secret`.
    let target: String
    let targetVersion: Int64
    /// The ID of the change that created the memo, and the name of the client that pushed it.
    let change: String
    let client: String
    let annsCursor: String
    /// The scan of ann's memo: 20,000 bytes that bob doesn't have.
    let scan: SyncAttachment
    /// The key of bob's own memo.
    let own: String
    let ownVersion: Int64
  }
}

/// A server with the users ann and bob.
private struct Battlefield: Sendable {
  let address: String

  func send(_ attack: Attack, _ scene: Attack.Scene) async throws -> (status: Int, body: [UInt8]) {
    var path = attack.path
    if let cursor = attack.cursor { path += "?cursor=" + cursor(scene) }
    if let target = attack.target { path = target(scene) }
    var request = CurlRequest(address + path)
    request.method = attack.method
    if let field = attack.authorization { request.fields.add("authorization", field) }
    if let contract = attack.contract {
      request.fields.add("sync-contract", contract)
    }
    for (name, value) in attack.fields { request.fields.add(name, value) }
    if let body = attack.body { request.body = Array(body(scene).utf8) }
    let response = try await CurlClient().send(request)
    let body = try #require(try await response.body.collect(upTo: 10_000_000))
    return (response.status, body)
  }

  private func push(
    _ changes: [SyncChange], by user: String, client: String
  ) async throws -> [String: SyncOutcome] {
    var request = CurlRequest(address + "/push")
    request.method = "POST"
    request.fields.add("authorization", "Bearer \(MemoServer.token(of: user))")
    request.body = SyncContract.pushRequest(changes, client: client)
    let response = try await CurlClient().send(request)
    let body = try #require(try await response.body.collect(upTo: 10_000_000))
    return try SyncContract.parsePushAnswer(body)
  }

  /// Returns all objects of a user.
  func everything(of user: String) async throws -> (changes: [SyncRemote], cursor: String) {
    var (changes, cursor): ([SyncRemote], String?) = ([], nil)
    while true {
      var request = CurlRequest(address + "/pull" + (cursor.map { "?cursor=\($0)" } ?? ""))
      request.fields.add("authorization", "Bearer \(MemoServer.token(of: user))")
      let response = try await CurlClient().send(request)
      let body = try #require(try await response.body.collect(upTo: 100_000_000))
      let page = try SyncContract.parsePage(body)
      changes += page.changes
      cursor = page.cursor
      if !page.hasMore { return (changes, page.cursor) }
    }
  }

  private func make(
    _ text: String, of user: String, client: String, scan: String? = nil
  ) async throws -> (key: String, version: Int64, change: String) {
    let (key, change) = (UUID().uuidString, UUID().uuidString)
    let values: SyncValues = [
      "key": .text(key), "text": .text(text), "owner": .text(user), "count": .integer(1),
      "scan": scan.map { .text($0) } ?? .null,
    ]
    let outcomes = try await push(
      [
        SyncChange(
          id: change, object: SyncObjectID("Memo", key), content: .put(values), baseVersion: nil)
      ], by: user, client: client)
    guard case .accepted(let version, _, _) = outcomes[change] else {
      Issue.record("\(user) can't write: \(outcomes)")
      return (key, 0, change)
    }
    return (key, version, change)
  }

  func scene() async throws -> Attack.Scene {
    let client = UUID().uuidString
    let scan = Data(String(repeating: "secret scan ", count: 2_000).utf8).base64EncodedString()
    let target = try await make("secret", of: "ann", client: client, scan: scan)
    let own = try await make("mine", of: "bob", client: UUID().uuidString)
    let anns = try await everything(of: "ann")
    let kept = anns.changes.first { $0.object.key == target.key }?.values?["scan"]
    return Attack.Scene(
      target: target.key, targetVersion: target.version, change: target.change, client: client,
      annsCursor: anns.cursor, scan: try #require(kept.flatMap(SyncAttachment.init)),
      own: own.key, ownVersion: own.version)
  }
}

/// Every attack, on a server of its own or on the one at `OPENSWIFTDATA_TEST_SYNC_SERVER`, which may be under load.
@Suite struct AttackTests {
  private func onBattlefield(
    _ body: @escaping @Sendable (Battlefield) async throws -> Void
  ) async throws {
    if let address = TestEnvironment.text("OPENSWIFTDATA_TEST_SYNC_SERVER") {
      return try await body(Battlefield(address: address))
    }
    let server = try MemoServer(Memo.container(), users: ["ann", "bob"])
    try await withListening {
      try await server.run(port: 0, started: $0)
    } _: { port in
      try await body(Battlefield(address: "http://127.0.0.1:\(port)/sync"))
    }
  }

  @Test(arguments: Attack.all) func anAttackGetsAndChangesNothing(_ attack: Attack) async throws {
    try await onBattlefield { field in
      let scene = try await field.scene()
      let (status, body) = try await field.send(attack, scene)
      let text = String(decoding: body, as: UTF8.self)
      #expect(!text.contains("secret"))
      switch attack.expected {
      case .status(let expected):
        #expect(status == expected)
        #expect(!text.contains("\"changes\""))
        #expect(!text.contains("\"results\""))
      case .rejected(let code):
        let outcome = try Self.outcome(status, body)
        guard case .rejected(let rejection) = outcome else {
          Issue.record("not rejected: \(outcome)")
          break
        }
        #expect(rejection.code == code)
      case .accepted:
        guard case .accepted = try Self.outcome(status, body) else {
          Issue.record("not accepted: \(text)")
          break
        }
      case .conflict:
        guard case .conflict(let remote) = try Self.outcome(status, body) else {
          Issue.record("no conflict: \(text)")
          break
        }
        #expect(remote.object.key == scene.own)
      case .ownPage:
        #expect(status == 200)
        let page = try SyncContract.parsePage(body)
        #expect(page.changes.allSatisfy { $0.values?["owner"] == .text("bob") })
      case .unanswered:
        #expect(status == 200)
        #expect(try SyncContract.parsePushAnswer(body).isEmpty)
      }
      try await Self.check(field, scene)
    }
  }

  private static func outcome(_ status: Int, _ body: [UInt8]) throws -> SyncOutcome {
    #expect(status == 200)
    let outcomes = try SyncContract.parsePushAnswer(body)
    #expect(outcomes.count == 1)
    return try #require(outcomes.values.first)
  }

  /// Checks that ann's data is unchanged, that bob has none of it, and that the server answers.
  private static func check(_ field: Battlefield, _ scene: Attack.Scene) async throws {
    let anns = try await field.everything(of: "ann").changes
    let target = anns.first { $0.object.key == scene.target }
    #expect(target?.values?["text"] == .text("secret"))
    #expect(target?.values?["owner"] == .text("ann"))
    #expect(target?.version == scene.targetVersion)
    #expect(anns.allSatisfy { $0.values == nil || $0.values?["owner"] == .text("ann") })
    #expect(anns.allSatisfy { $0.values == nil || $0.values?["text"] == .text("secret") })
    let bobs = try await field.everything(of: "bob").changes
    #expect(bobs.allSatisfy { $0.values == nil || $0.values?["owner"] == .text("bob") })
    #expect(!bobs.contains { $0.object.key == scene.target })
  }
}
