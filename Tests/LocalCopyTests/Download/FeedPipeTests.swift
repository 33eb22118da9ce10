import Dispatch
import Foundation
import SwiftData
import Synchronization
import Testing

@testable import LocalCopy

@Suite("A feed from a named pipe", .timeLimit(.minutes(5)))
struct FeedPipeTests {
  private static func makePipe(in folder: URL, _ name: String = "pipe") throws -> URL {
    let pipe = folder.appending(path: name)
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

  @Test("needs none of the threads that saves block while they wait for its transaction")
  func waitingSaves() async throws {
    try await withTemporaryFolder { folder in
      let place = StoredCopyTests.Place(folder: folder)
      let pipe = try Self.makePipe(in: folder, place.feed.lastPathComponent)
      let writer = open(pipe.path, O_RDWR)
      try #require(writer >= 0)
      let container = try place.container()
      let hasBegun = DispatchSemaphore(value: 0)
      let copy = try place.copy(into: container) { element in
        // The transaction began when the first element was stored.
        if element.serial == 1 { hasBegun.signal() }
      }
      let priority = Task.currentPriority
      let saves = Mutex<[Task<Void, any Error>]>([])
      Thread.detachNewThread {
        let items = (0..<3).map { #"{"id":"r\#($0)","serial":\#($0),"value":1,"taken":0}"# }
        let start = Array((#"{"readings":["# + items[0] + "," + items[1] + ",").utf8)
        _ = write(writer, start, start.count)
        hasBegun.wait()
        let isStarting = DispatchSemaphore(value: 0)
        let threads = ProcessInfo.processInfo.activeProcessorCount
        for number in 0..<2 * threads {
          let save = Task.detached(priority: priority) {
            let context = ModelContext(container)
            context.insert(
              Reading(id: "saved \(number)", serial: -1 - number, value: nil, taken: .now))
            isStarting.signal()
            try context.save()
          }
          saves.withLock { $0.append(save) }
        }
        // As many as there are threads of tasks wait now; fewer where other tests use these.
        // Not as long as a save waits.
        let limit = DispatchTime.now() + 4
        for _ in 0..<threads { _ = isStarting.wait(timeout: limit) }
        let end = Array((items[2] + "]}").utf8)
        _ = write(writer, end, end.count)
        close(writer)
      }
      #expect(try await copy.refresh().inserted == 3)
      for save in saves.withLock({ $0 }) { try await save.value }
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
