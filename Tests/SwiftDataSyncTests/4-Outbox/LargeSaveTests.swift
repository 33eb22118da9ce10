import Foundation
import StoreTesting
import SwiftData
import SwiftDataExtras
import SwiftDataSync
import Testing

/// A part of a tree whose inner nodes are found only through its leaves.
@Model final class Branch {
  @Attribute(.unique) var number: Int
  var note = ""
  @Relationship(inverse: \Branch.twigs) var stem: Branch?
  var twigs: [Branch] = []

  init(_ number: Int) { self.number = number }
}

/// Saves with more objects than are sent together.
@Suite struct LargeSaveTests {
  private let container: ModelContainer
  private let ledger: SyncLedger

  init() throws {
    container = try memoryContainer(Branch.self, Lid.self)
    let storage = try ModelSyncStorage(
      container, [SyncedModel(Branch.self, key: \.number), SyncedModel(Lid.self, key: \.number)])
    let schema = SyncSchema([
      SyncSchema.Entity(name: "Branch", references: ["stem": "Branch"], policy: .serverWins),
      SyncSchema.Entity(name: "Lid", policy: .serverWins),
    ])
    ledger = try SyncLedger(storage, schema, client: "client")
  }

  private func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func branches(_ context: ModelContext) throws -> [Branch] {
    try context.fetch(FetchDescriptor<Branch>(sortBy: [SortDescriptor(\.number)]))
  }

  /// Sends everything, and returns what was sent together.
  private func push(limit: Int) throws -> [[SyncChange]] {
    var parts: [[SyncChange]] = []
    while true {
      try ledger.prepare(limit: limit, now: .now) { UUID().uuidString }
      let changes = ledger.inFlight.map(\.change)
      if changes.isEmpty { return parts }
      parts.append(changes)
      let outcomes = changes.map { ($0.id, SyncOutcome.accepted(version: Int64(parts.count))) }
      _ = try ledger.acknowledge(Dictionary(uniqueKeysWithValues: outcomes), now: .now)
    }
  }

  /// The names of sent objects; deletions have a minus.
  private func names(_ changes: some Sequence<SyncChange>) -> [String] {
    changes.map { ($0.values == nil ? "-" : "") + $0.object.entity + $0.object.key }
  }

  /// Inserts, edits and deletes objects of two classes in one save.
  private func editEverything() throws {
    try edit { context in
      for number in 0..<40 {
        context.insert(Branch(number))
        context.insert(Lid(number))
      }
    }
    _ = try push(limit: 100)
    try edit { context in
      let old = try branches(context)
      for branch in old.prefix(15) { context.delete(branch) }
      for branch in old.suffix(15) { branch.note = "edited" }
      for lid in try context.fetch(FetchDescriptor<Lid>()) where lid.number < 25 {
        context.delete(lid)
      }
      for number in 100..<160 {
        let branch = Branch(number)
        context.insert(branch)
        context.insert(Lid(number))
      }
      // Stems come after their twigs in the order of keys, some of them far away.
      let all = try branches(context).filter { $0.number >= 25 }
      for (place, branch) in all.enumerated() where place % 7 != 0 {
        branch.stem = all[min(place + 1 + place * 31 % 40, all.count - 1)]
        if branch.stem === branch { branch.stem = nil }
      }
    }
  }

  @Test(arguments: [1, 3, 10, 50]) func partsHaveTheOrderOfTheWhole(limit: Int) throws {
    let other = try LargeSaveTests()
    for tests in [self, other] { try tests.editEverything() }
    let whole = try other.push(limit: 10_000)
    let parts = try push(limit: limit)
    #expect(whole.count == 1)
    #expect(names(parts.joined()) == names(whole.joined()))
    #expect(parts.dropLast().allSatisfy { $0.count == limit })
    #expect(!ledger.hasPending)
    #expect(ledger.progress.acknowledged > 0)
  }

  @Test func anEditBetweenPartsIsSentWithTheRest() throws {
    try edit { context in for number in 0..<30 { context.insert(Branch(number)) } }
    _ = try push(limit: 100)
    try edit { context in try context.delete(model: Branch.self) }
    try ledger.prepare(limit: 10, now: .now) { UUID().uuidString }
    let first = ledger.inFlight.map(\.change)
    // The deletion of this one was already seen.
    try edit { context in
      let branch = Branch(15)
      branch.note = "again"
      context.insert(branch)
      context.insert(Branch(40))
    }
    let outcomes = first.map { ($0.id, SyncOutcome.accepted(version: 9)) }
    _ = try ledger.acknowledge(Dictionary(uniqueKeysWithValues: outcomes), now: .now)
    let rest = names(try push(limit: 10).joined())
    #expect(Set(names(first)).isDisjoint(with: rest))
    #expect(Set(names(first) + rest).count == 31)
    #expect(rest.contains("Branch15") && rest.contains("Branch40") && !rest.contains("-Branch15"))
    #expect(!ledger.hasPending)
  }

  /// Each object is read when its turn has come, and when its outcome arrives.
  @Test(arguments: [false, true]) func theRowsReadGrowWithTheNumberOfObjects(isDeleted: Bool) throws
  {
    let count = 400
    try edit { context in for number in 0..<count { context.insert(Lid(number)) } }
    if isDeleted {
      _ = try push(limit: 1_000)
      try edit { context in try context.delete(model: Lid.self) }
    }
    let (parts, statements) = try container.recordingStatements { try push(limit: 20) }
    #expect(parts.count == count / 20)
    #expect(statements.map(\.rows).reduce(0, +) < 10 * count)
  }
}
