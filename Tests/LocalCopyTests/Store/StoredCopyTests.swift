import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

@testable import LocalCopy

@Model
final class Reading {
  @Attribute(.unique) var id: String
  @Attribute(.unique) var serial: Int
  var value: Double?
  var taken: Date

  init(id: String, serial: Int, value: Double?, taken: Date) {
    self.id = id
    self.serial = serial
    self.value = value
    self.taken = taken
  }
}

/// An element of the feed of readings.
struct ReadingElement: Decodable, Sendable {
  var id: String
  var serial: Int
  var value: Double?
  var taken: Date
}

@Suite("A feed becomes a copy in an SQLite file", .timeLimit(.minutes(20)))
struct StoredCopyTests {
  typealias Copy = LocalCopy<ReadingElement, Reading>

  /// A store and a feed in a separate folder.
  struct Place {
    let folder: URL
    let clock = VirtualClock()
    var feed: URL { folder.appending(path: "feed.json") }

    func container(in name: String = "copy.store") throws -> ModelContainer {
      try ModelContainer(
        for: Reading.self,
        configurations: ModelConfiguration(url: folder.appending(path: name)))
    }

    func copy(
      into container: ModelContainer, stagedBytes: Int = 0,
      _ whenMapped: @escaping @Sendable (ReadingElement) throws -> Void = { _ in }
    ) throws -> Copy {
      var configuration = LocalCopyConfiguration()
      configuration.clock = clock
      configuration.stagedBytes = stagedBytes
      configuration.decoding.dates = .millisecondsSince1970
      return try LocalCopy(
        of: .file(feed), elements: "readings", into: container, configuration: configuration
      ) { element in
        try whenMapped(element)
        return Reading(
          id: element.id, serial: element.serial, value: element.value, taken: element.taken)
      }
    }

    /// Writes a feed of readings with the given values and ending.
    func write(_ values: [Double?], end: String = "]}") throws {
      let items = values.enumerated().map { index, value in
        let value = value.map { "\($0)" } ?? "null"
        return #"{"id":"r\#(index)","serial":\#(index),"value":\#(value),"taken":1746366775123}"#
      }
      let text = #"{"readings":["# + items.joined(separator: ",") + end
      try Data(text.utf8).write(to: feed)
    }
  }

