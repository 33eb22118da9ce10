import Foundation
import Testing

@testable import LocalCopy

@Suite("The query of a feed's address isn't kept", .timeLimit(.minutes(20)))
struct SecretQueryTests {
  private let secret = "key=the-secret-of-the-feed"

  private func source(_ server: TestServer, _ query: String) throws -> FeedSource {
    try FeedSource(try #require(URL(string: "\(server.url)?\(query)")))
  }

  @Test func nothingInTheStoreHasIt() async throws {
    let store = MemoryStore()
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]), headers: ["ETag": "\"1\""])
    } _: {
      server in
      let source = try source(server, secret)
      let copy = try makeCopy(of: source, in: store, clock: VirtualClock()) { _ in }
      _ = try await copy.refresh(force: true)
      #expect(!store.contents.metadata.isEmpty)
      for (key, value) in store.contents.metadata {
        #expect(!key.contains("secret"))
        #expect(!String(decoding: value, as: UTF8.self).contains("secret"))
      }
      // The same address is the same feed; a different key is a different feed.
      #expect(try source.identity == self.source(server, secret).identity)
      #expect(try source.identity != self.source(server, "key=other").identity)
      #expect(try FeedSource(server.url).identity == server.url.absoluteString)
    }
  }

  @Test(arguments: [nil, "", " (all magnitudes)"])
  func recordsOfEarlierVersionsAreUsedAndReplaced(_ suffix: String?) async throws {
    let store = MemoryStore()
    try await TestServer.run { request, _ in
      request.headers["if-none-match"] == ["\"1\""]
        ? Reply(status: 304) : .json(feed(["a": 1]), headers: ["ETag": "\"1\""])
    } _: { server in
      let source = try source(server, secret)
      let former = try #require(source.formerIdentity)
      var record = CopyRecord(
        source: former, lastGood: VirtualClock().now, report: RefreshReport())
      record.validators = FeedValidators(entityTag: "\"1\"", lastModified: nil)
      store.setMetadata(try record.data(), forKey: CopyRecord.key(former + (suffix ?? "")))
      let copy = try makeCopy(of: source, in: store, clock: VirtualClock()) {
        $0.name = suffix.map { source.identity + $0 }
      }
      #expect(try await copy.refresh(force: true).notModified)
      #expect(
        Array(store.contents.metadata.keys) == [CopyRecord.key(source.identity + (suffix ?? ""))])
    }
  }
}
