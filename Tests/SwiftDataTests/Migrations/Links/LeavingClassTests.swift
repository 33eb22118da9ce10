import SwiftData
import Testing

@Suite("Values and links of a class that leaves its superclass, and links of a family")
struct LeavingClassTests {
  private typealias Old = ClubForms.Family

  /// Fills a store with two clubs, a member and a captain.
  private func fill(
    _ store: TemporaryStore, _ change: ([Old.Club], Old.Member, Old.Captain) -> Void
  ) throws {
    let context = ModelContext(try store.container(for: Old.schema))
    let clubs = ["a", "b"].map { Old.Club($0) }
    for club in clubs { context.insert(club) }
    let member = Old.Member("member")
    let captain = Old.Captain("captain", rank: 1)
    context.insert(member)
    context.insert(captain)
    member.note = "stays"
    member.club = clubs[0]
    change(clubs, member, captain)
    try context.save()
  }

  private func refusal(of store: TemporaryStore, by schema: Schema) -> MigrationError? {
    do {
      _ = try store.container(for: schema)
      return nil
    } catch {
      return error as? MigrationError
    }
  }

  @Test(
    "what the class inherited is told as left out, and the copy stays",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func losses() throws {
    typealias New = ClubForms.Apart
    let store = try TemporaryStore()
    try fill(store) { clubs, _, captain in
      captain.note = "goes"
      captain.club = clubs[0]
    }
    let preview = try ModelContainer.migrationPreview(
      for: New.schema, configuration: ModelConfiguration(url: store.file))
    let losses = preview.stages.flatMap(\.losses)
    #expect(
      losses.map(\.description) == ["values of Captain.note", "links of Captain.club"])
    #expect(losses.map(\.rows) == [1, 1])
    let tables = preview.stages.flatMap(\.tables).filter { $0.table != "Club" && $0.rows != nil }
    #expect(tables.map { "\($0)" } == ["rebuild Captain (1 rows)", "rebuild Member (1 rows)"])
    let context = ModelContext(try store.container(for: New.schema))
    let clubs = try context.fetch(FetchDescriptor<New.Club>(sortBy: [SortDescriptor(\.name)]))
    #expect(clubs.map { $0.members.map(\.name) } == [["member"], []])
    #expect(try context.fetch(FetchDescriptor<New.Captain>()).map(\.rank) == [1])
    let copy = ModelConfiguration(url: store.file).migrationBackupURL
    #expect(FileManager.default.fileExists(atPath: copy.path))
  }

  @Test("a one-way link to it is refused")
  func oneWay() throws {
    let store = try TemporaryStore()
    try fill(store) { clubs, member, captain in
      clubs[0].host = member
      clubs[1].host = captain
    }
    let error = refusal(of: store, by: ClubForms.Apart.schema)
    #expect(error?.code == .notInferable && error?.entity == "Club" && error?.property == "host")
    #expect(error?.rowCount == 1)
  }

  @Test("its pairs are refused")
  func pairs() throws {
    let store = try TemporaryStore()
    try fill(store) { clubs, member, captain in
      clubs[0].visitors = [member]
      clubs[1].visitors = [member, captain]
    }
    let error = refusal(of: store, by: ClubForms.Apart.schema)
    #expect(error?.code == .notInferable && error?.entity == "Club")
    #expect(error?.property == "visitors" && error?.rowCount == 1)
  }

  @Test("links of a family are checked with the class that has the relationship, and once")
  func family() throws {
    let store = try TemporaryStore()
    try fill(store) { clubs, member, captain in
      member.visits = clubs
      captain.visits = [clubs[1]]
    }
    let error = refusal(of: store, by: ClubForms.Loyal.schema)
    #expect(error?.code == .tooManyLinks && error?.entity == "Member")
    #expect(error?.property == "visits" && error?.rowCount == 1)
  }
}
