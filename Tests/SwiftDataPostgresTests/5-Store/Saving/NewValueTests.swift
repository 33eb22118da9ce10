import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataPostgres

@Suite("Unique values of new models on a server", .server, .timeLimit(.minutes(20)))
struct NewValueTests {
  private let server: PostgresServer
  private let name = uniqueName("values")

  init() throws { server = try PostgresServer.shared }

  private func container(_ url: String? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: serverSchema,
      configurations: [PostgresConfiguration(name, url: url ?? server.url)])
  }

  private func stored() throws -> [String: Int] {
    let samples = try ModelContext(container()).fetch(FetchDescriptor<Sample>())
    return Dictionary(uniqueKeysWithValues: samples.map { ($0.key, $0.count) })
  }

  @Test("are looked for when they were there, and not while they are new")
  func lookups() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let context = ModelContext(try container(proxy.url))
    /// Whether a save of a model looks for its key.
    func looks(_ key: String, _ count: Int) throws -> Bool {
      let counter = CallCounter()
      proxy.before("SELECT v.id") { counter.increment() }
      context.insert(Sample(key, count: count))
      try context.save()
      return counter.count > 0
    }
    #expect(try looks("a", 1))
    #expect(try looks("b", 1) == false)
    // The refused insertion is made again with a look.
    #expect(try looks("a", 2))
    #expect(try looks("a", 3))
    #expect(try looks("c", 1))
    #expect(try looks("d", 1) == false)
    #expect(try stored() == ["a": 3, "b": 1, "c": 1, "d": 1])
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 4)
  }

  @Test("of many models are looked for in a sample, and all of them when one was there")
  func samples() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    /// Saves models in a container that hasn't saved any yet; the number of times that keys are looked for.
    func save(_ count: Int) throws -> Int {
      let before = proxy.lookupCount
      let context = ModelContext(try container(proxy.url))
      // The first one, which every sample has, is always new.
      context.insert(Sample("first of \(count)"))
      for number in 1..<count { context.insert(Sample("\(number)", count: count)) }
      try context.save()
      return proxy.lookupCount - before
    }
    #expect(try save(600) == 1)
    var expected = Dictionary(uniqueKeysWithValues: (1..<600).map { ("\($0)", 600) })
    expected["first of 600"] = 0
    #expect(try stored() == expected)
    // Some of the sample are there.
    #expect(try save(700) == 2)
    for number in 1..<700 { expected["\(number)"] = 700 }
    expected["first of 700"] = 0
    #expect(try stored() == expected)
    // None of the sample is there, but another one: the sample, then all of them.
    let context = ModelContext(try container(proxy.url))
    for number in 0..<600 {
      context.insert(Sample(number == 1 ? "1" : "new \(number)", count: 1))
      expected[number == 1 ? "1" : "new \(number)"] = 1
    }
    let before = proxy.lookupCount
    try context.save()
    #expect(proxy.lookupCount - before == 2)
    #expect(try stored() == expected)
  }

  @Test("that another program inserts before the save's end are merged")
  func insertedMeanwhile() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let other = try container()
    let context = ModelContext(try container(proxy.url))
    for isExpected in [false, true] {
      let key = "\(isExpected)"
      proxy.before("INSERT INTO \"Sample\"") {
        let theirs = ModelContext(other)
        theirs.insert(Sample(key, count: 1))
        do { try theirs.save() } catch { Issue.record(error) }
      }
      let mine = Sample(key, count: 2)
      context.insert(mine)
      try context.save()
      #expect(mine.count == 2)
    }
    #expect(try stored() == ["false": 2, "true": 2])
  }

  @Test("that another program inserts during each attempt are merged")
  func insertedAgain() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let other = try container()
    let context = ModelContext(try container(proxy.url))
    context.insert(Sample("first"))
    try context.save()
    /// Inserts the first of some keys before the next insertion, and the others before the ones after it.
    @Sendable func disturb(_ keys: [String]) {
      guard let key = keys.first else { return }
      proxy.before("INSERT INTO \"Sample\"") {
        let theirs = ModelContext(other)
        theirs.insert(Sample(key, count: 1))
        do { try theirs.save() } catch { Issue.record(error) }
        disturb(Array(keys.dropFirst()))
      }
    }
    disturb(["a", "b", "c"])
    for key in ["a", "b", "c", "d"] { context.insert(Sample(key, count: 2)) }
    try context.save()
    #expect(try stored() == ["first": 0, "a": 2, "b": 2, "c": 2, "d": 2])
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 5)
  }

  @Test("that are taken for ever are an error, after a few looks for those of insertions")
  func conflicts() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let context = ModelContext(try container(proxy.url))
    let (a, b) = (Sample("a"), Sample("b"))
    for model in [a, b] { context.insert(model) }
    try context.save()
    /// The number of looks of a save that fails.
    func failingLookups() throws -> Int {
      let before = proxy.lookupCount
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .notUnique && error?.sqlState == "23505")
      context.rollback()
      return proxy.lookupCount - before
    }
    // An update's value doesn't become free by another look.
    a.key = "b"
    context.insert(Sample("c"))
    #expect(try failingLookups() == 1)
    // An index that isn't the library's, so that no look finds the row.
    let connection = try server.connect()
    try connection.use(schema: name)
    try connection.execute("CREATE UNIQUE INDEX other ON \"Sample\" (note)")
    b.note = "taken"
    try context.save()
    let sample = Sample("c")
    sample.note = "taken"
    context.insert(sample)
    #expect(try failingLookups() == 4)
    try connection.execute("DROP INDEX other")
    #expect(try stored() == ["a": 0, "b": 0])
  }

  @Test("that two models share make one row of them")
  func sharedValues() throws {
    let context = ModelContext(try container())
    context.insert(Sample("first"))
    try context.save()
    let models = [Sample("x", count: 1), Sample("x", count: 2)]
    for model in models { context.insert(model) }
    try context.save()
    #expect(try stored() == ["first": 0, "x": 2])
    #expect(models[0].persistentModelID == models[1].persistentModelID)
  }

  @Test("that an update takes are an error, once")
  func takenValue() throws {
    let context = ModelContext(try container())
    let (a, b) = (Sample("a"), Sample("b"))
    context.insert(a)
    context.insert(b)
    try context.save()
    a.key = "b"
    context.insert(Sample("c"))
    #expect(throws: StoreError.self) { try context.save() }
    a.key = "z"
    try context.save()
    #expect(try stored() == ["z": 0, "b": 0, "c": 0])
  }
}
