import SwiftData
import Testing

private enum Gaps {
  enum Old {
    @Model
    final class Entry {
      var name: String
      var small: Int16?
      var number: Int?
      var digits: Int?
      var ratio: Double?
      init(_ name: String) { self.name = name }
    }
  }

  enum New {
    @Model
    final class Entry {
      var name: String
      var small: Double?
      var number: String?
      var digits: Decimal?
      var ratio: Int?
      init(_ name: String) { self.name = name }
    }
  }
}

@Suite("Optional numbers become others")
struct NilMigrationTests {
  @Test("nil stays nil")
  func numbers() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Gaps.Old.Entry.self))
      let full = Gaps.Old.Entry("full")
      context.insert(Gaps.Old.Entry("empty"))
      context.insert(full)
      full.small = 3
      full.number = 4
      full.digits = 5
      full.ratio = 6
      try context.save()
    }
    let context = ModelContext(try store.container(Gaps.New.Entry.self))
    let found = try context.fetch(FetchDescriptor<Gaps.New.Entry>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.small) == [nil, 3] && found.map(\.number) == [nil, "4"])
    #expect(found.map(\.digits) == [nil, 5] && found.map(\.ratio) == [nil, 6])
  }
}