  private func values(_ container: ModelContainer) throws -> [Double?] {
    let descriptor = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.serial)])
    return try ModelContext(container).fetch(descriptor).map(\.value)
  }

  @Test("Refreshes report the changes of the store, and repeating one changes nothing")
  func counts() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      let copy = try place.copy(into: container)
      #expect(copy.state == .empty)
      try place.write([1, nil, 3])
      let first = try await copy.refresh()
      #expect(first.inserted == 3 && first.received == 3)
      #expect(try values(container) == [1, nil, 3])
      let again = try await copy.refresh()
      #expect(again.inserted == 0 && again.updated == 0 && again.unchanged == 3)
      try place.write([1, 2, 3, 4])
      let third = try await copy.refresh()
      #expect(third.inserted == 1 && third.updated == 1 && third.unchanged == 2)
      #expect(try values(container) == [1, 2, 3, 4])
      let reading = try ModelContext(container).fetch(FetchDescriptor<Reading>()).first
      #expect(reading?.taken == Date(timeIntervalSince1970: 1_746_366_775.123))
    }
  }

  @Test("State and report come back with the file after a restart") func restart() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      try place.write([1, 2])
      _ = try await place.copy(into: place.container()).refresh()
      place.clock.advance(by: .seconds(10))
      let copy = try place.copy(into: place.container())
      #expect(copy.state == .fresh(since: place.clock.now.addingTimeInterval(-10)))
      #expect(copy.lastReport?.inserted == 2)
      place.clock.advance(by: .seconds(300))
      #expect(copy.state == .stale(since: place.clock.now.addingTimeInterval(-310)))
      #expect(try await copy.refreshIfStale()?.unchanged == 2)
    }
  }

  @Test("Readers see the old copy until the commit, then the new one") func isolation()
    async throws
  {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2])
      _ = try await place.copy(into: container).refresh()
      try place.write([Double?](repeating: 9, count: 50))
      let seen = Mutex<Set<Int>>([])
      let copy = try place.copy(into: container) { _ in
        let count = try ModelContext(container).fetchCount(FetchDescriptor<Reading>())
        seen.withLock { _ = $0.insert(count) }
      }
      _ = try await copy.refresh()
      #expect(seen.withLock { $0 } == [2])
      #expect(try values(container).count == 50)
    }
  }

  @Test(
    "A malformed or refused document changes nothing in the file",
    arguments: ["", "}", ",{]}", "]}{", "],\"x\":tru}"])
  func malformedDocument(end: String) async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      let copy = try place.copy(into: container)
      try place.write([1, 2])
      _ = try await copy.refresh()
      let record = try container.storeMetadata(forKey: CopyRecord.key(place.identity))
      #expect(record != nil)
      #expect(try container.lastGood(ofCopyNamed: place.identity) == copy.state.lastGood)
      #expect(try container.lastGood(ofCopyNamed: "another") == nil)
      try place.write([Double?](repeating: 9, count: 2000), end: end)
      await #expect(throws: LocalCopyError.self) { try await copy.refresh() }
      #expect(try values(container) == [1, 2])
      #expect(try container.storeMetadata(forKey: CopyRecord.key(place.identity)) == record)
      try place.write([3])
      #expect(try await copy.refresh().updated == 1)
    }
  }

  @Test("While a document of usual size arrives, others can write") func staging() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([Double?](repeating: 9, count: 1000))
      let copy = try place.copy(into: container, stagedBytes: 1 << 20) { element in
        guard element.serial == 900 else { return }
        let batch = try BatchUpsert<Reading>(container)
        try batch.upsert(Reading(id: "own", serial: -1, value: 5, taken: Date()))
        try batch.commit()
      }
      #expect(try await copy.refresh().inserted == 1000)
      #expect(try values(container).count == 1001)
    }
  }

  @Test(
    "A refresh that is cancelled or breaks off leaves the copy whole; the next one completes",
    arguments: [0, 1, 256, 700], [0, 1 << 20])
  func cancellation(at element: Int, stagedBytes: Int) async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2])
      _ = try await place.copy(into: container).refresh()
      try place.write([Double?](repeating: 9, count: 1000))
      let cancelled = try place.copy(into: container, stagedBytes: stagedBytes) {
        if $0.serial == element { withUnsafeCurrentTask { $0?.cancel() } }
      }
      await #expect(throws: CancellationError.self) { try await cancelled.refresh() }
      #expect(try values(container) == [1, 2])
      let report = try await place.copy(into: container).refresh()
      #expect(report.inserted == 998 && report.updated == 2)
    }
  }

  @Test("A process that dies in the middle leaves files with the whole old copy")
  func death() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2])
      _ = try await place.copy(into: container).refresh()
      try place.write([Double?](repeating: 9, count: 1000))
      let copy = try place.copy(into: container) { element in
        guard element.serial == 900 else { return }
        // The files as they would be on the disk if the process ended here.
        for suffix in ["", "-wal"] {
          let file = folder.appending(path: "copy.store\(suffix)")
          if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.copyItem(
              at: file, to: folder.appending(path: "dead.store\(suffix)"))
          }
        }
      }
      #expect(try await copy.refresh().inserted == 998)
      let revived = try place.container(in: "dead.store")
      #expect(try values(revived) == [1, 2])
      #expect(try await place.copy(into: revived).refresh().inserted == 998)
    }
  }

  @Test("An element that matches two stored models is skipped; the others are imported")
  func collision() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2, 3])
      _ = try await place.copy(into: container).refresh()
      let document = """
        {"readings":[{"id":"r0","serial":1,"value":7,"taken":0},
                     {"id":"r2","serial":2,"value":8,"taken":0}]}
        """
      try Data(document.utf8).write(to: place.feed)
      let report = try await place.copy(into: container).refresh()
      #expect(report.skipped == 1 && report.updated == 1)
      #expect(report.details.first?.path == ["readings", 0])
      #expect(try values(container) == [1, 2, 8])
    }
  }
}

extension StoredCopyTests.Place {
  var identity: String { FeedSource.file(feed).identity }
}

