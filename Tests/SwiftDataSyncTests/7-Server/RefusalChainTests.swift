import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

/// Each needs the one before it.
@Model final class Knot {
  @Attribute(.unique) var number: Int
  @Relationship(inverse: nil) var previous: Knot

  init(_ number: Int, _ previous: Knot) {
    self.number = number
    self.previous = previous
  }
}

/// Refusals that lead to further ones: all are found together, not one after the other.
@Suite("Refused changes that hold up others") struct RefusalChainTests {
  private static let count = 40
  private let decisions = Counter()

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  private func server(_ container: ModelContainer, _ models: [SyncedModel]) throws -> SyncServer {
    var rules = SyncServerRules { _, _ in nil }
    rules.validate = { [decisions] _, _ in
      decisions.count.withLock { $0 += 1 }
      return nil
    }
    return try SyncServer(container, models: models, rules: rules)
  }

  private func codes(_ outcomes: [String: SyncOutcome]) -> [String] {
    outcomes.values.map { outcome in
      if case .rejected(let rejection) = outcome { rejection.code } else { "\(outcome)" }
    }
  }

  @Test("by unique values that move along a chain") func duplicates() async throws {
    let container = try Peer.container([Fellow.self, Club.self])
    let context = ModelContext(container)
    for number in 0...Self.count { context.insert(Fellow(number, "\(number)@example.org")) }
    try context.save()
    let server = try server(
      container, [SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name)])
    let page = try await server.pull(after: nil, user: "ann")
    let versions = Dictionary(uniqueKeysWithValues: page.changes.map { ($0.object, $0.version) })
    // The last one's new address is that of a fellow who keeps it.
    let changes = (0..<Self.count).map { number in
      let object = SyncObjectID("Fellow", "\(number)")
      return SyncChange(
        id: "\(number)", object: object,
        content: .put([
          "number": .integer(Int64(number)), "email": .text("\(number + 1)@example.org"),
          "seat": .null, "club": .null,
        ]), baseVersion: versions[object])
    }
    let outcomes = try await server.push(changes, client: "c", user: "ann")
    #expect(codes(outcomes) == Array(repeating: "duplicate", count: Self.count))
    #expect(decisions.count.withLock(\.self) == Self.count)
    // Without the one that is refused, all others move.
    let last = SyncObjectID("Fellow", "\(Self.count)")
    let free = SyncChange(
      id: "free", object: last,
      content: .put([
        "number": .integer(Int64(Self.count)), "email": .text("new@example.org"), "seat": .null,
        "club": .null,
      ]), baseVersion: versions[last])
    let retries = changes.map { change in
      SyncChange(
        id: "again \(change.id)", object: change.object, content: change.content,
        baseVersion: change.baseVersion)
    }
    let moved = try await server.push(retries + [free], client: "c", user: "ann")
    #expect(moved.count == Self.count + 1)
    #expect(moved.values.allSatisfy { if case .accepted = $0 { true } else { false } })
  }

  @Test("by references to objects that aren't created") func missing() async throws {
    let server = try server(
      try Peer.container([Knot.self]), [SyncedModel(Knot.self, key: \.number)])
    let changes = (1...Self.count).map { number in
      SyncChange(
        id: "\(number)", object: SyncObjectID("Knot", "\(number)"),
        content: .put([
          "number": .integer(Int64(number)), "previous": .text("\(number - 1)"),
        ]), baseVersion: nil)
    }
    let outcomes = try await server.push(changes, client: "c", user: "ann")
    #expect(codes(outcomes) == Array(repeating: "unknownReference", count: Self.count))
    #expect(decisions.count.withLock(\.self) == Self.count)
  }
}
