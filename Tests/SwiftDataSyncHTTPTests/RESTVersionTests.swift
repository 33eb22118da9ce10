import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

/// A page of a notebook on the client of a test; `isStarred` belongs to the user, on pages of any author.
@Model final class Page {
  @Attribute(.unique) var number: Int
  var title: String
  var isStarred: Bool

  init(number: Int, title: String = "a") {
    self.number = number
    self.title = title
    isStarred = false
  }
}

/// A server with conditional requests, which doesn't use this library.
private actor Archive {
  struct Sheet {
    var text: String
    var revision: Int64
  }

  private(set) var sheets: [String: Sheet] = [:]
  private(set) var stars: Set<String> = []
  private(set) var requests: [String] = []
  private var revision: Int64 = 0
  /// The ranges of revisions that were skipped; nil for a server that names none.
  private var skipped: [ClosedRange<Int64>]?
  private var isAnswerLost = false
  private var oddity: SyncValue?
  let isOpaque: Bool

  init(isOpaque: Bool) { self.isOpaque = isOpaque }

  func loseAnswers(_ isLost: Bool) { isAnswerLost = isLost }
  func add(_ oddity: SyncValue?) { self.oddity = oddity }

  /// All that a copy of the server's data has.
  func copy() -> (sheets: [String: Sheet], stars: Set<String>, revision: Int64) {
    (sheets, stars, revision)
  }

  /// Goes on with a copy.
  func restore(_ copy: (sheets: [String: Sheet], stars: Set<String>, revision: Int64)) {
    (sheets, stars, revision) = copy
    skip(to: revision + 1_000)
  }

  /// Makes a change with a revision, as the first one after a start, and names those that are skipped.
  func skip(to first: Int64) {
    skipped = (skipped ?? []) + [revision + 1...first - 1]
    revision = first
  }

  func set(_ key: String, _ text: String?) {
    revision += 1
    sheets[key] = text.map { Sheet(text: $0, revision: revision) }
  }

  private func tag(_ sheet: Sheet) -> String {
    isOpaque ? "\"x\(sheet.revision)y\"" : "\"\(sheet.revision)\""
  }

  private func document(_ key: String, _ sheet: Sheet) -> SyncValue {
    var members: [String: SyncValue] = ["id": .text(key), "text": .text(sheet.text)]
    if !isOpaque { members["revision"] = .integer(sheet.revision) }
    return .object(members)
  }

  private func answer(_ status: HTTPResponse.Status, _ value: SyncValue? = nil, tag: String? = nil)
    -> Response
  {
    var headers: HTTPFields = [:]
    headers[.eTag] = tag
    if let skipped, let version = HTTPField.Name("sync-version"),
      let ranges = HTTPField.Name("sync-skipped")
    {
      headers[version] = "\(revision)"
      headers[ranges] = skipped.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")
    }
    return Response(
      status: status, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value?.json ?? [])))
  }

  func list() -> Response {
    answer(.ok, .list(sheets.map { document($0.key, $0.value) } + (oddity.map { [$0] } ?? [])))
  }

  func read(_ key: String) -> Response {
    guard let sheet = sheets[key] else { return answer(.notFound) }
    return answer(.ok, document(key, sheet), tag: tag(sheet))
  }

  private func holds(_ request: Request, _ key: String) -> Bool {
    if request.headers[.ifNoneMatch] == "*" { return sheets[key] == nil }
    guard let wanted = request.headers[.ifMatch] else { return true }
    return sheets[key].map(tag) == wanted
  }

  private func note(_ request: Request) {
    let condition =
      request.headers[.ifMatch].map { " if-match \($0)" }
      ?? request.headers[.ifNoneMatch].map { " if-none-match \($0)" } ?? ""
    requests.append(request.method.rawValue + condition)
  }

  func put(_ request: Request, _ key: String, _ document: SyncValue) -> Response {
    note(request)
    guard holds(request, key) else { return answer(.preconditionFailed) }
    guard case .object(let members) = document, let text = members["text"]?.text, text != "bad"
    else {
      return answer(
        .unprocessableContent, .object(["detail": .text("no \u{1B}[31mway")]))
    }
    set(key, text)
    if isAnswerLost { return answer(.badGateway) }
    return isOpaque ? answer(.noContent) : read(key)
  }

  func delete(_ request: Request, _ key: String) -> Response {
    note(request)
    guard holds(request, key) else { return answer(.preconditionFailed) }
    set(key, nil)
    return answer(isAnswerLost ? .badGateway : .noContent)
  }

  func star(_ request: Request, _ key: String) -> Response {
    note(request)
    if key == "13" { return answer(.notFound, .object(["title": .text("There is no such page")])) }
    revision += 1
    if request.method == .put { stars.insert(key) } else { stars.remove(key) }
    return answer(.noContent)
  }

  func unstar(_ key: String) {
    revision += 1
    stars.remove(key)
  }

  func starred() -> Response {
    answer(
      .ok, .object(["starred": .list(stars.sorted().compactMap { Int64($0) }.map { .integer($0) })])
    )
  }

  /// Runs the server on loopback during a test.
  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let router = Router()
    router.get("sheets") { _, _ in await self.list() }
    router.get("sheets/:key") { _, context in
      await self.read(try context.parameters.require("key"))
    }
    router.put("sheets/:key") { request, context in
      let body = try await request.body.collect(upTo: 10_000)
      return await self.put(
        request, try context.parameters.require("key"), try SyncJSON.parse(body.readableBytesView))
    }
    router.delete("sheets/:key") { request, context in
      await self.delete(request, try context.parameters.require("key"))
    }
    router.get("stars") { _, _ in await self.starred() }
    for method in [HTTPRequest.Method.put, .delete] {
      router.on("stars/:key", method: method) { request, context in
        await self.star(request, try context.parameters.require("key"))
      }
    }
    try await serving(router, body)
  }
}

