import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Plot {
  @Attribute(.unique) var number: Int
  var owner: String
  var claim: Claim?

  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

@Model final class Claim {
  @Attribute(.unique) var number: Int
  var owner: String
  var text = ""
  @Relationship(deleteRule: .cascade, inverse: \Plot.claim) var plot: Plot?
  @Relationship(inverse: nil) var others: [Plot] = []

  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

@Model final class Deed {
  @Attribute(.unique) var number: Int
  var owner: String
  @Relationship(inverse: nil) var plot: Plot

  init(_ number: Int, _ owner: String, _ plot: Plot) {
    self.number = number
    self.owner = owner
    self.plot = plot
  }
}

/// Ann has plot 7 with claim 70; bob, who has plot 8, guesses their keys.
@Suite("Objects of other users") struct ServerScopeTests {
  private let container: ModelContainer
  private let server: SyncServer
  private let models = [
    SyncedModel(Plot.self, key: \.number), SyncedModel(Claim.self, key: \.number),
    SyncedModel(Deed.self, key: \.number),
  ]

  init() throws {
    container = try Peer.container([Plot.self, Claim.self, Deed.self])
    let context = ModelContext(container)
    let (claim, plot) = (Claim(70, "ann"), Plot(7, "ann"))
    for model in [claim, plot, Plot(8, "bob")] as [any PersistentModel] { context.insert(model) }
    claim.plot = plot
    try context.save()
    server = try SyncServer(container, models: models, rules: .owned(by: "owner"))
  }

  private func push(
    _ entity: String, _ number: Int, _ values: SyncValues?, _ version: Int64? = nil
  ) async throws -> SyncOutcome? {
    let content = values.map { values in
      SyncChange.Content.put(
        values.merging(["number": .integer(Int64(number)), "owner": .text("bob")]) { $1 })
    }
    let change = SyncChange(
      id: UUID().uuidString, object: SyncObjectID(entity, "\(number)"),
      content: content ?? .delete, baseVersion: version)
    return try await server.push([change], client: "c", user: "bob")[change.id]
  }

  private func claims() throws -> [Int: Claim] {
    let context = ModelContext(container)
    let claims = try context.fetch(FetchDescriptor<Claim>())
    return Dictionary(uniqueKeysWithValues: claims.map { ($0.number, $0) })
  }

  private func version(_ outcome: SyncOutcome?) throws -> Int64 {
    guard case .accepted(let version, _, _) = outcome else {
      Issue.record("\(String(describing: outcome))")
      return 0
    }
    return version
  }

  @Test("can't be referred to, no more than objects that don't exist")
  func hiddenDestinations() async throws {
    for (number, plot) in [(1, "7"), (2, "6")] {
      let outcome = try await push(
        "Claim", number,
        ["text": .text(""), "plot": .text(plot), "others": .list([.text(plot), .text("8")])])
      guard case .accepted(_, nil, nil) = outcome else {
        Issue.record("\(plot): \(String(describing: outcome))")
        continue
      }
      let claim = try #require(try claims()[number])
      #expect(claim.plot == nil)
      #expect(claim.others.map(\.number) == [8])
    }
    // Ann's claim keeps its plot, which a one-to-one relationship would have taken away.
    #expect(try claims()[70]?.plot?.number == 7)
    var rejections: [SyncOutcome?] = []
    for (number, plot) in [(3, "7"), (4, "6")] {
      rejections.append(try await push("Deed", number, ["plot": .text(plot)]))
    }
    #expect(rejections[0] == rejections[1])
    guard case .rejected(let rejection) = rejections[0] else {
      Issue.record("\(String(describing: rejections[0]))")
      return
    }
    #expect(rejection.code == "unknownReference")
    // The user's own are referred to.
    _ = try version(try await push("Deed", 5, ["plot": .text("8")]))
  }

  /// Lets bob's claim have ann's plot, as after a change of the rules.
  private func give() async throws -> Int64 {
    let context = ModelContext(container)
    let claim = Claim(9, "bob")
    context.insert(claim)
    claim.plot = try context.fetch(FetchDescriptor<Plot>()).first { $0.number == 7 }
    try context.save()
    let page = try await server.pull(after: nil, user: "bob")
    return try #require(
      page.changes.first { $0.object == SyncObjectID("Claim", "9") }?.version)
  }

  @Test("aren't deleted by a cascade")
  func hiddenCascade() async throws {
    let first = try await give()
    // A change that leaves the reference as it is, is stored.
    let second = try version(
      try await push("Claim", 9, ["text": .text("new"), "plot": .text("7")], first))
    #expect(try claims()[9]?.text == "new")
    #expect(try claims()[9]?.plot?.number == 7)
    guard case .rejected(let rejection) = try await push("Claim", 9, nil, second) else {
      Issue.record("the claim was deleted")
      return
    }
    #expect(rejection.code == "forbidden")
    #expect(!rejection.message.contains("Plot") && !rejection.message.contains("7"))
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<Plot>()).map(\.number).sorted() == [7, 8])
    // Without the reference, the claim can be deleted.
    let third = try version(try await push("Claim", 9, ["plot": .null], second))
    _ = try version(try await push("Claim", 9, nil, third))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Plot>()) == 2)
  }

  @Test("what a cascade of the server deletes is told to clients")
  func tombstones() async throws {
    let created = try version(try await push("Claim", 1, ["plot": .text("8")]))
    let cursor = try await server.pull(after: nil, user: "bob").cursor
    let deleted = try version(try await push("Claim", 1, nil, created))
    let changes = try await server.pull(after: cursor, user: "bob").changes
    #expect(
      Set(changes.map(\.object)) == [SyncObjectID("Claim", "1"), SyncObjectID("Plot", "8")])
    #expect(changes.allSatisfy { $0.version == deleted && $0.values == nil })
  }
}

