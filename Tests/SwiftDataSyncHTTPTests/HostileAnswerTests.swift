import Foundation
import ProgramTesting
import SwiftDataSync
import SwiftDataSyncHTTP
import TestSupport
import Testing

/// Both transports with servers that violate the protocol. Each call ends within its time limit, with an answer or a
/// `SyncFailure` that names the address but no secret.
@Suite(.timeLimit(.minutes(20))) struct HostileAnswerTests {
  private static let token = "a-token-that-nobody-may-see"
  private static let name = String(repeating: "ab", count: 32)

  private static var limits: HTTPSyncTransport.Limits {
    var limits = HTTPSyncTransport.Limits()
    limits.timeout = .milliseconds(250)
    limits.maximumAnswer = 100_000
    limits.maximumObjects = 1_000
    return limits
  }

  /// Limits for complete answers: a busy machine must not look like a slow server.
  private static var patientLimits: HTTPSyncTransport.Limits {
    var limits = limits
    limits.timeout = .seconds(60)
    return limits
  }

  private typealias Call = @Sendable (URL) async throws -> Void

  private static let object = SyncObjectID("Note", "1")
  private static let change = SyncChange(
    id: "1", object: object, content: .put(["text": .text("a")]), baseVersion: nil)

  private static let reference: SyncAttachmentReference? = SyncAttachment(
    sha256: name, byteCount: 20_000
  ).map { SyncAttachmentReference(object, "scan", $0) }

  private static func transport(_ url: URL) -> HTTPSyncTransport {
    HTTPSyncTransport(url, limits: limits) { token }
  }

  private static func rest(
    _ url: URL, _ versions: RESTResource.Versions,
    limits: HTTPSyncTransport.Limits = limits
  ) -> RESTSyncTransport {
    RESTSyncTransport(
      url,
      resources: [
        RESTResource(entity: "Note", path: "notes", versions: versions) { element in
          guard case .object(let members) = element, let key = members["id"]?.text else {
            return nil
          }
          return (key, ["text": members["text"] ?? .null])
        },
        .set(entity: "Mark", path: "marks", list: "marks", property: "isMarked"),
      ], limits: limits
    ) { token }
  }

  private static let calls: [(String, Call)] = [
    ("pull", { _ = try await transport($0).pull(after: "c", client: "c") }),
    ("push", { _ = try await transport($0).push([change], client: "c") }),
    (
      "missing",
      { url in
        guard let reference else { return }
        _ = try await transport(url).missing([reference], client: "c")
      }
    ),
    (
      "upload",
      { url in
        guard let reference else { return }
        _ = try await transport(url).upload(
          [1, 2], of: reference.attachment, at: 0, client: "c")
      }
    ),
    (
      "download",
      { url in
        guard let reference else { return }
        _ = try await transport(url).download(reference, from: 0, length: 100, client: "c")
      }
    ),
    (
      "REST pull",
      { _ = try await rest($0, .revision(member: "revision")).pull(after: nil, client: "c") }
    ),
    (
      "REST push",
      { _ = try await rest($0, .revision(member: "revision")).push([change], client: "c") }
    ),
    (
      "REST push with tags",
      { url in
        var change = change
        change.baseVersion = 1
        _ = try await rest(url, .entityTags).push([change], client: "c")
      }
    ),
  ]

  /// The interval of tested answers, at a different offset for each call; `OPENSWIFTDATA_TEST_WIRE_EVERY=1` tests all.
  private static let every = max(1, TestEnvironment.number("OPENSWIFTDATA_TEST_WIRE_EVERY") ?? 16)

  private static func check(_ name: String, _ call: Call, _ answers: [Answer]) async throws {
    let first = (calls.firstIndex { $0.0 == name } ?? 0) % every
    for answer in answers.dropFirst(first).enumerated().filter({ $0.offset % every == 0 })
      .map(\.element)
    {
      try await withAnswers([answer, answer, answer]) { server in
        let address = server.address.replacingOccurrences(of: "//", with: "//ann:secret@")
        let url = try #require(URL(string: address + "/sync?key=secret"))
        do { try await call(url) } catch let failure as SyncFailure {
          #expect(!failure.message.contains("secret"), "\(name) \(answer): \(failure)")
          #expect(!failure.message.contains(token), "\(name) \(answer): \(failure)")
        } catch { Issue.record("\(name) \(answer): \(error)") }
      }
    }
  }

  @Test(arguments: calls.indices) func everyAnswerOfEveryCall(_ index: Int) async throws {
    let (name, call) = Self.calls[index]
    #expect(HostileAnswers.all.count > 200)
    try await Self.check(name, call, HostileAnswers.all)
  }

  @Test(arguments: calls.indices) func everyNumberOfEveryDocument(_ index: Int) async throws {
    let (name, call) = Self.calls[index]
    try await Self.check(
      name, call,
      HostileAnswers.documents([
        #"{"changes":[{"entity":"Note","key":"1","version":#,"values":{"text":"a"}}],"cursor":"c","hasMore":false}"#,
        #"{"changes":[],"cursor":#,"hasMore":#,"full":#}"#,
        #"{"results":[{"id":"1","outcome":"accepted","version":#}]}"#,
        #"{"results":[{"id":"1","outcome":"conflict","current":{"entity":"Note","key":"1","version":#,"values":{"a":#}}}]}"#,
        #"{"missing":[{"sha256":"\#(Self.name)","offset":#}]}"#, #"{"offset":#}"#,
        #"[{"id":"1","text":"a","revision":#}]"#, #"{"marks":[#]}"#,
        #"{"id":"1","text":"a","revision":#}"#,
      ]))
  }

  @Test func malformedAnswersAreNotAnUnreachableNetwork() async throws {
    for answer in [Answer.raw("hello\r\n\r\n"), .raw("SSH-2.0-OpenSSH_9.6\r\n")] {
      try await withAnswers([answer]) { server in
        let url = try #require(URL(string: server.address + "/sync"))
        let failure = await #expect(throws: SyncFailure.self) {
          try await HTTPSyncTransport(url, limits: Self.patientLimits)
            .pull(after: nil, client: "c")
        }
        #expect(failure?.kind == .server)
        #expect(failure?.message.contains("\(server.address)/sync doesn't speak HTTP") == true)
      }
    }
    try await withAnswers([.stall("")]) { server in
      let url = try #require(URL(string: server.address))
      let failure = await #expect(throws: SyncFailure.self) {
        try await Self.transport(url).pull(after: nil, client: "c")
      }
      #expect(failure?.message == "\(server.address) didn't answer within 0.25 seconds")
    }
  }

  @Test func aTagThatNoRequestCanHaveIsNoCondition() async throws {
    let note = #"{"id":"1","text":"a"}"#
    let tagged = Answer.raw(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"a\u{1}b\"\r\n"
        + "Content-Length: \(note.utf8.count)\r\nConnection: close\r\n\r\n\(note)")
    let resource = RESTResource(entity: "Note", path: "notes", versions: .entityTags) { element in
      guard case .object(let members) = element, let key = members["id"]?.text else { return nil }
      return (key, ["text": members["text"] ?? .null])
    } write: { _, values in
      .object(["text": values["text"] ?? .null])
    }
    try await withAnswers([.json(200, "[\(note)]"), tagged, .json(200, note)]) { server in
      let url = try #require(URL(string: server.address))
      let transport = RESTSyncTransport(url, resources: [resource], limits: Self.patientLimits)
      var change = Self.change
      change.baseVersion = try await transport.pull(after: nil, client: "c").changes.first?.version
      let outcome = try #require(try await transport.push([change], client: "c")[change.id])
      guard case .accepted = outcome else {
        Issue.record("\(outcome)")
        return
      }
      let request = try #require(server.requests.last).lowercased()
      #expect(request.hasPrefix("put ") && !request.contains("if-match"))
    }
  }

  @Test func anAnswerWithTooManyObjectsIsRefused() async throws {
    let numbers = (0..<1_001).map(String.init).joined(separator: ",")
    try await withAnswers([.json(200, "[]"), .json(200, #"{"marks":[\#(numbers)]}"#)]) { server in
      let url = try #require(URL(string: server.address))
      let failure = await #expect(throws: SyncFailure.self) {
        try await Self.rest(url, .none, limits: Self.patientLimits).pull(after: nil, client: "c")
      }
      #expect(failure?.message == "The answer of \(server.address) has more than 1000 objects")
    }
  }

  @Test func aTimeBeyondAllTimeIsNoTrap() async throws {
    var limits = Self.limits
    limits.timeout = .seconds(Int64.max)
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    await #expect(throws: SyncFailure.self) {
      try await HTTPSyncTransport(url, limits: limits).pull(after: nil, client: "c")
    }
  }

  /// The trailing closure of the call is the token, as in the other transport.
  @Test func theTrailingClosureIsTheToken() async throws {
    try await withAnswers([.json(200, "[]"), .json(200, #"{"marks":[]}"#)]) { server in
      let url = try #require(URL(string: server.address))
      _ = try await Self.rest(url, .none, limits: Self.patientLimits).pull(after: nil, client: "c")
      #expect(server.requests.count == 2)
      #expect(
        server.requests.allSatisfy {
          $0.lowercased().contains("authorization: bearer \(Self.token)")
        })
    }
  }
}
