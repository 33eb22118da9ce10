import Foundation
import ProgramTesting
import Testing
import WireFormats

@testable import LocalCopy

@Suite("A request that can't be sent is no failure of the server", .timeLimit(.minutes(20)))
struct UnsentRequestTests {
  /// Refreshes a copy with two attempts, without a pause between them.
  private func failure(
    of source: FeedSource, headers: [String: String] = [:]
  ) async throws -> LocalCopyError {
    let copy = try makeCopy(of: source, in: MemoryStore(), clock: SystemTime()) {
      $0.http.headers = headers
      $0.http.retry.maximumAttempts = 2
      $0.http.retry.baseDelay = .zero
    }
    return try #require(
      await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: false) })
  }

  @Test("A header with a line end is named, without its value")
  func header() async throws {
    let port = try SilentPort()
    let error = try await failure(of: FeedSource(port.url), headers: ["X-Key": "secret\n"])
    #expect(error.code == .invalidSource)
    #expect(error.reason.contains("X-Key"))
    #expect(!"\(error) \(error.underlying ?? "")".contains("secret"))
    withExtendedLifetime(port) {}
  }

  @Test("A redirect to an address that can't be asked isn't repeated")
  func redirect() async throws {
    try await TestServer.run { _, _ in
      Reply(status: 302, headers: ["location": "http://127.0.0.1:99999/"])
    } _: { server in
      let error = try await failure(of: FeedSource(server.url))
      #expect(error.code == .invalidSource)
      #expect(server.requests.count == 1)
    }
  }
}
