import Foundation
import LocalCopy
import PostgresTesting
import StoreTesting
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Remark {
  @Attribute(.unique) var id: String
  var text: String

  init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

/// An element of the feed of remarks.
struct RemarkElement: Decodable, Sendable {
  var id: String
  var text: String
}

@Suite("An element that the store refuses is skipped", .timeLimit(.minutes(20)))
struct RefusedElementTests {
  enum Kind: Sendable {
    case file, server

    static let available: [Kind] = PostgresServer.absence == nil ? [.file, .server] : [.file]
  }

  /// Elements that are written one by one, and so many that they are written together, or sent as a stream.
  static let counts = [2, 1_300]

  /// A store, and a feed in a folder.
  struct Place {
    let folder: URL
    let kind: Kind
    let schema = uniqueName("refused")

    private var file: URL { folder.appending(path: "copy.store") }

    func container() throws -> ModelContainer {
      switch kind {
      case .file:
        try ModelContainer(for: Remark.self, configurations: ModelConfiguration(url: file))
      case .server:
        try ModelContainer(
          for: Schema([Remark.self]),
          configurations: [PostgresConfiguration(schema, url: try PostgresServer.shared.url)])
      }
    }

    /// Makes a trigger that refuses the text "bad", as another program would.
    func makeTrigger() throws {
      switch kind {
      case .file:
        try SQLiteFile(file).run(
          """
          CREATE TRIGGER refuse BEFORE INSERT ON Remark WHEN new.text = 'bad'
          BEGIN SELECT RAISE(ABORT, 'no such text'); END
          """)
      case .server:
        let connection = try PostgresServer.shared.connect()
        try connection.use(schema: schema)
        try connection.execute(
          """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF NEW."text" = 'bad' THEN RAISE EXCEPTION 'no such text'; END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON "Remark"
            FOR EACH ROW EXECUTE FUNCTION refuse();
          """)
      }
    }

    /// Refreshes from a feed in which the element before the last one has a text, or a key, as JSON has it.
    func refresh(
      into container: ModelContainer, count: Int, text: String = "good", key: String? = nil
    ) async throws -> RefreshReport {
      let items = (0..<count).map { index in
        index == count - 2
          ? #"{"id":"\#(key ?? String(index))","text":"\#(text)"}"#
          : #"{"id":"\#(index)","text":"good"}"#
      }
      let feed = folder.appending(path: "feed.json")
      try Data(#"{"items":[\#(items.joined(separator: ","))]}"#.utf8).write(to: feed)
      let copy = try LocalCopy<RemarkElement, Remark>(
        of: .file(feed), elements: "items", into: container
      ) { Remark(id: $0.id, text: $0.text) }
      return try await copy.refresh()
    }
  }

  private func stored(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Remark>())
  }

  @Test(
    "for a value that the server can't hold",
    .enabled(if: PostgresServer.absence == nil, "needs a PostgreSQL server"), arguments: counts)
  func unsupportedValue(count: Int) async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder, kind: .server)
      let container = try place.container()
      let report = try await place.refresh(into: container, count: count, text: #"a\u0000b"#)
      #expect(report.inserted == count - 1 && report.skipped == 1)
      #expect(report.details.map(\.path) == [["items", .index(count - 2)]])
      #expect(report.details.first?.reason.contains("Remark.text") == true)
      #expect(try stored(container) == count - 1)
    }
  }

  @Test(
    "for a key that is too large for the server's index",
    .enabled(if: PostgresServer.absence == nil, "needs a PostgreSQL server"), arguments: counts)
  func largeKey(count: Int) async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder, kind: .server)
      let container = try place.container()
      // The server compresses repetitions.
      var random = SystemRandomNumberGenerator()
      let key = (0..<500).map { _ in String(random.next(), radix: 36) }.joined()
      let report = try await place.refresh(into: container, count: count, key: key)
      #expect(report.inserted == count - 1 && report.skipped == 1)
      #expect(report.details.map(\.path) == [["items", .index(count - 2)]])
      #expect(report.details.first?.reason.contains("2,704 bytes") == true)
      #expect(try stored(container) == count - 1)
    }
  }

  @Test("by another program's trigger", arguments: Kind.available, counts)
  func trigger(kind: Kind, count: Int) async throws {
    try await withTemporaryFolder { folder in
      let place = Place(folder: folder, kind: kind)
      // Makes the tables.
      _ = try place.container()
      try place.makeTrigger()
      let container = try place.container()
      let report = try await place.refresh(into: container, count: count, text: "bad")
      #expect(report.inserted == count - 1 && report.skipped == 1)
      #expect(report.details.map(\.path) == [["items", .index(count - 2)]])
      #expect(report.details.first?.reason.contains("no such text") == true)
      #expect(try stored(container) == count - 1)
    }
  }
}
