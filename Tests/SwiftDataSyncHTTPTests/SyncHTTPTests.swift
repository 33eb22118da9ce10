import CurlClient
import Foundation
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import SwiftDataSyncServer
import Testing

@Model final class Note {
  @Attribute(.unique) var key: UUID
  var text: String
  var owner: String

  init(_ text: String, owner: String) {
    key = UUID()
    self.text = text
    self.owner = owner
  }
}

/// Runs a server on loopback during a test.
private func serving(
  limits: SyncRoutes.Limits = SyncRoutes.Limits(),
  _ body: @escaping @Sendable (URL, SyncServer) async throws -> Void
) async throws {
  let server = try SyncServer(
    try container(), models: [SyncedModel(Note.self, key: \.key)],
    rules: SyncServerRules(scope: { _, values in values["owner"]?.text }))
  let router = Router()
  SyncRoutes(server, limits: limits) { token in
    ["ann", "bob"].first { SyncRoutes.isEqual(token, "token-of-\($0)") }
  }.add(to: router.group("sync"))
  try await serving(router) { try await body($0.appending(path: "sync"), server) }
}

private func container() throws -> ModelContainer {
  try ModelContainer(
    for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

private func engine(
  _ container: ModelContainer, _ url: URL, token: String
) throws -> SyncEngine {
  var timing = SyncTiming()
  timing.pullInterval = nil
  return try SyncEngine(
    container, models: [SyncedModel(Note.self, key: \.key)],
    transport: HTTPSyncTransport(url) { token }, timing: timing)
}

private func write(_ text: String, owner: String, in container: ModelContainer) throws {
  let context = ModelContext(container)
  context.insert(Note(text, owner: owner))
  try context.save()
}

private func texts(_ container: ModelContainer) throws -> [String] {
  try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
    .map(\.text)
}

@Suite struct SyncHTTPTests {
  @Test func twoStoresOfAUserMeetOverHTTP() async throws {
    try await serving { url, _ in
      let (one, other, stranger) = (try container(), try container(), try container())
      try write("from one", owner: "ann", in: one)
      try write("from \u{1F30D}", owner: "ann", in: other)
      let first = try engine(one, url, token: "token-of-ann")
      let second = try engine(other, url, token: "token-of-ann")
      try await first.sync()
      try await second.sync()
      try await first.sync()
      #expect(try texts(one) == ["from one", "from \u{1F30D}"])
      #expect(try texts(other) == texts(one))
      try await engine(stranger, url, token: "token-of-bob").sync()
      #expect(try texts(stranger).isEmpty)
    }
  }

  @Test func aBadTokenPausesTheEngine() async throws {
    try await serving { url, _ in
      let container = try container()
      try write("a", owner: "ann", in: container)
      let engine = try engine(container, url, token: "token-of-eve")
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(engine.status.state.activity == .paused(.authentication))
    }
  }

  @Test func anUnreachableServerIsOffline() async throws {
    let container = try container()
    try write("a", owner: "ann", in: container)
    let url = try #require(URL(string: "http://127.0.0.1:1/sync"))
    let engine = try engine(container, url, token: "token-of-ann")
    let failure = SyncFailure(
      .offline, "http://127.0.0.1:1/sync can't be reached. Check the address and the network.",
      isUnsent: true)
    await #expect(throws: failure) { try await engine.sync() }
    #expect(engine.status.state.activity == .offline)
    // The change wasn't sent, so reverting it leaves nothing to send.
    #expect(try await engine.unsynced().count == 1)
    let context = ModelContext(container)
    try context.delete(model: Note.self)
    try context.save()
    #expect(try await engine.unsynced().isEmpty)
  }

  @Test(arguments: [
    ("GET", "/pull?cursor=d99999999999", "token-of-ann", "", 410),
    ("GET", "/pull?cursor=../../etc", "token-of-ann", "", 400),
    ("GET", "/pull?cursor=f1", "token-of-ann", "", 400),
    ("GET", "/pull?cursor=d-1", "token-of-ann", "", 400),
    ("GET", "/pull", "", "", 401),
    ("GET", "/pull", "token-of-anna", "", 401),
    ("GET", "/pull", "token-of-an", "", 401),
    ("POST", "/push", "token-of-eve", "{}", 401),
    ("POST", "/push", "token-of-ann", "{", 400),
    ("POST", "/push", "token-of-ann", "{}", 400),
    ("POST", "/push", "token-of-ann", "{\"client\":\"c\",\"changes\":[{}]}", 400),
    ("POST", "/push", "token-of-ann", "{\"client\":\"c\",\"client\":\"d\",\"changes\":[]}", 400),
    (
      "POST", "/push", "token-of-ann", String(repeating: "[", count: 20_000), 413
    ),
    ("POST", "/push", "token-of-ann", String(repeating: "[", count: 2_000), 400),
  ])
  func hostileRequestsAreRefused(
    _ method: String, _ path: String, _ token: String, _ body: String, _ status: Int
  ) async throws {
    var limits = SyncRoutes.Limits()
    limits.maximumBody = 10_000
    try await serving(limits: limits) { url, _ in
      var request = CurlRequest(url.absoluteString + path)
      request.method = method
      if !token.isEmpty { request.fields.add("authorization", "Bearer \(token)") }
      if method == "POST" { request.body = Array(body.utf8) }
      let response = try await CurlClient().send(request)
      #expect(response.status == status)
      let answer = try #require(try await response.body.collect(upTo: 10_000))
      #expect(!String(decoding: answer, as: UTF8.self).contains("changes"))
    }
  }

  @Test func anotherUsersObjectsAreOutOfReach() async throws {
    try await serving { url, _ in
      let container = try container()
      try write("secret", owner: "ann", in: container)
      try await engine(container, url, token: "token-of-ann").sync()
      let note = try #require(try ModelContext(container).fetch(FetchDescriptor<Note>()).first)
      let object = SyncObjectID("Note", note.key.uuidString)
      let values: SyncValues = [
        "key": .text(object.key), "text": .text("stolen"), "owner": .text("bob"),
      ]
      let transport = HTTPSyncTransport(url) { "token-of-bob" }
      let attempts: [SyncChange] = [
        SyncChange(id: "1", object: object, content: .delete, baseVersion: 1),
        SyncChange(id: "2", object: object, content: .put(values), baseVersion: 1),
        SyncChange(id: "3", object: object, content: .put(values), baseVersion: nil),
        SyncChange(
          id: "4", object: SyncObjectID("Note", UUID().uuidString),
          content: .put(values.merging(["owner": .text("ann")]) { $1 }), baseVersion: nil),
      ]
      let outcomes = try await transport.push(attempts, client: "c")
      for attempt in attempts {
        guard case .rejected(let rejection) = outcomes[attempt.id] else {
          Issue.record("attempt \(attempt.id): \(String(describing: outcomes[attempt.id]))")
          continue
        }
        #expect(rejection.code == "forbidden")
        #expect(!rejection.message.contains("secret"))
      }
      #expect(try await transport.pull(after: nil, client: "c").changes.isEmpty)
      try await engine(container, url, token: "token-of-ann").sync()
      #expect(try texts(container) == ["secret"])
    }
  }

  @Test func secretsAreComparedWhole() {
    #expect(SyncRoutes.isEqual("abc", "abc"))
    #expect(SyncRoutes.isEqual("", ""))
    for other in ["abd", "ab", "abcd", "", "abcabc"] { #expect(!SyncRoutes.isEqual("abc", other)) }
  }
}
