import SwiftData
import Testing

@Suite(
  "Classes move in and out of families",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct InheritanceMigrationTests {
  private typealias Alone = FleetForms.Alone
  private typealias Common = FleetForms.Common
  private typealias Subclass = FleetForms.Subclass

  private func filled(_ store: TemporaryStore) throws {
    let context = ModelContext(try store.container(Alone.Wagon.self, Alone.Sledge.self))
    for number in 1...3 { context.insert(Alone.Wagon("wagon \(number)", wheels: number)) }
    try context.save()
    let wagons = try context.fetch(FetchDescriptor<Alone.Wagon>(sortBy: [SortDescriptor(\.wheels)]))
    for number in 1...2 {
      let sledge = Alone.Sledge("sledge \(number)", runners: number)
      context.insert(sledge)
      sledge.wagon = wagons[number]
    }
    try context.save()
  }

  @Test("a new subclass shares the table, and can be removed while it has no rows")
  func newSubclass() throws {
    let store = try TemporaryStore()
    try filled(store)
    let types: [any PersistentModel.Type] = [
      Subclass.Wagon.self, Subclass.Tanker.self, Subclass.Sledge.self,
    ]
    let container = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: store.file))
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Subclass.Wagon>()) == 3)
    _ = try ModelContainer(
      for: Alone.Wagon.self, Alone.Sledge.self, configurations: ModelConfiguration(url: store.file))
    let again = ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.file)))
    again.insert(Subclass.Tanker("tanker", litres: 5))
    try again.save()
    #expect {
      _ = try store.container(Alone.Wagon.self, Alone.Sledge.self)
    } throws: { error in
      let error = error as? MigrationError
      return error?.code == .notInferable && error?.entity == "Tanker" && error?.rowIDs == [4]
    }
    #expect(try store.values("PRAGMA foreign_key_check") == [])
  }

  @Test("two classes get a common superclass: links follow, and one's rows get new ids")
  func commonSuperclass() throws {
    let store = try TemporaryStore()
    try filled(store)
    let types: [any PersistentModel.Type] = [
      Common.Carrier.self, Common.Wagon.self, Common.Sledge.self,
    ]
    let context = ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.file)))
    let carriers = try context.fetch(
      FetchDescriptor<Common.Carrier>(sortBy: [SortDescriptor(\.name)]))
    #expect(
      carriers.map(\.name) == ["sledge 1", "sledge 2", "wagon 1", "wagon 2", "wagon 3"])
    let sledges = try context.fetch(
      FetchDescriptor<Common.Sledge>(sortBy: [SortDescriptor(\.runners)]))
    #expect(sledges.map(\.wagon?.name) == ["wagon 2", "wagon 3"])
    #expect(sledges.map(\.wagon?.wheels) == [2, 3])
    #expect(try store.values("PRAGMA foreign_key_check") == [])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    // And separated again.
    let apart = ModelContext(try store.container(Alone.Wagon.self, Alone.Sledge.self))
    let loners = try apart.fetch(FetchDescriptor<Alone.Sledge>(sortBy: [SortDescriptor(\.runners)]))
    #expect(loners.map(\.wagon?.name) == ["wagon 2", "wagon 3"])
    #expect(try apart.fetchCount(FetchDescriptor<Alone.Wagon>()) == 3)
  }

  @Test("history from before new ids has expired")
  func history() throws {
    let store = try TemporaryStore()
    try filled(store)
    let token = try #require(
      try ModelContext(store.container(Alone.Wagon.self, Alone.Sledge.self)).fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>()
      ).first?.token)
    let types: [any PersistentModel.Type] = [
      Common.Carrier.self, Common.Wagon.self, Common.Sledge.self,
    ]
    let context = ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.file)))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }
  }
}
