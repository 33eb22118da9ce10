import SwiftData
import Testing

@Suite(
  "Relationships keep their pairs in another stored form",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct RelationshipMigrationTests {
  private typealias Old = HarbourForms.OneToMany

  /// Fills a store with two ships with crews, and a sailor without a ship.
  private func filled(_ store: TemporaryStore) throws {
    let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
    for (name, crew) in [("Aurora", ["Ada", "Bo"]), ("Borea", ["Cy"])] {
      let ship = Old.Ship(name)
      context.insert(ship)
      for sailor in crew {
        let sailor = Old.Sailor(sailor)
        context.insert(sailor)
        sailor.ship = ship
      }
    }
    context.insert(Old.Sailor("Di"))
    try context.save()
  }

  private func check(_ store: TemporaryStore) throws {
    #expect(try store.values("PRAGMA foreign_key_check") == [])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("another delete rule changes the foreign keys")
  func deleteRule() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.Nullifying
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
    #expect(ships.map { $0.crew.map(\.name).sorted() } == [["Ada", "Bo"], ["Cy"]])
    context.delete(ships[0])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<New.Sailor>()) == 4)
    try check(store)
  }

  @Test("dangling links, which noAction leaves, are removed with another rule")
  func dangling() throws {
    let store = try TemporaryStore()
    try filled(store)
    _ = try store.container(HarbourForms.Loose.Ship.self, HarbourForms.Loose.Sailor.self)
    try store.execute("DELETE FROM Ship WHERE name = 'Aurora'")
    #expect(try store.value("SELECT count(*) FROM Sailor WHERE ship = 1") == "2")
    let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
    let sailors = try context.fetch(FetchDescriptor<Old.Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sailors.map(\.ship?.name) == [nil, nil, "Borea", nil])
    try check(store)
  }

  /// A store whose ship Aurora was deleted under the rule noAction: two sailors keep its key.
  private func filledDangling(_ store: TemporaryStore) throws {
    try filled(store)
    _ = try store.container(HarbourForms.Loose.Ship.self, HarbourForms.Loose.Sailor.self)
    try store.execute("DELETE FROM Ship WHERE name = 'Aurora'")
  }

  @Test("dangling links don't become pairs, the others do")
  func danglingToPairs() throws {
    let store = try TemporaryStore()
    try filledDangling(store)
    typealias New = HarbourForms.ManyToMany
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let sailors = try context.fetch(FetchDescriptor<New.Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sailors.map { $0.ship.map(\.name) } == [[], [], ["Borea"], []])
    try check(store)
  }

  @Test("pairs of a list whose other end had the key leave out deleted rows")
  func danglingToPairsFromTheOtherEnd() throws {
    let store = try TemporaryStore()
    try filledDangling(store)
    typealias New = HarbourForms.OneWay
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let ships = try context.fetch(FetchDescriptor<New.Ship>())
    #expect(ships.map { $0.crew.map(\.name) } == [["Cy"]])
    #expect(try context.fetchCount(FetchDescriptor<New.Sailor>()) == 4)
    try check(store)
  }

  @Test("a key that only the other end declares loses only dangling links")
  func danglingFromTheOtherEnd() throws {
    let store = try TemporaryStore()
    try filledDangling(store)
    typealias New = HarbourForms.Replaced
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let sailors = try context.fetch(FetchDescriptor<New.Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sailors.map(\.vessel?.name) == [nil, nil, "Borea", nil])
    try check(store)
  }

  @Test("several dangling links don't prevent a to-one relationship")
  func danglingToOne() throws {
    let store = try TemporaryStore()
    try filledDangling(store)
    typealias New = HarbourForms.OneToOne
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let sailors = try context.fetch(FetchDescriptor<New.Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sailors.map(\.ship?.name) == [nil, nil, "Borea", nil])
    try check(store)
  }

  @Test("both ends may be renamed")
  func renaming() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.Renamed
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
    #expect(ships.map { $0.hands.map(\.name).sorted() } == [["Ada", "Bo"], ["Cy"]])
    #expect(ships.flatMap(\.hands).allSatisfy { $0.vessel != nil })
    try check(store)
  }

  @Test(
    "from one to many: a key column becomes a table of pairs, and back while each has one")
  func manyToMany() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.ManyToMany
    do {
      let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
      let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
      #expect(ships.map { $0.crew.map(\.name).sorted() } == [["Ada", "Bo"], ["Cy"]])
      try check(store)
    }
    do {
      let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
      let sailors = try context.fetch(FetchDescriptor<Old.Sailor>(sortBy: [SortDescriptor(\.name)]))
      #expect(sailors.map(\.ship?.name) == ["Aurora", "Aurora", "Borea", nil])
      try check(store)
    }
    do {
      let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
      let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
      ships[1].crew.append(contentsOf: ships[0].crew)
      try context.save()
    }
    #expect {
      _ = try store.container(Old.Ship.self, Old.Sailor.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .tooManyLinks && error?.entity == "Sailor" && error?.property == "ship"
        && error?.rowIDs == [1, 2]
    }
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    #expect(try context.fetch(FetchDescriptor<New.Ship>()).reduce(0) { $0 + $1.crew.count } == 5)
  }

  @Test("from many to one is refused while there are several, and taken otherwise")
  func oneToOne() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.OneToOne
    #expect {
      _ = try store.container(New.Ship.self, New.Sailor.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .tooManyLinks && error?.entity == "Ship" && error?.property == "crew"
        && error?.rowIDs == [1]
    }
    try store.execute("UPDATE Sailor SET ship = NULL WHERE name = 'Bo'")
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
    #expect(ships.map(\.crew?.name) == ["Ada", "Cy"])
    #expect(ships[0].crew?.ship === ships[0])
    try check(store)
  }

  @Test("without an inverse, and with one again")
  func inverses() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.OneWay
    do {
      let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
      let ships = try context.fetch(FetchDescriptor<New.Ship>(sortBy: [SortDescriptor(\.name)]))
      #expect(ships.map { $0.crew.map(\.name).sorted() } == [["Ada", "Bo"], ["Cy"]])
    }
    let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
    let sailors = try context.fetch(FetchDescriptor<Old.Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sailors.map(\.ship?.name) == ["Aurora", "Aurora", "Borea", nil])
    try check(store)
  }

  @Test("removed and added again: the links are in the copy only")
  func removal() throws {
    let store = try TemporaryStore()
    try filled(store)
    _ = try store.container(HarbourForms.Apart.Ship.self, HarbourForms.Apart.Sailor.self)
    let copy = ModelConfiguration(url: store.file).migrationBackupURL
    #expect(FileManager.default.fileExists(atPath: copy.path))
    let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
    #expect(try context.fetch(FetchDescriptor<Old.Sailor>()).allSatisfy { $0.ship == nil })
    try check(store)
  }

  @Test("a required one is refused for models without a destination")
  func required() throws {
    let store = try TemporaryStore()
    try filled(store)
    typealias New = HarbourForms.Required
    #expect {
      _ = try store.container(New.Ship.self, New.Sailor.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .missingValue && error?.property == "ship" && error?.rowIDs == [4]
    }
    try store.execute("DELETE FROM Sailor WHERE _id = 4")
    let context = ModelContext(try store.container(New.Ship.self, New.Sailor.self))
    #expect(
      try context.fetch(FetchDescriptor<New.Sailor>()).map(\.ship.name).sorted() == [
        "Aurora", "Aurora", "Borea",
      ])
    try check(store)
  }

  @Test("an entity that isn't named stays, and is there when it is named again")
  func missingEntity() throws {
    let store = try TemporaryStore()
    try filled(store)
    _ = try store.container(HarbourForms.Apart.Ship.self)
    let context = ModelContext(try store.container(Old.Ship.self, Old.Sailor.self))
    #expect(try context.fetchCount(FetchDescriptor<Old.Sailor>()) == 4)
    try check(store)
  }
}
