import Foundation
import Testing
import WireFormats

@testable import LocalCopy

@Suite("Documents that are loaded into memory", .timeLimit(.minutes(20)))
struct DocumentDownloadTests {
  private func download(
    attempts: Int = 1, bytes: Int = 1_000, clock: any TimeSource = SystemTime()
  ) -> DocumentDownload {
    var download = DocumentDownload()
    download.configuration.retry.maximumAttempts = attempts
    download.configuration.maximumDecodedBytes = bytes
    download.configuration.redirectsStayAtOrigin = true
    download.clock = clock
    return download
  }

  @Test("A document comes with its validators, and again only when it has changed")
  func conditional() async throws {
    try await TestServer.run { request, _ in
      request.headers["if-none-match"] == ["\"1\""]
        ? Reply(status: 304) : .json("{}", headers: ["ETag": "\"1\""])
    } _: { server in
      let first = try await download().load(server.url)
      #expect(first.bytes == Array("{}".utf8) && first.validators.entityTag == "\"1\"")
      let second = try await download().load(server.url, validators: first.validators)
      #expect(second.bytes == nil && second.validators == first.validators)
    }
  }

  @Test("A packed document is inflated, up to the limit")
  func packed() async throws {
    let text = "\"\(String(repeating: "a", count: 5_000))\""
    let zipped = try GzipEncoder.compress(Array(text.utf8), level: 9)
    try await TestServer.run { _, _ in
      Reply(headers: ["Content-Encoding": "gzip"], pieces: [zipped])
    } _: { server in
      let answer = try await download(bytes: 10_000).load(server.url)
      #expect(answer.bytes == Array(text.utf8))
      let error = await #expect(throws: LocalCopyError.self) {
        try await download(bytes: 4_000).load(server.url)
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test("A failure that may pass is followed by another request; redirects stay at the origin")
  func failures() async throws {
    try await TestServer.run { request, number in
      switch request.uri {
      case "/away": Reply(status: 302, headers: ["Location": "http://127.0.0.1:9/x"])
      case "/near": Reply(status: 302, headers: ["Location": "/feed.json"])
      case "/gone": Reply(status: 404)
      default:
        number == 1 ? Reply(status: 503, headers: ["Retry-After": "7"]) : .json("7")
      }
    } _: { server in
      let clock = VirtualClock()
      async let answer = download(attempts: 2, clock: clock).load(server.url)
      await clock.waitForSleeper(.seconds(7) ... .seconds(8))
      clock.advance(by: .seconds(8))
      let bytes = try await answer.bytes
      #expect(bytes == Array("7".utf8))
      #expect(server.requests.count == 2)
      #expect(try await download().load(server.url("/near")).bytes == Array("7".utf8))
      let away = await #expect(throws: LocalCopyError.self) {
        try await download().load(server.url("/away"))
      }
      #expect(away?.code == .redirectRefused)
      let gone = await #expect(throws: LocalCopyError.self) {
        try await download().load(server.url("/gone"))
      }
      #expect(gone?.httpStatus == 404 && gone?.source?.contains("/gone") == true)
      let file = await #expect(throws: LocalCopyError.self) {
        try await download().load(URL(filePath: "/etc/hostname"))
      }
      #expect(file?.code == .invalidSource)
    }
  }
}
