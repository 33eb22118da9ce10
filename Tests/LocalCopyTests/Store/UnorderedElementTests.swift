import Foundation
import SwiftData
import Testing

@testable import LocalCopy

/// A class with values whose parts have no order.
@Model
final class TaggedStation {
  @Attribute(.unique) var code: String
  var tags: Set<String>
  var heights: [UUID: Double]?

  init(_ element: TaggedElement) {
    code = element.id
    tags = Set(element.tags)
    heights = Dictionary(
      element.tags.indices.map { (Self.identifier($0), Double($0)) }, uniquingKeysWith: { $1 })
  }

  private static func identifier(_ index: Int) -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(index)))
  }
}

struct TaggedElement: Decodable, Sendable {
  var id: String
  var tags: [String]
}

@Suite("Elements with sets", .timeLimit(.minutes(20)))
struct UnorderedElementTests {
  @Test("are unchanged when the document is, in whatever order it lists them")
  func unchanged() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      let tags = (0..<20).map { "\"t\($0)\"" }
      func write(_ tags: [String]) throws {
        try Data(#"[{"id":"a","tags":[\#(tags.joined(separator: ","))]}]"#.utf8).write(to: file)
      }
      let container = try ModelContainer(
        for: TaggedStation.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let copy = try LocalCopy<TaggedElement, TaggedStation>(
        of: .file(file), elements: .root, into: container
      ) { TaggedStation($0) }
      try write(tags)
      #expect(try await copy.refresh().inserted == 1)
      #expect(try await copy.refresh().unchanged == 1)
      try write(tags.reversed())
      #expect(try await copy.refresh().unchanged == 1)
      try write(Array(tags.dropLast()))
      #expect(try await copy.refresh().updated == 1)
      let stored = try ModelContext(container).fetch(FetchDescriptor<TaggedStation>()).first
      #expect(stored?.tags.count == 19 && stored?.heights?.count == 19)
    }
  }
}
