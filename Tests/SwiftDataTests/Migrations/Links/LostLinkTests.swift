import SwiftData
import Testing

@Suite("Links that another form of their relationship has no place for")
struct LostLinkTests {
  private func expectRefusal(
    _ code: MigrationError.Code, _ entity: String, _ property: String, of store: TemporaryStore,
    by schema: Schema
  ) {
    #expect {
      _ = try store.container(for: schema)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == code && error?.entity == entity && error?.property == property
        && error?.rowCount == 1
    }
  }

  @Test("several aren't one, also where only the end without the key changes")
  func several() throws {
    typealias Old = PierForms.Several
    typealias New = PierForms.Single
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(for: Old.schema))
    let pier = Old.Pier("pier")
    let boats = ["a", "b"].map { Old.Boat($0) }
    context.insert(pier)
    for boat in boats {
      context.insert(boat)
      boat.pier = pier
    }
    try context.save()
    expectRefusal(.tooManyLinks, "Pier", "boats", of: store, by: New.schema)
    boats[0].pier = nil
    try context.save()
    let migrated = ModelContext(try store.container(for: New.schema))
    #expect(try migrated.fetch(FetchDescriptor<New.Pier>()).map(\.boats?.name) == ["b"])
  }

  @Test("a required one has to be there, also at the end without the key")
  func required() throws {
    typealias Old = PierForms.Single
    typealias New = PierForms.Required
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(for: Old.schema))
    let piers = ["1", "2"].map { Old.Pier($0) }
    let boats = ["a", "b"].map { Old.Boat($0) }
    for pier in piers { context.insert(pier) }
    for boat in boats { context.insert(boat) }
    boats[0].pier = piers[0]
    try context.save()
    expectRefusal(.missingValue, "Pier", "boats", of: store, by: New.schema)
    boats[1].pier = piers[1]
    try context.save()
    let migrated = ModelContext(try store.container(for: New.schema))
    let found = try migrated.fetch(FetchDescriptor<New.Pier>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.boats.name) == ["a", "b"])
  }

  @Test("ends that become inverses had the same links", arguments: [true, false])
  func joined(isKey: Bool) throws {
    typealias Old = PierForms.OneWay
    typealias New = PierForms.Joined
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(for: Old.schema))
    let piers = ["1", "2"].map { Old.Pier($0) }
    let boat = Old.Boat("a")
    for pier in piers { context.insert(pier) }
    context.insert(boat)
    boat.pier = piers[0]
    boat.stops = [piers[0]]
    for pier in piers {
      if isKey { pier.boats = [boat] } else { pier.visitors = [boat] }
    }
    try context.save()
    expectRefusal(.notInferable, "Pier", isKey ? "boats" : "visitors", of: store, by: New.schema)
    piers[1].boats = []
    piers[1].visitors = []
    try context.save()
    let migrated = ModelContext(try store.container(for: New.schema))
    let found = try migrated.fetch(FetchDescriptor<New.Pier>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.boats.map(\.name) } == [["a"], []])
    #expect(found.map { $0.visitors.map(\.name) } == [["a"], []])
  }

  @Test("a list leads to another class, which has the key")
  func otherClass() throws {
    typealias Old = PierForms.OneWay
    typealias New = PierForms.Other
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(for: Old.schema))
    let pier = Old.Pier("1")
    let boat = Old.Boat("a")
    context.insert(pier)
    context.insert(boat)
    pier.boats = [boat]
    try context.save()
    expectRefusal(.notInferable, "Pier", "boats", of: store, by: New.schema)
    pier.boats = []
    try context.save()
    let migrated = ModelContext(try store.container(for: New.schema))
    #expect(try migrated.fetch(FetchDescriptor<New.Pier>()).map(\.boats.count) == [0])
  }

  @Test("links of a class that isn't named stay with it")
  func replaced() throws {
    typealias Old = PierForms.Several
    typealias New = PierForms.Replaced
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(for: Old.schema))
      let boat = Old.Boat("a")
      context.insert(boat)
      boat.pier = Old.Pier("1")
      try context.save()
    }
    do {
      let context = ModelContext(try store.container(for: New.schema))
      #expect(try context.fetch(FetchDescriptor<New.Pier>()).map(\.boats.count) == [0])
    }
    let later = Schema([Old.Boat.self, Old.Pier.self], version: Schema.Version(2, 0, 0))
    let context = ModelContext(try store.container(for: later))
    let piers = try context.fetch(FetchDescriptor<Old.Pier>())
    #expect(piers.map { $0.boats.map(\.name) } == [["a"]])
  }

  @Test("a class comes back whose pairs were in another's table, which is gone")
  func comeback() throws {
    typealias Both = PierForms.Pairs
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(for: Both.schema))
      let pier = Both.Pier("1")
      let boat = Both.Boat("a")
      context.insert(pier)
      context.insert(boat)
      boat.piers = [pier]
      try context.save()
    }
    _ = try store.container(for: PierForms.Alone.schema)
    let later = Schema([Both.Boat.self, Both.Pier.self], version: Schema.Version(2, 0, 0))
    let context = ModelContext(try store.container(for: later))
    let piers = try context.fetch(FetchDescriptor<Both.Pier>())
    #expect(piers.map(\.name) == ["1"] && piers.map(\.boats.count) == [0])
    let boat = try #require(try context.fetch(FetchDescriptor<Both.Boat>()).first)
    boat.piers = piers
    try context.save()
    #expect(piers.map { $0.boats.map(\.name) } == [["a"]])
  }
}
