import Dispatch
import Foundation
import SwiftData
import SwiftDataCore
import Synchronization
import Testing

@testable import SwiftDataSQLite

/// The handler belongs to the whole process. Messages of tests that run concurrently are distinguished by their entity.
@Suite("Messages about failures without an error to throw", .serialized)
struct SwiftDataLogTests {
  @Model
  final class Gauge {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Reading.gauge) var readings: [Reading] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Reading {
    var value: Int
    var gauge: Gauge?
    init(value: Int) { self.value = value }
  }

  /// Collects the messages that contain the text.
  private func messages(naming text: String, of body: () throws -> Void) rethrows
    -> [SwiftDataLog.Message]
  {
    let found = Mutex<[SwiftDataLog.Message]>([])
    let before = SwiftDataLog.handler
    SwiftDataLog.handler = { message in
      if message.description.contains(text) { found.withLock { $0.append(message) } }
    }
    defer { SwiftDataLog.handler = before }
    try body()
    return found.withLock { $0 }
  }

  @Test(
    "reach the handler, with level, component and error",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types"))
  func unreadableDestination() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Gauge.self, Reading.self))
      let gauge = Gauge(name: "north")
      gauge.readings = [Reading(value: 1)]
      context.insert(gauge)
      try context.save()
    }
    try store.execute("UPDATE Reading SET value = 'many'")
    let context = ModelContext(try store.container(Gauge.self, Reading.self))
    let gauge = try #require(try context.fetch(FetchDescriptor<Gauge>()).first)
    let reported = messages(naming: "Reading") { #expect(gauge.readings.isEmpty) }
    let message = try #require(reported.first)
    #expect(message.level == .error)
    #expect(message.component == "ModelContext")
    #expect(message.error is RowDecodingError)
    #expect("\(message)".hasPrefix("ModelContext: \(message.text): "))
  }

  @Test(
    "have no values of properties",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types"))
  func values() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Gauge.self, Reading.self))
      let gauge = Gauge(name: "north")
      gauge.readings = [Reading(value: 1)]
      context.insert(gauge)
      try context.save()
    }
    try store.execute("UPDATE Reading SET value = 'confidential'")
    let context = ModelContext(try store.container(Gauge.self, Reading.self))
    let gauge = try #require(try context.fetch(FetchDescriptor<Gauge>()).first)
    let reported = messages(naming: "Reading") { _ = gauge.readings.count }
    #expect(!reported.isEmpty)
    #expect(reported.allSatisfy { !$0.description.contains("confidential") })
  }

  @Test("of work that holds a lock come after it; those of other threads don't wait")
  func held() {
    let events = Mutex<[String]>([])
    let before = SwiftDataLog.handler
    SwiftDataLog.handler = { message in
      if message.component == "HeldTest" { events.withLock { $0.append(message.text) } }
    }
    defer { SwiftDataLog.handler = before }
    SwiftDataLog.withMessagesHeld {
      SwiftDataLog.report(.notice, "HeldTest", "first")
      SwiftDataLog.withMessagesHeld { SwiftDataLog.report(.notice, "HeldTest", "second") }
      let isReported = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        SwiftDataLog.report(.notice, "HeldTest", "another thread")
        isReported.signal()
      }
      isReported.wait()
      events.withLock { $0.append("end") }
    }
    SwiftDataLog.report(.notice, "HeldTest", "later")
    #expect(events.withLock { $0 } == ["another thread", "end", "first", "second", "later"])
  }

  @Test(
    "of a watcher come while others may let go of the store",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"), .timeLimit(.minutes(5)))
  func watcher() async throws {
    let store = try TemporaryStore()
    let opened = try DefaultStore(
      ModelConfiguration(schema: Schema([Gauge.self, Reading.self]), url: store.file))
    let subscription = opened.commits.subscribe { _ in }
    let (results, continuation) = AsyncStream<Bool>.makeStream()
    let before = SwiftDataLog.handler
    let path = store.file.path
    let folder = store.folder.lastPathComponent
    SwiftDataLog.handler = { message in
      guard message.component == "SwiftData", message.text.contains(folder) else { return }
      // A handler that waits for another thread, such as the main one, which lets go of the store.
      let isStopped = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        opened.stopWatching()
        isStopped.signal()
      }
      continuation.yield(isStopped.wait(timeout: .now() + 30) == .success)
    }
    defer { SwiftDataLog.handler = before }
    // A file that can't be read takes the place of the store's.
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    let other = store.folder.appending(path: "other")
    try Data(repeating: 7, count: 8_192).write(to: other)
    try #require(rename(other.path, path) == 0)
    for await isStopped in results {
      #expect(isStopped)
      break
    }
    withExtendedLifetime(subscription) {}
  }

  @Test("are written to standard error only from the level that the environment names")
  func levels() {
    #expect(SwiftDataLog.levels(writtenFor: nil).isEmpty)
    #expect(SwiftDataLog.levels(writtenFor: "").isEmpty)
    #expect(SwiftDataLog.levels(writtenFor: "error") == [.error])
    #expect(SwiftDataLog.levels(writtenFor: "Warning") == [.warning, .error])
    #expect(SwiftDataLog.levels(writtenFor: "notice") == [.notice, .warning, .error])
    #expect(SwiftDataLog.levels(writtenFor: "1") == [.notice, .warning, .error])
  }
}
