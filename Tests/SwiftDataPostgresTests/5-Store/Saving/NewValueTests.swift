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
