import Foundation
import ProgramTesting
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

/// Keys of text that are parts of addresses.
@Suite struct RESTKeyTests {
  private func transport(
    _ server: AnswerServer, _ versions: RESTResource.Versions = .none
  ) throws -> RESTSyncTransport {
    RESTSyncTransport(
      try #require(URL(string: server.address + "/api")),
      resources: [
        RESTResource(entity: "Tag", path: "tags", versions: versions) { _ in nil },
        .set(entity: "Mark", path: "marks", property: "isMarked"),
      ])
  }

  private func changes(_ key: String, baseVersion: Int64?) -> [SyncChange] {
    [
      SyncChange(
        id: "put", object: SyncObjectID("Tag", key), content: .put(["color": .text("red")]),
        baseVersion: baseVersion),
      SyncChange(
        id: "delete", object: SyncObjectID("Tag", key), content: .delete,
        baseVersion: baseVersion),
      SyncChange(
        id: "mark", object: SyncObjectID("Mark", key), content: .put(["isMarked": .boolean(true)]),
        baseVersion: nil),
      SyncChange(
        id: "unmark", object: SyncObjectID("Mark", key),
        content: .put(["isMarked": .boolean(false)]), baseVersion: nil),
    ]
  }

  @Test(arguments: ["", ".", "..", "../tags", "a/..", "a/./b", "..\\..\\users", "./"])
  func aKeyThatLeadsElsewhereIsNotSent(_ key: String) async throws {
    try await withAnswers([.json(200, "{}")]) { server in
      for versions in [RESTResource.Versions.none, .revision(member: "revision"), .entityTags] {
        let outcomes = try await transport(server, versions).push(
          changes(key, baseVersion: 1), client: "c")
        #expect(outcomes.count == 4)
        for (_, outcome) in outcomes {
          guard case .rejected(let rejection) = outcome else {
            Issue.record("\(outcome)")
            continue
          }
          #expect(rejection.code == "invalidKey")
        }
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test func otherKeysAreParts() async throws {
    let keys = [
      ("...", "..."), ("a.b", "a.b"), (".a", ".a"), ("a/b", "a%2Fb"), ("%2E%2E", "%252E%252E"),
      ("a..", "a.."), (" ", "%20"), ("?", "%3F"),
    ]
    try await withAnswers(keys.map { _ in .json(204, "") }) { server in
      let transport = try transport(server)
      for (key, _) in keys {
        let change = changes(key, baseVersion: 1)[1]
        #expect(
          try await transport.push([change], client: "c") == ["delete": .accepted(version: 1)])
      }
      #expect(
        server.requests.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
          == keys.map { "DELETE /api/tags/\($0.1)" })
    }
  }

  @Test(arguments: ["..", "a/../b", "./a", "a/.."])
  func anOwnRequestLeadsNowhereElse(_ path: String) async throws {
    try await withAnswers([.json(200, "{}")]) { server in
      let transport = try transport(server)
      let failure = await #expect(throws: SyncFailure.self) {
        try await transport.request("DELETE", path)
      }
      #expect(failure?.kind == .refused && failure?.isUnsent == true)
      #expect(server.requests.isEmpty)
    }
  }
}