extension StoredCopyTests {
  /// Stores the number of readings beside them.
  private final class CountingReader: DocumentReader {
    struct Refusal: Error {}

    static let key = "StoredCopyTests.count"
    private let container: ModelContainer
    private let fails: Bool

    init(_ container: ModelContainer, fails: Bool) {
      self.container = container
      self.fails = fails
    }

    func model(of element: ReadingElement) throws -> Reading? {
      Reading(id: element.id, serial: element.serial, value: element.value, taken: element.taken)
    }

    func conclude(_ document: FeedDocument) throws -> [Reading] { [] }

    func metadata(_ document: FeedDocument) throws -> [String: Data] {
      if fails { throw Refusal() }
      let former = try container.storeMetadata(forKey: Self.key) ?? Data()
      return [Self.key: former + Data([UInt8(document.report.inserted)])]
    }
  }

  @Test("What a document reader records is committed with the models, or not at all")
  func recordOfADocument() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      func refresh(fails: Bool) async throws {
        var configuration = LocalCopyConfiguration()
        configuration.clock = place.clock
        configuration.decoding.dates = .millisecondsSince1970
        let copy = try Copy(
          of: .file(place.feed), elements: "readings", into: container,
          configuration: configuration
        ) { CountingReader(container, fails: fails) }
        try await copy.refresh(force: true)
      }
      try place.write([1, 2])
      try await refresh(fails: false)
      #expect(try container.storeMetadata(forKey: CountingReader.key) == Data([2]))
      try place.write([1, 2, 3])
      await #expect(throws: CountingReader.Refusal.self) { try await refresh(fails: true) }
      #expect(try values(container).count == 2)
      #expect(try container.storeMetadata(forKey: CountingReader.key) == Data([2]))
      try await refresh(fails: false)
      #expect(try values(container).count == 3)
      // It read what was stored before.
      #expect(try container.storeMetadata(forKey: CountingReader.key) == Data([2, 1]))
    }
  }

  @Test("erase() deletes what document readers have recorded, and no other values")
  func erasedRecordOfADocument() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2])
      var configuration = LocalCopyConfiguration()
      configuration.decoding.dates = .millisecondsSince1970
      let copy = try Copy(
        of: .file(place.feed), elements: "readings", into: container, configuration: configuration
      ) { CountingReader(container, fails: false) }
      try await copy.refresh()
      let batch = try BatchUpsert<Reading>(container)
      try batch.setMetadata(Data([7]), forKey: "own")
      try batch.commit()
      #expect(try container.storeMetadata(forKey: CountingReader.key) == Data([2]))
      try container.erase()
      #expect(try container.storeMetadata(forKey: CountingReader.key) == nil)
      #expect(try container.storeMetadata(forKey: "own") == Data([7]))
      try await copy.refresh()
      #expect(try container.storeMetadata(forKey: CountingReader.key) == Data([2]))
    }
  }

  /// Stores metadata where the record of a copy may be.
  private final class ReservedKeyReader: DocumentReader {
    func model(of element: ReadingElement) throws -> Reading? {
      Reading(id: element.id, serial: element.serial, value: element.value, taken: element.taken)
    }

    func conclude(_ document: FeedDocument) throws -> [Reading] { [] }

    func metadata(_ document: FeedDocument) throws -> [String: Data] {
      ["LocalCopy.another": Data([1]), "count": Data([2])]
    }
  }

  @Test("Metadata of a document under the key of a copy's record is refused, and nothing is stored")
  func reservedKey() async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let container = try place.container()
      try place.write([1, 2])
      var configuration = LocalCopyConfiguration()
      configuration.decoding.dates = .millisecondsSince1970
      let copy = try Copy(
        of: .file(place.feed), elements: "readings", into: container, configuration: configuration
      ) { ReservedKeyReader() }
      let error = try await #require(throws: LocalCopyError.self) {
        try await copy.refresh(force: true)
      }
      #expect(error.code == .reservedKey)
      #expect(error.reason.contains("LocalCopy.another"))
      #expect(try values(container).isEmpty)
      #expect(try container.storeMetadata(forKey: "LocalCopy.another") == nil)
      #expect(try container.storeMetadata(forKey: "count") == nil)
    }
  }
}
