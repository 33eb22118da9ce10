import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Synchronization
import Testing

/// A server of resources with entity tags. Its answers are lost on request, or come from a network.
private actor Notebook {
  private(set) var texts: [String: String] = [:]
  /// The keys of all puts.
  private(set) var puts: Set<String> = []
  private var revisions: [String: Int] = [:]
  private var revision = 0
  private var answers = Int.max
  private var page: HTTPResponse.Status?

  /// Lets only so many further puts be answered.
  func answer(_ count: Int) { answers = count }

  /// Puts a network's page with a status in the place of each resource that is read.
  func hide(_ status: HTTPResponse.Status?) { page = status }

  private func tag(_ key: String) -> String? { revisions[key].map { "\"x\($0)y\"" } }

  private func document(_ key: String, _ text: String) -> SyncValue {
    .object(["id": .text(key), "text": .text(text)])
  }

  private func answer(
    _ status: HTTPResponse.Status, _ value: SyncValue? = nil, _ tag: String? = nil
  ) -> Response {
    var headers: HTTPFields = [:]
    headers[.eTag] = tag
    return Response(
      status: status, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value?.json ?? [])))
  }

  private func list() -> Response { answer(.ok, .list(texts.map { document($0, $1) })) }

  private func read(_ key: String) -> Response {
    if let page {
      return Response(
        status: page, headers: [.contentType: "text/html"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "<!DOCTYPE html><title>Hello</title>")))
    }
    guard let text = texts[key] else { return answer(.notFound) }
    return answer(.ok, document(key, text), tag(key))
  }

  private func holds(_ headers: HTTPFields, _ key: String) -> Bool {
    if headers[.ifNoneMatch] == "*" { return texts[key] == nil }
    return headers[.ifMatch].map { $0 == tag(key) } ?? true
  }

  private func put(_ key: String, _ headers: HTTPFields, _ document: SyncValue) -> Response {
    puts.insert(key)
    guard holds(headers, key) else { return answer(.preconditionFailed) }
    guard case .object(let members) = document else { return answer(.unprocessableContent) }
    revision += 1
    (texts[key], revisions[key]) = (members["text"]?.text, revision)
    answers -= 1
    return answer(answers < 0 ? .badGateway : .noContent)
  }

  private func remove(_ key: String, _ headers: HTTPFields) -> Response {
    guard holds(headers, key) else { return answer(.preconditionFailed) }
    (texts[key], revisions[key]) = (nil, nil)
    return answer(.noContent)
  }

  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let router = Router()
    router.get("notes") { _, _ in await self.list() }
    router.get("notes/:key") { _, context in
      await self.read(try context.parameters.require("key"))
    }
    router.put("notes/:key") { request, context in
      let bytes = try await request.body.collect(upTo: 10_000)
      return await self.put(
        try context.parameters.require("key"), request.headers,
        try SyncJSON.parse(bytes.readableBytesView))
    }
    router.delete("notes/:key") { request, context in
      await self.remove(try context.parameters.require("key"), request.headers)
    }
    try await serving(router, body)
  }
}

/// A line that is cut after the first push, so that later ones certainly don't reach the server.
private final class CutLine: SyncTransport {
  private let transport: RESTSyncTransport
  private let state = Mutex((pushes: 0, isMended: false))

  init(_ transport: RESTSyncTransport) { self.transport = transport }

  func mend() { state.withLock { $0.isMended = true } }

  func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    let isCut = state.withLock { state in
      state.pushes += 1
      return state.pushes > 1 && !state.isMended
    }
    if isCut { throw SyncFailure(.offline, "no connection", isUnsent: true) }
    return try await transport.push(changes, client: client)
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await transport.pull(after: cursor, client: client)
  }
}

@Suite("Answers that leave open whether a change was stored")
struct UncertainAnswerTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func transport(_ url: URL) -> RESTSyncTransport {
    let resource = RESTResource(entity: "Note", path: "notes", versions: .entityTags) { element in
      guard case .object(let members) = element, let key = members["id"]?.text else { return nil }
      return (key, ["text": members["text"] ?? .null, "owner": .text("ann")])
    } write: { _, values in
      .object(["text": values["text"] ?? .null])
    }
    return RESTSyncTransport(url, resources: [resource])
  }

  private func engine(
    _ container: ModelContainer, _ transport: any SyncTransport
  ) throws -> SyncEngine {
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.baseDelay = .milliseconds(1)
    timing.maximumDelay = .milliseconds(2)
    return try SyncEngine(
      container, models: [SyncedModel(Note.self, key: \.key)], transport: transport,
      timing: timing)
  }

  private func write(_ texts: [String], _ container: ModelContainer) throws {
    let context = ModelContext(container)
    for text in texts { context.insert(Note(text, owner: "ann")) }
    try context.save()
  }

  private func texts(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
      .map(\.text)
  }

  @Test(
    "of a push that is answered in part, only the change without an answer may be stored",
    arguments: [0, 1])
  func partlyAnswered(count: Int) async throws {
    let notebook = Notebook()
    try await notebook.serve { url in
      let container = try container()
      let line = CutLine(transport(url))
      let engine = try engine(container, line)
      try write(["a", "b", "c"], container)
      await notebook.answer(count)
      for _ in 0..<2 { await #expect(throws: SyncFailure.self) { try await engine.sync() } }
      let stored = await notebook.texts
      #expect(stored.count == count + 1)
      // The user deletes all of them: also the one that is stored without the engine's knowledge.
      let context = ModelContext(container)
      try context.delete(model: Note.self)
      try context.save()
      await notebook.answer(.max)
      line.mend()
      try await engine.sync()
      #expect(await notebook.texts.isEmpty)
      #expect(try texts(container).isEmpty)
      #expect(try await engine.unsynced().isEmpty)
      // Changes that were never sent are withdrawn.
      #expect(await notebook.puts == Set(stored.keys))
    }
  }

  @Test(
    "a network's page in place of a resource neither removes it nor counts as its removal",
    arguments: [404, 410])
  func pageInPlaceOfAResource(status: Int) async throws {
    let notebook = Notebook()
    try await notebook.serve { url in
      let container = try container()
      let engine = try engine(container, transport(url))
      try write(["edited", "deleted"], container)
      try await engine.sync()
      await notebook.hide(.init(code: status))
      let context = ModelContext(container)
      for note in try context.fetch(FetchDescriptor<Note>()) {
        if note.text == "edited" { note.text = "new" } else { context.delete(note) }
      }
      try context.save()
      let failure = await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(failure?.kind == .server)
      #expect(failure?.message.contains("A web page answers at") == true)
      #expect(try texts(container) == ["new"])
      #expect(try await engine.unsynced().count == 2)
      #expect(await notebook.texts.count == 2)
      await notebook.hide(nil)
      try await engine.sync()
      #expect(try texts(container) == ["new"])
      #expect(await notebook.texts.values.sorted() == ["new"])
      #expect(try await engine.conflicts().isEmpty)
      #expect(try await engine.unsynced().isEmpty)
    }
  }
}