@Suite struct RESTVersionTests {
  private struct Unreadable: Error {}

  private func client(
    _ url: URL, isOpaque: Bool = false, policy: SyncPolicy = .serverWins,
    details: @escaping @Sendable (SyncValue) -> SyncValue? = { _ in nil }
  ) throws -> (ModelContainer, SyncEngine) {
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let resource = RESTResource(
      entity: "Note", path: "sheets",
      versions: isOpaque ? .entityTags : .revision(member: "revision")
    ) { element in
      guard case .object(let members) = element, let key = members["id"]?.text else {
        throw Unreadable()
      }
      return (key, ["text": members["text"] ?? .null, "owner": .text("ann")])
    } write: { _, values in
      .object(["text": values["text"] ?? .null])
    }
    var transport = RESTSyncTransport(url, resources: [resource])
    transport.details = details
    transport.namesSkippedVersions = true
    let engine = try SyncEngine(
      container, models: [SyncedModel(Note.self, key: \.key, policy: policy)],
      transport: transport, timing: Self.timing)
    return (container, engine)
  }

  private static var timing: SyncTiming {
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.baseDelay = .milliseconds(1)
    timing.maximumDelay = .milliseconds(2)
    return timing
  }

  private func write(_ text: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<Note>())
    if notes.isEmpty { context.insert(Note(text, owner: "ann")) }
    for note in notes { note.text = text }
    try context.save()
  }

  private func erase(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    try context.delete(model: Note.self)
    try context.save()
  }

  private func texts(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
      .map(\.text)
  }

  @Test(arguments: [true, false], [true, false])
  func noUnseenVersionIsOverwritten(
    isOpaque: Bool, serverWins: Bool
  ) async throws {
    let archive = Archive(isOpaque: isOpaque)
    try await archive.serve { url in
      let (container, engine) = try client(
        url, isOpaque: isOpaque, policy: serverWins ? .serverWins : .clientWins)
      try write("a", container)
      try await engine.sync()
      #expect(await archive.requests == ["PUT if-none-match *"])
      let key = try #require(await archive.sheets.keys.first)
      await archive.set(key, "theirs")
      try write("mine", container)
      try await engine.sync()
      let winner = serverWins ? "theirs" : "mine"
      #expect(try texts(container) == [winner])
      #expect(await archive.sheets[key]?.text == winner)
      #expect(try await engine.conflicts().map(\.conflict.properties) == [["text"]])
      #expect(try await engine.unsynced().isEmpty)
      // A deletion is conditional on the version seen, too.
      await archive.set(key, "theirs again")
      try erase(container)
      try await engine.sync()
      #expect(await archive.sheets[key]?.text == (serverWins ? "theirs again" : nil))
    }
  }

  @Test(arguments: [true, false]) func aPutWhoseAnswerIsLostIsDoneOnce(isOpaque: Bool) async throws
  {
    let archive = Archive(isOpaque: isOpaque)
    try await archive.serve { url in
      let (container, engine) = try client(url, isOpaque: isOpaque)
      for text in ["a", "b"] {
        let before = await archive.sheets.values.first?.revision ?? 0
        try write(text, container)
        await archive.loseAnswers(true)
        await #expect(throws: SyncFailure.self) { try await engine.sync() }
        await archive.loseAnswers(false)
        try await engine.sync()
        #expect(await archive.sheets.values.map(\.text) == [text])
        #expect(await archive.sheets.values.first?.revision == before + 1)
        #expect(try await engine.conflicts().isEmpty)
        #expect(try await engine.unsynced().isEmpty)
      }
      // The same for a deletion.
      await archive.loseAnswers(true)
      try erase(container)
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      await archive.loseAnswers(false)
      try await engine.sync()
      #expect(await archive.sheets.isEmpty)
      #expect(try await engine.unsynced().isEmpty)
    }
  }

  @Test func theDetailsOfARefusalAreKeptAsFarAsTheyAreAskedFor() async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      let (container, engine) = try client(url) { document in
        guard case .object(let members) = document else { return nil }
        return .list([.integer(Int64(members.count)), .text("asked for")])
      }
      try write("bad", container)
      try await engine.sync()
      guard case .quarantined(let quarantine) = try await engine.unsynced().first?.status,
        case .rejected(let rejection) = quarantine.reason
      else {
        Issue.record("nothing is set aside")
        return
      }
      #expect(rejection.details == .list([.integer(1), .text("asked for")]))
    }
  }

  @Test func aRefusalIsShownWithItsReason() async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      let (container, engine) = try client(url)
      try write("bad", container)
      try await engine.sync()
      guard case .quarantined(let quarantine) = try await engine.unsynced().first?.status else {
        Issue.record("nothing is set aside")
        return
      }
      #expect(
        quarantine.reason
          == .rejected(SyncRejection(code: "refused", message: "no \u{FFFD}[31mway")))
    }
  }

  @Test(
    arguments: [
      .text("a word"), .null,
      .object(["id": .text(UUID().uuidString), "text": .text("no revision")]),
      .object(["text": .text("no id"), "revision": .integer(9)]),
    ] as [SyncValue])
  func anElementThatCannotBeReadDeletesNothing(_ oddity: SyncValue) async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      let (container, engine) = try client(url)
      try write("a", container)
      try await engine.sync()
      for key in await archive.sheets.keys { await archive.set(key, nil) }
      await archive.add(oddity)
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(try texts(container) == ["a"])
      await archive.add(nil)
      try await engine.sync()
      #expect(try texts(container).isEmpty)
    }
  }

  @Test(
    "a server that goes on with an older copy gets what it lost",
    arguments: [false, true], ["", "edit"])
  func restored(isElsewhere: Bool, meanwhile: String) async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      await archive.skip(to: 1_000)
      let (container, engine) = try client(url)
      try write("before", container)
      try await engine.sync()
      let copy = await archive.copy()
      try write("after", container)
      let context = ModelContext(container)
      context.insert(Note("new", owner: "ann"))
      try context.save()
      #expect(try await engine.sync().sent == 2)
      await archive.restore(copy)
      // Another object moves the newest revision beyond those that were lost.
      if isElsewhere { await archive.set(UUID().uuidString, "elsewhere") }
      if meanwhile == "edit" { try write("edited", container) }
      let report = try await engine.sync()
      #expect(report.restored == 2 && report.conflicts == 0)
      let mine = meanwhile == "edit" ? ["edited", "edited"] : ["after", "new"]
      let texts = await archive.sheets.values.map(\.text).filter { $0 != "elsewhere" }
      #expect(texts.sorted() == mine)
      #expect(try self.texts(container).filter { $0 != "elsewhere" } == mine)
      #expect(try await engine.sync() == SyncReport())
    }
  }

  @Test("marks that a server lost are set again; those that another device took away aren't")
  func restoredMarks() async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      await archive.skip(to: 1_000)
      let (container, engine) = try starring(url, namesSkippedVersions: true)
      let context = ModelContext(container)
      let pages = (1...3).map { Page(number: $0) }
      for page in pages { context.insert(page) }
      pages[0].isStarred = true
      pages[1].isStarred = true
      try context.save()
      try await engine.sync()
      let copy = await archive.copy()
      pages[2].isStarred = true
      try context.save()
      try await engine.sync()
      #expect(await archive.stars == ["1", "2", "3"])
      await archive.restore(copy)
      try await engine.sync()
      #expect(await archive.stars == ["1", "2", "3"])
      await archive.unstar("1")
      try await engine.sync()
      #expect(await archive.stars == ["2", "3"])
      let starred = try ModelContext(container).fetch(
        FetchDescriptor<Page>(predicate: #Predicate { $0.isStarred }))
      #expect(Set(starred.map(\.number)) == [2, 3])
    }
  }

  @Test(
    "damaged fields of versions are refused",
    arguments: [
      ("x", "1-2"), ("-1", "1-2"), ("3", "2-1"), ("3", "1"), ("3", "1-2-3"), ("3", "a-b"),
      ("3", "1-99999999999999999999"),
    ])
  func damagedVersions(version: String, ranges: String) async throws {
    let router = Router()
    router.get("sheets") { _, _ in
      var headers: HTTPFields = [.contentType: "application/json"]
      for (name, value) in [("sync-version", version), ("sync-skipped", ranges)] {
        if let name = HTTPField.Name(name) { headers[name] = value }
      }
      return Response(
        status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: "[]")))
    }
    try await serving(router) { url in
      var transport = RESTSyncTransport(
        url, resources: [RESTResource(entity: "Note", path: "sheets") { _ in nil }])
      // Fields of these names may mean something else elsewhere.
      let unnamed = try await transport.pull(after: nil, client: "a")
      #expect(unnamed.version == nil)
      transport.namesSkippedVersions = true
      let named = transport
      let failure = await #expect(throws: SyncFailure.self) {
        try await named.pull(after: nil, client: "a")
      }
      #expect(failure?.kind == .server)
      #expect(failure?.message.contains("Sync-") == true)
    }
  }

  /// Pages whose stars are members of a set on the server.
  private func starring(
    _ url: URL, namesSkippedVersions: Bool = false
  ) throws -> (ModelContainer, SyncEngine) {
    let container = try ModelContainer(
      for: Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    var transport = RESTSyncTransport(
      url, resources: [.set(entity: "Page", path: "stars", list: "starred", property: "isStarred")])
    transport.namesSkippedVersions = namesSkippedVersions
    let engine = try SyncEngine(
      container,
      models: [
        SyncedModel(
          annotating: Page.self, key: \.number, properties: [.init(\.isStarred, default: false)],
          policy: .clientWins)
      ],
      transport: transport, timing: Self.timing)
    return (container, engine)
  }

  @Test func membersOfASetAreAnnotations() async throws {
    let archive = Archive(isOpaque: false)
    try await archive.serve { url in
      let (container, engine) = try starring(url)
      func star(_ number: Int, _ isStarred: Bool) throws {
        let context = ModelContext(container)
        for page in try context.fetch(FetchDescriptor<Page>()) where page.number == number {
          page.isStarred = isStarred
        }
        try context.save()
      }
      let context = ModelContext(container)
      for number in [1, 2, 13] { context.insert(Page(number: number)) }
      try context.save()
      try star(1, true)
      try star(13, true)
      try await engine.sync()
      #expect(await archive.stars == ["1"])
      #expect(await archive.requests == ["PUT", "PUT"])
      guard case .quarantined(let quarantine) = try await engine.unsynced().first?.status else {
        Issue.record("nothing is set aside")
        return
      }
      #expect(
        quarantine.reason
          == .rejected(SyncRejection(code: "refused", message: "There is no such page")))
      try star(1, false)
      try star(2, true)
      try star(13, false)
      try await engine.sync()
      #expect(await archive.stars == ["2"])
      #expect(try await engine.unsynced().isEmpty)
    }
  }
}
