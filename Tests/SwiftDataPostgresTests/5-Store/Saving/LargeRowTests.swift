import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import TestSupport
import Testing

@testable import SwiftDataPostgres

/// Each row has a text of 1,000 bytes, and each statement at most three of them.
@Suite("Rows that are too large for one statement", .server)
struct LargeRowTests {
  private let schema = Schema([Tag.self, SampleGroup.self, Sample.self])
  private let configuration: PostgresConfiguration
  private let numbers = Array(0..<12)

  init() throws {
    var configuration = PostgresConfiguration(
      uniqueName("large"), url: try PostgresServer.shared.url)
    configuration.batchByteCount = 3_500
    self.configuration = configuration
  }

  private func text(_ number: Int, _ mark: String) -> String {
    "\(number) " + String(repeating: mark, count: 997)
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [configuration])
  }

  /// The numbers of rows that statements of one transaction have written, in their order.
  private func statements(_ table: String) throws -> [Int64] {
    let connection = try PostgresServer.shared.connect()
    try connection.use(schema: configuration.databaseSchema)
    let counts = try connection.run(
      "SELECT count(*) FROM \"\(table)\" GROUP BY cmin::text::bigint"
        + " ORDER BY cmin::text::bigint")
    return (0..<counts.rowCount).compactMap { counts.integer($0, 0) }
  }

  @Test("are inserted and updated by several")
  func saving() throws {
    let context = ModelContext(try container())
    let tags = numbers.map { Tag(text($0, "a")) }
    for tag in tags { context.insert(tag) }
    try context.save()
    #expect(try statements("Tag") == [3, 3, 3, 3])
    for (number, tag) in tags.enumerated() { tag.name = text(number, "b") }
    try context.save()
    #expect(try statements("Tag") == [3, 3, 3, 3])
    let found = try ModelContext(container()).fetch(FetchDescriptor<Tag>()).map(\.name)
    #expect(found.sorted() == numbers.map { text($0, "b") }.sorted())
    let history = try context.history()
    #expect(
      history.map(\.summary) == [
        numbers.map { _ in "insert Tag" }, numbers.map { _ in "update Tag name" },
      ])
  }

  @Test("are updated by several as the rows of new models with their unique values")
  func upserts() throws {
    func save(_ mark: String) throws {
      let context = ModelContext(try container())
      for number in numbers {
        let sample = Sample("key \(number)")
        sample.note = text(number, mark)
        context.insert(sample)
      }
      try context.save()
    }
    try save("a")
    try save("b")
    #expect(try statements("Sample").max() ?? 0 <= 3)
    #expect(try statements("Sample").reduce(0, +) == 12)
    let found = try ModelContext(container()).fetch(FetchDescriptor<Sample>())
    #expect(found.compactMap(\.note).sorted() == numbers.map { text($0, "b") }.sorted())
    #expect(Set(found.map(\.key)).count == 12)
  }

  @Test("exchange unique values across statements")
  func exchange() throws {
    let context = ModelContext(try container())
    let samples = numbers.map { Sample("key \($0)") }
    for sample in samples { context.insert(sample) }
    try context.save()
    for (number, sample) in samples.enumerated() {
      sample.key = "key \(numbers.count - 1 - number)"
      sample.note = text(number, "a")
    }
    try context.save()
    let found = try ModelContext(container()).fetch(FetchDescriptor<Sample>())
    #expect(
      Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.note) })
        == Dictionary(
          uniqueKeysWithValues: numbers.map {
            ("key \(numbers.count - 1 - $0)", text($0, "a"))
          }))
  }

  @Test("are copied by several")
  func copy() throws {
    let folder = try TemporaryFolder("large-rows")
    let source = try ModelContainer(
      for: schema,
      configurations: [ModelConfiguration(url: folder.url.appending(path: "source.store"))])
    let context = ModelContext(source)
    for number in numbers { context.insert(Tag(text(number, "a"))) }
    try context.save()
    let report = try source.copy(to: configuration)
    #expect(report.models["Tag"] == 12)
    #expect(try statements("Tag") == [3, 3, 3, 3])
    let found = try ModelContext(container()).fetch(FetchDescriptor<Tag>())
    #expect(found.map(\.name).sorted() == numbers.map { text($0, "a") }.sorted())
    #expect(
      Set(found.map(\.persistentModelID.rowID))
        == Set(try context.fetch(FetchDescriptor<Tag>()).map(\.persistentModelID.rowID)))
  }

  @Test("are refused when one statement can't have them")
  func refusal() throws {
    let values: [[PostgresValue]] = [
      [.value(.text("four")), .value(.blob([1, 2, 3, 4, 5]))], [.integers([1, 2, 3])],
    ]
    let types: [[PostgresType]] = [
      [.text, .data], [try #require(PostgresType.integer.list)],
    ]
    // Each list has a header of 20 bytes, and each of its values four bytes for its length.
    for ((values, types), length) in zip(zip(values, types), [9, 56]) {
      _ = try PostgresParameters(values, types: types, maximumLength: length)
      #expect(throws: PostgresValueProblem.tooLong) {
        try PostgresParameters(values, types: types, maximumLength: length - 1)
      }
    }
    let error = try PostgresServer.shared.connect().error(.tooLong, sql: nil)
    #expect(error.code == .unsupportedValue)
  }
}
