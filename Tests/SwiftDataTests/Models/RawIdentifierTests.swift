import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// Properties whose names are raw identifiers (SE-0451).
@Model
@Snapshotable
private final class RawNames {
  #Unique<RawNames>([\.`first key`, \.`2nd key`])
  #Index<RawNames>([\.`some name`])
  var `some name`: String
  var `first key`: Int = 0
  var `2nd key`: Int?
  var `with observer`: Int {
    didSet { plain += `with observer` - oldValue }
  }
  @Attribute(originalName: "old name") var `a "quoted" name, with a full stop.`: [String] = []
  @Relationship(inverse: \RawNames.`other end`) var `many of them`: [RawNames] = []
  var `other end`: RawNames?
  var `class`: String = "word"
  var plain = 0

  init(_ name: String, _ key: Int = 0) {
    `some name` = name
    `first key` = key
    `with observer` = 1
  }
}

@Suite("Raw identifiers")
struct RawIdentifierTests {
  @Test("name properties of models as any other name does")
  func everything() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(RawNames.self))
    let (one, two) = (RawNames("one", 1), RawNames("two", 2))
    one.`2nd key` = 5
    one.`with observer` = 3
    one.`a "quoted" name, with a full stop.` = ["x"]
    two.`other end` = one
    context.insert(one)
    context.insert(two)
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<RawNames>(
        predicate: #Predicate { $0.`some name` == "one" && $0.`2nd key` == 5 },
        sortBy: [SortDescriptor(\.`some name`)]))
    let read = try #require(found.first)
    #expect(read.plain == 2 && read.`with observer` == 3 && read.`class` == "word")
    #expect(read.`a "quoted" name, with a full stop.` == ["x"])
    #expect(read.`many of them`.map(\.`some name`) == ["two"])
    #expect(
      try store.value("SELECT \"some name\" FROM \"RawNames\" WHERE \"first key\" = 2") == "two")
    // An upsert by the pair.
    let again = RawNames("again", 1)
    again.`2nd key` = 5
    let other = ModelContext(context.container)
    other.insert(again)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<RawNames>()) == 2)
    let change = try #require(try other.history().last?.summary)
    #expect(change.contains { $0.contains("some name") })
  }

  @Test("are whole in the names of indices that an explanation has")
  func explanation() throws {
    let context = ModelContext(try memoryContainer(RawNames.self))
    let explanation = try context.explain(
      FetchDescriptor<RawNames>(predicate: #Predicate { $0.`first key` == 1 }))
    #expect(explanation.indices == ["RawNames_first key_2nd key_unique"])
  }
}
