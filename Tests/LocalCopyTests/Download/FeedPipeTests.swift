import Foundation
import Testing

@testable import LocalCopy

@Suite("A feed from a named pipe", .timeLimit(.minutes(5)))
struct FeedPipeTests {
  private static func makePipe(in folder: URL) throws -> URL {
    let pipe = folder.appending(path: "pipe")
    guard mkfifo(pipe.path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return pipe
  }

  @Test("that nobody writes to takes no longer than the deadline") func deadline() async throws {
    try await withTemporaryFolder { folder in
      let clock = VirtualClock()
      let copy = try makeCopy(
        of: .file(Self.makePipe(in: folder)), in: MemoryStore(), clock: clock
      ) { $0.http.totalDeadline = .seconds(7) }
      let refresh = Task { try await copy.refresh(force: false) }
      await clock.waitForSleeper(.seconds(7)...(.seconds(7)))
      clock.advance(by: .seconds(7))
      let error = await #expect(throws: LocalCopyError.self) { try await refresh.value }
      #expect(error?.code == .timedOut)
    }
  }

  @Test("that nobody writes to can be cancelled") func cancellation() async throws {
    try await withTemporaryFolder { folder in
      let file = try FeedFile(Self.makePipe(in: folder))
      let reading = Task { try await file.piece(upTo: 100) }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
  }

  @Test("is complete when its writer closes it") func end() async throws {
    try await withTemporaryFolder { folder in
      let pipe = try Self.makePipe(in: folder)
      // Open for reading, too, so that opening doesn't wait for a reader.
      let writer = open(pipe.path, O_RDWR)
      try #require(writer >= 0)
      let document = Array(feed(["a": 1, "b": 2]).utf8)
      try #require(write(writer, document, document.count) == document.count)
      let store = MemoryStore()
      let copy = try makeCopy(
        of: .file(pipe), in: store,
        map: { item in
          // The pipe is being read now: without a reader, it would lose its content.
          if item.id == "a" { close(writer) }
          return item
        })
      let report = try await copy.refresh(force: false)
      #expect(report.inserted == 2 && report.bytesReceived == document.count)
      #expect(Set(store.rows.keys) == ["a", "b"])
    }
  }
}
