import Foundation
import LocalCopy
import SwiftData
import Testing

@Suite("Code that a refresh calls, and that would wait for it,", .timeLimit(.minutes(20)))
struct WritingReaderTests {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: RailLine.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func withFeed(_ body: (FeedSource) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      try Data(#"[{"code":"x"},{"code":"y"}]"#.utf8).write(to: file)
      try await body(.file(file))
    }
  }

  /// Writes to the store of the copy.
  private struct Reader: DocumentReader {
    let container: ModelContainer
    let erases: Bool

    func model(of element: CodedElement) throws -> RailLine? { RailLine(element.code) }

    func conclude(_ document: FeedDocument) throws -> [RailLine] {
      if erases { try container.erase() }
      return []
    }

    func metadata(_ document: FeedDocument) throws -> [String: Data] {
      try WritingReaderTests.save("z", in: container)
      return [:]
    }
  }

  fileprivate static func save(_ code: String, in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(RailLine(code))
    try context.save()
  }

  @Test("fails at once in a document reader", arguments: [true, false])
  func reader(erases: Bool) async throws {
    try await withFeed { source in
      let copy = try LocalCopy<CodedElement, RailLine>(
        of: source, elements: .root, into: container
      ) { Reader(container: container, erases: erases) }
      await #expect(throws: SwiftDataError.reentrantOperation) { try await copy.refresh() }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<RailLine>()) == 0)
      // The store can be written afterwards.
      try Self.save("a", in: container)
    }
  }

  @Test("leaves the element out where models are made, and says so")
  func map() async throws {
    try await withFeed { source in
      var configuration = LocalCopyConfiguration()
      // The first element begins the transaction.
      configuration.stagedBytes = 0
      let copy = try LocalCopy<CodedElement, RailLine>(
        of: source, elements: .root, into: container, configuration: configuration
      ) { element in
        if element.code == "y" { try Self.save("z", in: container) }
        return RailLine(element.code)
      }
      let report = try await copy.refresh()
      #expect(report.inserted == 1 && report.skipped == 1)
      #expect(report.details.first?.reason.contains("making models for a batch") == true)
    }
  }
}
