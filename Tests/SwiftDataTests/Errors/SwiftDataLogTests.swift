import Foundation
import Synchronization
import SwiftData
import SwiftDataCore
import Testing

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
