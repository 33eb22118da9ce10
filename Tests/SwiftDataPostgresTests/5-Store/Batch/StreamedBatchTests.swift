import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataPostgres

/// A batch whose first thousand rows were new sends the next ones while it takes them.
@Suite("Batches on a server that expect new rows", .server, .timeLimit(.minutes(20)))
struct StreamedBatchTests {
  private let configuration: PostgresConfiguration
  private let container: ModelContainer

  init() throws {
    var configuration = PostgresConfiguration(
      uniqueName("stream"), url: try PostgresServer.shared.url)
    configuration.schema = Railway.schema
    self.configuration = configuration
    container = try ModelContainer(for: Railway.schema, configurations: [configuration])
  }

  private func batch<Model: PersistentModel>(
    of type: Model.Type
  ) throws -> any ModelBatch<Model> {
    let store = try PostgresStore(configuration)
    let plan = try #require(store.plansByType[ObjectIdentifier(type)])
    return try store.beginBatch(of: type, plan: plan, author: nil, keeping: [])
  }

  private func stations() throws -> [Station] {
    try ModelContext(container).fetch(
      FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code, comparator: .lexical)]))
  }

  private func codes(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "\($0)" }.sorted() }

  @Test("insert all of them, and record them in the history", arguments: [1_063, 1_064, 12_500])
  func newRows(count: Int) throws {
    let summary = try container.batchInsert((0..<count).lazy.map { Station("\($0)", $0) })
    #expect(summary.inserted == count)
    let stored = try stations()
    #expect(stored.map(\.code) == codes(0..<count))
    #expect(stored.allSatisfy { $0.level == Station($0.code, Int($0.code) ?? -1).level })
    let changes = try ModelContext(container).history().flatMap(\.changes)
    #expect(
      Set(changes.map(\.changedPersistentIdentifier)) == Set(stored.map(\.persistentModelID)))
    #expect(changes.count == count)
  }

  @Test("update those that are there all the same", arguments: [1_010, 1_500, 2_999])
  func knownRow(position: Int) throws {
    try container.batchInsert([Station("\(position)", 1), Station("other", 1)])
    let summary = try container.batchInsert((0..<3_000).lazy.map { Station("\($0)", $0) })
    #expect(summary.inserted == 2_999 && summary.updated == 1)
    #expect(try stations().map(\.code) == codes(0..<3_000) + ["other"])
    let again = try container.batchInsert((0..<3_000).lazy.map { Station("\($0)", $0) })
    #expect(again.unchanged == 3_000)
  }

  @Test("keep the last of rows with one key")
  func repeatedKey() throws {
    let numbers = Array(0..<2_000) + [1_999, 1_500] + Array(2_000..<2_100)
    let summary = try container.batchInsert(
      numbers.enumerated().lazy.map { Station("\($1)", $0) })
    #expect(summary.inserted == 2_100 && summary.updated == 2)
    let stored = try stations()
    #expect(stored.map(\.code) == codes(0..<2_100))
    #expect(stored.first { $0.code == "1500" }?.level == Station("", 2_001).level)
  }

  @Test("refuse one that the server can't take, and continue")
  func refusal() throws {
    let batch = try batch(of: Station.self)
    for number in 0..<1_200 { _ = try batch.add(Station("\(number)")) }
    do {
      _ = try batch.add(Station("a\u{0}b"))
      Issue.record("U+0000 was taken")
    } catch let error as StoreError {
      #expect(error.code == .unsupportedValue)
      #expect("\(error)".contains("Station.code"))
    }
    for number in 1_200..<1_300 { _ = try batch.add(Station("\(number)")) }
    #expect(try batch.commit().inserted == 1_300)
    #expect(try stations().map(\.code) == codes(0..<1_300))
  }

  @Test("do other work in between, and end without effect")
  func otherWork() throws {
    let batch = try batch(of: Station.self)
    for number in 0..<1_200 { _ = try batch.add(Station("\(number)")) }
    try batch.setMetadata(Data([1]), forKey: "key")
    for number in 1_200..<1_400 { _ = try batch.add(Station("\(number)")) }
    #expect(try batch.upsert(Station("1399")).isInserted == false)
    #expect(try batch.upsert(Station("new")).isInserted)
    #expect(try batch.commit().inserted == 1_401)
    #expect(try container.storeMetadata(forKey: "key") == Data([1]))
    #expect(try stations().count == 1_401)

    let other = try self.batch(of: Owner.self)
    for number in 0..<500 { _ = try other.add(Owner("\(number)")) }
    other.rollback()
    do {
      let abandoned = try self.batch(of: Owner.self)
      for number in 0..<500 { _ = try abandoned.add(Owner("\(number)")) }
    }
    #expect(try container.batchInsert((0..<70).map { Owner("\($0)") }).inserted == 70)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Owner>()) == 70)
  }

  @Test("leave rows with values of every kind alone that have them")
  func equalRows() throws {
    let container = try ModelContainer(
      for: serverSchema,
      configurations: [
        PostgresConfiguration(uniqueName("equal"), url: try PostgresServer.shared.url)
      ])
    func samples() -> [Sample] {
      (0..<200).map { number in
        let sample = Sample("k\(number)", count: number)
        sample.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number)))
        sample.size = number == 7 ? .nan : number == 8 ? .infinity : Double(number) / 3
        sample.price = Decimal(number) / 100
        sample.big = number == 9 ? .max : UInt64(number)
        sample.place = number % 2 == 0 ? Place(latitude: 1, longitude: Double(number)) : nil
        sample.url = URL(string: "https://example.org/\(number)")
        sample.note = number % 3 == 0 ? nil : "note"
        return sample
      }
    }
    #expect(try container.batchInsert(samples()).inserted == 200)
    #expect(try container.batchInsert(samples()).unchanged == 200)
    let changed = samples()
    changed[3].size = -0.0
    changed[4].price = 7
    changed[5].note = ""
    changed[7].size = 1
    changed[9].big = 1
    let summary = try container.batchInsert(changed)
    #expect(summary.updated == 5 && summary.unchanged == 195)
    let last = try #require(try ModelContext(container).history().last)
    #expect(last.summary.count == 5)
  }

  @Test("insert rows again that others delete while they are compared")
  func deletedMeanwhile() throws {
    let server = try PostgresServer.shared
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let name = uniqueName("deleted")
    func container(_ url: String) throws -> ModelContainer {
      try ModelContainer(
        for: serverSchema, configurations: [PostgresConfiguration(name, url: url)])
    }
    let direct = try container(server.url)
    try direct.batchInsert((0..<100).map { Sample("\($0)") })
    let through = try container(proxy.url)
    proxy.before("WITH n AS MATERIALIZED") {
      do {
        try ModelContext(direct).delete(model: Sample.self, where: #Predicate { $0.key == "7" })
        let context = ModelContext(direct)
        let renamed = try context.fetch(
          FetchDescriptor<Sample>(predicate: #Predicate { $0.key == "8" }))
        renamed.first?.key = "renamed"
        try context.save()
      } catch { Issue.record(error) }
    }
    try through.batchInsert((0..<100).map { Sample("\($0)", count: 1) })
    let stored = try ModelContext(direct).fetch(FetchDescriptor<Sample>())
    #expect(Set(stored.map(\.key)) == Set((0..<100).map { "\($0)" } + ["renamed"]))
    #expect(stored.allSatisfy { $0.count == ($0.key == "renamed" ? 0 : 1) })
  }
}