@Model final class Voyage {
  @Attribute(.unique) var number: Int
  var owner: String
  @Relationship(deleteRule: .cascade, inverse: \Leg.voyage) var legs: [Leg] = []

  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

/// Isn't synchronized.
@Model final class Leg {
  var voyage: Voyage?
  @Relationship(deleteRule: .cascade, inverse: \Remark.leg) var remarks: [Remark] = []

  init() {}
}

@Model final class Remark {
  @Attribute(.unique) var number: Int
  var owner: String
  /// The leg can't be deleted without the remark, which is deleted with it.
  @Relationship(deleteRule: .deny) var leg: Leg?

  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

@Suite("A cascade through a class that isn't synchronized") struct HiddenClassTests {
  private let container: ModelContainer
  private let server: SyncServer

  init() throws {
    container = try Peer.container([Voyage.self, Leg.self, Remark.self])
    server = try SyncServer(
      container,
      models: [
        SyncedModel(Voyage.self, key: \.number),
        SyncedModel(Remark.self, key: \.number, excluding: [\.leg]),
      ], rules: .owned(by: "owner"))
  }

  /// Returns the outcome of the deletion of a voyage with the remarks of some owners, and the objects gone afterwards.
  private func deletion(_ owners: [String]) async throws -> (SyncOutcome?, [SyncObjectID]) {
    let context = ModelContext(container)
    let (voyage, leg) = (Voyage(1, "ann"), Leg())
    context.insert(voyage)
    context.insert(leg)
    leg.voyage = voyage
    for (number, owner) in owners.enumerated() {
      let remark = Remark(number, owner)
      context.insert(remark)
      remark.leg = leg
    }
    try context.save()
    let page = try await server.pull(after: nil, user: "ann")
    let object = SyncObjectID("Voyage", "1")
    let version = try #require(page.changes.first { $0.object == object }?.version)
    let change = SyncChange(id: "1", object: object, content: .delete, baseVersion: version)
    let outcome = try await server.push([change], client: "c", user: "ann")["1"]
    let next = try await server.pull(after: page.cursor, user: "ann")
    return (outcome, next.changes.filter { $0.values == nil }.map(\.object).sorted())
  }

  @Test("is told to clients") func tombstones() async throws {
    let (outcome, gone) = try await deletion(["ann", "ann"])
    guard case .accepted = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(
      gone == [
        SyncObjectID("Remark", "0"), SyncObjectID("Remark", "1"), SyncObjectID("Voyage", "1"),
      ])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Remark>()) == 0)
  }

  @Test("deletes nothing of another user") func others() async throws {
    let (outcome, gone) = try await deletion(["ann", "bob"])
    guard case .rejected(let rejection) = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(rejection.code == "forbidden")
    #expect(gone.isEmpty)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Remark>()) == 2)
  }
}
