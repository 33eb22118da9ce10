import Foundation
import Testing

@testable import LocalCopy

@Suite("A document is imported as a whole; a malformed element is skipped")
struct ImportTests {
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Refreshes from a file with the given content.
  private func refresh(
    _ document: [UInt8], in store: MemoryStore = MemoryStore(),
    configure: (inout LocalCopyConfiguration) -> Void = { _ in },
    map: @escaping @Sendable (Item) throws -> Item? = { $0 }
  ) async throws -> RefreshReport {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      try Data(document).write(to: file)
      let copy = try makeCopy(of: .file(file), in: store, configure: configure, map: map)
      return try await copy.refresh(force: false)
    }
  }

  @Test("Malformed elements are skipped with index, path and reason; the others are imported")
  func malformedElements() async throws {
    let document = """
      {"items":[{"id":"a","value":1},{"id":5},{"value":2},7,{"id":"b","value":"x"},null,
       {"id":"\\ud800"},{"id":"c"}]}
      """
    let store = MemoryStore()
    let report = try await refresh(Array(document.utf8), in: store)
    #expect(report.received == 8)
    #expect(report.inserted == 2)
    #expect(report.skipped == 6)
    #expect(report.details.map(\.index) == [1, 2, 3, 4, 5, 6])
    #expect(
      report.details.map(\.path.description) == [
        "$.items[1].id", "$.items[2].id", "$.items[3]", "$.items[4].value", "$.items[5]",
        "$.items[6].id",
      ])
    #expect(report.details[0].reason == "Expected String, found a number.")
    #expect(report.details[1].reason == "The member is missing.")
    #expect(Set(store.rows.keys) == ["a", "c"])
  }

  @Test("The mapping may leave elements out, or refuse them with a reason") func mapping()
    async throws
  {
    let document = feed(["a": 1, "b": -1, "c": nil])
    let report = try await refresh(
      Array(document.utf8),
      map: { item in
        guard let value = item.value else { throw Refusal(description: "no value") }
        return value > 0 ? item : nil
      })
    #expect(report.inserted == 1 && report.filtered == 1 && report.skipped == 1)
    #expect(
      report.details == [
        .init(index: 2, path: ["items", 2], reason: "no value")
      ])
  }

  @Test("An element that the store can't store is skipped; the others are imported")
  func refusedByTheStore() async throws {
    let store = MemoryStore()
    let report = try await refresh(Array(feed(["a": 1, "": 2, "b": 3]).utf8), in: store)
    #expect(report.inserted == 2 && report.skipped == 1)
    #expect(report.details == [.init(index: 1, path: ["items", 1], reason: "no key")])
    #expect(Set(store.rows.keys) == ["a", "b"])
  }

  @Test("Only the first hundred skipped elements are described") func boundedDetails()
    async throws
  {
    let items = [String](repeating: "[]", count: 250).joined(separator: ",")
    let report = try await refresh(Array(#"{"items":[\#(items)]}"#.utf8))
    #expect(report.skipped == 250)
    #expect(report.details.count == 100)
  }

  @Test("The paths of skipped elements are limited: a report is stored") func longPaths()
    async throws
  {
    /// A copy of an item with tags.
    struct Tagged: Decodable, Sendable { var tags: [String: Int] }
    let key = String(repeating: "é", count: 100_000)
    let items = [String](repeating: #"{"tags":{"\#(key)":"x"}}"#, count: 3).joined(separator: ",")
    let document = Array(#"{"items":[\#(items)]}"#.utf8)
    let plan = ImportPlan<Tagged, Item>(elements: "items") { _ in nil }
    let elements = ElementImport(plan, into: MemoryStore()) { _ in }
    try elements.sink.begin(nil)
    try document.withUnsafeBufferPointer { try elements.sink.receive($0, document.count) }
    try elements.finish()
    #expect(elements.report.skipped == 3)
    #expect(try JSONEncoder().encode(elements.report).count < 4_000)
    let path = try #require(elements.report.details.first?.path)
    #expect(path == ["items", 0, "tags", .key(String(repeating: "é", count: 128) + "…")])
  }

  @Test("A path keeps its beginning, and as much of a key as has room") func shortenedPaths() {
    let short: JSONPath = ["items", 12, "properties", "mag"]
    #expect(short.shortened == short)
    let deep = JSONPath((0..<100).map { .index($0) })
    #expect(deep.shortened.components.count == 65)
    #expect(deep.shortened.components.last == "…")
    let long = JSONPath([JSONPath.Component](repeating: .key("\u{1F30A}" + "€€"), count: 300))
    #expect(long.shortened == JSONPath(long.components.prefix(64) + ["…"]))
    let wide = JSONPath(
      [JSONPath.Component](repeating: .key(String(repeating: "€", count: 200)), count: 9))
    let cut = JSONPath.Component.key(String(repeating: "€", count: 85) + "…")
    #expect(wide.shortened == [cut, cut, cut, cut, "…"])
  }

  @Test("An element over the limit is skipped") func oversizedElement() async throws {
    let long = String(repeating: "x", count: 5000)
    let document = #"{"items":[{"id":"\#(long)"},{"id":"a"}]}"#
    let report = try await refresh(Array(document.utf8)) {
      $0.limits.maximumElementBytes = 1000
    }
    #expect(report.inserted == 1 && report.skipped == 1 && report.received == 2)
    #expect(report.details.first?.path == ["items", 0])
  }

  @Test("An empty feed is a success") func emptyFeed() async throws {
    let store = MemoryStore()
    let report = try await refresh(Array(#"{"count":0,"items":[]}"#.utf8), in: store)
    #expect(report.received == 0)
    #expect(store.commits == 1)
  }

  @Test(
    "A malformed document changes nothing, even with valid elements before the fault",
    arguments: ["]", "", "}", "]}x", ",]}", "],\"items\":[]}"])
  func malformedDocument(end: String) async throws {
    let store = MemoryStore()
    _ = try await refresh(Array(feed(["a": 1]).utf8), in: store)
    let before = store.contents
    let items = (0..<1000).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    await #expect(throws: LocalCopyError.self) {
      try await refresh(Array((#"{"items":[\#(items)"# + end).utf8), in: store)
    }
    #expect(store.contents == before)
    #expect(!store.isWriting)
  }

  @Test(
    "A store that fails at any step stays unchanged",
    arguments: ["begin", "upsert", "commit"], [0, 1000])
  func failingStore(operation: String, stagedBytes: Int) async throws {
    let store = MemoryStore()
    _ = try await refresh(Array(feed(["a": 1]).utf8), in: store)
    let before = store.contents
    store.fail(operation)
    let error = await #expect(throws: LocalCopyError.self) {
      try await refresh(Array(feed(["a": 2, "b": 3]).utf8), in: store) {
        $0.stagedBytes = stagedBytes
      }
    }
    #expect(error?.code == .storeFailed)
    store.fail(nil)
    #expect(store.contents == before)
    #expect(!store.isWriting)
  }

  @Test("The document around the elements can be looked at, and refused") func accept()
    async throws
  {
    struct Metadata: Decodable { var status: Int }
    func document(_ status: Int) -> [UInt8] {
      Array(feed(["a": 1], extra: #","metadata":{"status":\#(status)}"#).utf8)
    }
    let accept: @Sendable (FeedDocument) throws -> Void = { document in
      let metadata = try document.decode(Metadata.self, at: "metadata")
      guard metadata?.status == 200, document.report.received == 1 else {
        throw Refusal(description: "status \(metadata?.status ?? 0)")
      }
    }
    let store = MemoryStore()
    let report = try await refresh(document(200), in: store) { $0.accept = accept }
    #expect(report.inserted == 1)
    await #expect(throws: Refusal.self) {
      try await refresh(document(503), in: MemoryStore()) { $0.accept = accept }
    }
  }

  @Test("Of equal keys around the elements, the first counts, as in the elements")
  func equalKeys() async throws {
    struct Metadata: Decodable { var status: Int }
    let metadata = #","metadata":{"status":200},"metadata":{"status":500}"#
    let report = try await refresh(Array(feed(["a": 1], extra: metadata).utf8)) {
      $0.accept = { document in
        let metadata = try document.decode(Metadata.self, at: "metadata")
        guard metadata?.status == 200 else { throw Refusal(description: "status") }
      }
    }
    #expect(report.inserted == 1)
  }

  @Test("A file may be compressed; a missing one is a typed error") func files() async throws {
    let document = Array(feed(["a": 1, "b": 2]).utf8)
    let packed = try gzip(document)
    let report = try await refresh(packed)
    #expect(report.inserted == 2)
    #expect(report.bytesReceived == packed.count && report.bytesDecoded == document.count)
    // Two members, one after the other, are one document (RFC 1952 section 2.2).
    let halves = try gzip(Array(document.prefix(9))) + gzip(Array(document.dropFirst(9)))
    #expect(try await refresh(halves).inserted == 2)
    let cut = await #expect(throws: LocalCopyError.self) {
      try await refresh(Array(packed.dropLast()))
    }
    #expect(cut?.code == .truncated)
    let copy = try makeCopy(of: FeedSource("/nowhere/feed.json"), in: MemoryStore())
    let error = await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: false) }
    #expect(error?.code == .fileUnreadable)
    #expect(error?.source == "/nowhere/feed.json")
  }

  @Test("A refresh that is cancelled in the middle changes nothing") func cancellation()
    async throws
  {
    let store = MemoryStore()
    let items = (0..<100).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      try Data(#"{"items":[\#(items)]}"#.utf8).write(to: file)
      let copy = try makeCopy(
        of: .file(file), in: store,
        map: { item in
          // Cancels the task that reads and imports, from inside that task.
          if item.id == "50" { withUnsafeCurrentTask { $0?.cancel() } }
          return item
        })
      await #expect(throws: CancellationError.self) { try await copy.refresh(force: false) }
      #expect(store.rows.isEmpty)
      #expect(!store.isWriting)
      #expect(copy.state == .empty)
    }
  }

  @Test("A report survives encoding") func reportCoding() throws {
    var report = RefreshReport()
    for index in 0..<120 { report.skip(index, ["a", .index(index), "b.c"], "why\u{1B}[31m") }
    #expect(report.details[0].reason == "why\\u{1b}[31m")
    let data = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(RefreshReport.self, from: data) == report)
  }

  @Test(
    "Counts of the real captures equal those of JSONSerialization",
    .enabled(if: SharedData.exists("usgs/feeds"), "\(SharedData.absence("usgs/feeds"))"))
  func captures() async throws {
    for folder in ["usgs/feeds", "usgs/replay", "usgs/fdsn"] {
      for name in try SharedData.names(in: folder, suffix: ".geojson") {
        let url = SharedData.url("\(folder)/\(name)")
        let data = try Data(contentsOf: url)
        // JSONSerialization takes a second for each of the large ones in a debug build.
        guard data.count < 500_000 else { continue }
        let root = try JSONSerialization.jsonObject(with: data)
        let features = try #require((root as? [String: Any])?["features"] as? [[String: Any]])
        let identifiers = Set(features.compactMap { $0["id"] as? String })
        let store = MemoryStore()
        let copy = try makeCopy(of: .file(url), in: store, elements: "features")
        let first = try await copy.refresh(force: false)
        #expect(first.received == features.count, "\(name)")
        #expect(first.inserted == identifiers.count, "\(name)")
        #expect(Set(store.rows.keys) == identifiers, "\(name)")
        let second = try await copy.refresh(force: false)
        #expect(second.inserted == 0 && second.unchanged == features.count, "\(name)")
      }
    }
  }
}
