import CurlClient
import Foundation
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import SyncServing
import TestSupport
import Testing

@Suite struct AttachmentHTTPTests {
  private func serving(
    _ body: @escaping @Sendable (String, ModelContainer) async throws -> Void
  ) async throws {
    let container = try Memo.container()
    let server = try MemoServer(container, users: ["ann"])
    try await withListening {
      try await server.run(port: 0, started: $0)
    } _: { port in
      try await body("http://127.0.0.1:\(port)/sync", container)
    }
  }

  private func engine(_ container: ModelContainer, _ address: String) throws -> SyncEngine {
    var timing = SyncTiming()
    timing.pullInterval = nil
    var limits = SyncAttachmentLimits()
    limits.portion = 100_000
    return try SyncEngine(
      container, models: Memo.models(),
      transport: HTTPSyncTransport(try #require(URL(string: address))) {
        MemoServer.token(of: "ann")
      }, timing: timing, attachments: limits)
  }

  private static let scan = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) })

  @Test func attachmentsGoOverHTTPInPortions() async throws {
    try await serving { address, server in
      let (one, other) = (try Memo.container(), try Memo.container())
      let context = ModelContext(one)
      let memo = Memo("with a scan", owner: "ann")
      memo.scan = Self.scan
      context.insert(memo)
      try context.save()
      try await engine(one, address).sync()
      try await engine(other, address).sync()
      for container in [server, other] {
        let memos = try ModelContext(container).fetch(FetchDescriptor<Memo>())
        #expect(memos.map(\.scan) == [Self.scan])
      }
    }
  }

  @Test func attachmentsMayBeWebPages() async throws {
    // Each portion begins like one.
    let page = Data(String(repeating: "<p>" + String(repeating: "a", count: 97), count: 5_000).utf8)
    try await serving { address, server in
      let (one, other) = (try Memo.container(), try Memo.container())
      let context = ModelContext(one)
      let memo = Memo("a saved page", owner: "ann")
      memo.scan = page
      context.insert(memo)
      try context.save()
      try await engine(one, address).sync()
      try await engine(other, address).sync()
      #expect(try ModelContext(other).fetch(FetchDescriptor<Memo>()).map(\.scan) == [page])
    }
  }

  @Test(
    arguments: [
      ("bytes=0-9", 206, "bytes 0-9/1000000", 0..<10),
      ("bytes=999990-", 206, "bytes 999990-999999/1000000", 999_990..<1_000_000),
      ("bytes=999990-2000000", 206, "bytes 999990-999999/1000000", 999_990..<1_000_000),
      ("bytes=1000000-", 416, "bytes */1000000", 0..<0),
      // A field that can't be parsed isn't a range (RFC 9110 section 14.2).
      ("bytes=5-1", 200, nil, 0..<1_000_000),
      ("lines=1-2", 200, nil, 0..<1_000_000),
      (nil, 200, nil, 0..<1_000_000),
    ] as [(String?, Int, String?, Range<Int>)])
  func partsCanBeAskedFor(
    _ range: String?, _ status: Int, _ contentRange: String?, _ expected: Range<Int>
  ) async throws {
    try await serving { address, server in
      let context = ModelContext(server)
      let memo = Memo("with a scan", owner: "ann")
      memo.scan = Self.scan
      context.insert(memo)
      try context.save()
      let transport = HTTPSyncTransport(try #require(URL(string: address))) {
        MemoServer.token(of: "ann")
      }
      let page = try await transport.pull(after: nil, client: "c")
      let attachment = try #require(page.changes[0].values?["scan"].flatMap(SyncAttachment.init))
      var request = CurlRequest(
        address + "/attachments?entity=Memo&key=\(memo.key.uuidString)&property=scan"
          + "&sha256=\(attachment.sha256)&size=\(attachment.byteCount)")
      request.fields.add("authorization", "Bearer \(MemoServer.token(of: "ann"))")
      if let range { request.fields.add("range", range) }
      let response = try await CurlClient().send(request)
      #expect(response.status == status)
      #expect(response.fields.first("content-range") == contentRange)
      let body = try #require(try await response.body.collect(upTo: 2_000_000))
      #expect(Data(body) == Self.scan[expected])
    }
  }
}
