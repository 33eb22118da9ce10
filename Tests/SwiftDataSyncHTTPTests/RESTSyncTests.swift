import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

/// A server of resources that doesn't use this library.
private actor Notes {
  var notes: [String: [String: SyncValue]] = [:]
  private(set) var puts: [String] = []

  func put(_ key: String, _ document: SyncValue, id: String) -> Bool {
    guard case .object(let members) = document, members["text"] != .text("bad") else {
      return false
    }
    notes[key] = members
    puts.append(id)
    return true
  }

  func set(_ key: String, _ text: String) {
    notes[key] = ["id": .text(key), "text": .text(text), "owner": .text("ann")]
  }

  func remove(_ key: String) -> Bool { notes.removeValue(forKey: key) != nil }
  func list() -> SyncValue { .list(notes.values.map { .object($0) }) }

  /// Runs the server on loopback during a test.
  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let router = Router()
    router.get("notes") { _, _ in
      Response(
        status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: await self.list().json)))
    }
    router.put("notes/:key") { request, context in
      let body = try await request.body.collect(upTo: 10_000)
      let key = try context.parameters.require("key")
      let id = HTTPField.Name("idempotency-key").flatMap { request.headers[$0] } ?? ""
      let isGood = await self.put(key, try SyncJSON.parse(body.readableBytesView), id: id)
      return Response(status: isGood ? .noContent : .unprocessableContent)
    }
    router.delete("notes/:key") { _, context in
      let isThere = await self.remove(try context.parameters.require("key"))
      return Response(status: isThere ? .noContent : .notFound)
    }
    try await serving(router, body)
  }
}

@Suite struct RESTSyncTests {
  private func client(_ url: URL) throws -> (ModelContainer, SyncEngine) {
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let resource = RESTResource(entity: "Note", path: "notes") { element in
      guard case .object(let members) = element, let key = members["id"]?.text else { return nil }
      return (key, members)
    } write: { key, values in
      .object(values.merging(["id": .text(key)]) { $1 })
    }
    var timing = SyncTiming()
    timing.pullInterval = nil
    let engine = try SyncEngine(
      container, models: [SyncedModel(Note.self, key: \.key)],
      transport: RESTSyncTransport(url, resources: [resource]), timing: timing)
    return (container, engine)
  }

  private func texts(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
      .map(\.text)
  }

  @Test func resourcesAreFetchedPutAndDeleted() async throws {
    let notes = Notes()
    try await notes.serve { url in
      let (container, engine) = try client(url)
      let (mine, theirs) = (UUID(), UUID().uuidString)
      await notes.set(theirs, "theirs")
      let context = ModelContext(container)
      let note = Note("mine", owner: "ann")
      note.key = mine
      context.insert(note)
      try context.save()
      try await engine.sync()
      #expect(try texts(container) == ["mine", "theirs"])
      #expect(await notes.notes[mine.uuidString]?["text"] == .text("mine"))
      #expect(await notes.puts.count == 1)
      // One note is changed there, the other one is removed; equal values aren't sent back.
      await notes.set(mine.uuidString, "mine, mended")
      _ = await notes.remove(theirs)
      try await engine.sync()
      #expect(try texts(container) == ["mine, mended"])
      #expect(await notes.puts.count == 1)
      try context.delete(model: Note.self)
      try context.save()
      _ = await notes.remove(mine.uuidString)
      // The resource was already removed.
      try await engine.sync()
      #expect(try texts(container).isEmpty)
      #expect(try await engine.unsynced().isEmpty)
    }
  }

  @Test func aRefusedResourceIsSetAside() async throws {
    let notes = Notes()
    try await notes.serve { url in
      let (container, engine) = try client(url)
      let context = ModelContext(container)
      context.insert(Note("bad", owner: "ann"))
      context.insert(Note("good", owner: "ann"))
      try context.save()
      try await engine.sync()
      #expect(await notes.notes.count == 1)
      #expect(engine.status.state.quarantinedCount == 1)
      // The refused note isn't on the server, but isn't deleted here either.
      try await engine.sync()
      #expect(try texts(container) == ["bad", "good"])
    }
  }
}
