import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("The order of deleted classes") struct DeletedRowsTests {
  @Model
  final class Shelf {
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    init() {}
  }

  @Model
  final class Volume {
    var shelf: Shelf?
    init() {}
  }

  @Model
  final class Folder {
    var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder] = []
    init() {}
  }

  private func groups(_ types: any PersistentModel.Type...) throws -> [DeletedRows] {
    let plans = try EntityPlan.plans(of: Schema(types).types)
    return try types.map { type in
      DeletedRows(plan: try #require(plans.first { $0.type == type }), rowIDs: [1])
    }
  }

  @Test("The destinations of delete rules come before their owners") func owners() throws {
    for groups in [
      try groups(Shelf.self, Volume.self, Entry.self),
      try groups(Volume.self, Shelf.self, Entry.self),
    ] {
      let ordered = try #require(DeletedRows.ordered(groups))
      #expect(ordered.map(\.plan.name) == ["Volume", "Shelf", "Entry"])
    }
  }

  @Test("Classes that lead to themselves have no order") func cycle() throws {
    #expect(DeletedRows.ordered(try groups(Entry.self, Folder.self)) == nil)
  }

  @Test("No classes") func nothing() { #expect(DeletedRows.ordered([])?.isEmpty == true) }
}
