import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

@Model final class Tree {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Leaf.tree) var leaves: [Leaf] = []

  init(number: Int) { self.number = number }
}

@Model final class Leaf {
  @Attribute(.unique) var number: Int
  var size: Int
  var tree: Tree
  var neighbour: Tree?

  init(number: Int, tree: Tree) {
    self.number = number
    size = 0
    self.tree = tree
  }
}

/// Models whose references arrive before their destinations.
@Suite struct WaitingReferenceTests {
  private let container: ModelContainer
  private let storage: ModelSyncStorage
  private let ledger: SyncLedger
  private let leaf = SyncObjectID("Leaf", "1")

  init() throws {
    container = try memoryContainer(Tree.self, Leaf.self)
    storage = try ModelSyncStorage(
      container, [SyncedModel(Tree.self, key: \.number), SyncedModel(Leaf.self, key: \.number)])
    let schema = SyncSchema([
      SyncSchema.Entity(name: "Tree", policy: .serverWins),
      SyncSchema.Entity(
        name: "Leaf", references: ["tree": "Tree", "neighbour": "Tree"], policy: .serverWins),
    ])
    ledger = try SyncLedger(storage, schema, client: "client")
  }

  private func pull(_ changes: SyncRemote...) throws {
    _ = try ledger.apply(SyncPage(changes: changes, cursor: "", hasMore: false), now: .now)
  }

  private func remoteTree(_ number: Int64) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Tree", "\(number)"), version: 1, values: ["number": .integer(number)])
  }

  private func remoteLeaf(
    _ version: Int64, of tree: Int64, beside neighbour: Int64? = nil
  ) -> SyncRemote {
    SyncRemote(
      object: leaf, version: version,
      values: [
        "number": .integer(1), "size": .integer(version), "tree": .integer(tree),
        "neighbour": neighbour.map { .integer($0) } ?? .null,
      ])
  }

  private func leaves() throws -> [Leaf] {
    try ModelContext(container).fetch(FetchDescriptor<Leaf>())
  }

  private func deleteLeaves() throws {
    let context = ModelContext(container)
    try context.delete(model: Leaf.self)
    try context.save()
  }

  /// Returns the changes that would be sent now.
  private func prepared() throws -> [SyncChange] {
    try ledger.prepare(limit: 100, now: .now) { UUID().uuidString }
    return ledger.inFlight.map(\.change)
  }

  @Test func aModelWhoseReferenceWaitsIsDeletedLikeAnyOther() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1, beside: 2))
    #expect(try leaves().map(\.neighbour?.number) == [nil])
    try deleteLeaves()
    #expect(try prepared().map(\.content) == [.delete])
  }

  @Test func waitingModelsAreNotTakenForDeleted() throws {
    try pull(remoteLeaf(1, of: 1))
    #expect(try leaves().isEmpty)
    #expect(try prepared().isEmpty)
    try pull(remoteTree(1))
    #expect(try leaves().map(\.tree.number) == [1])
    #expect(try prepared().isEmpty)
  }

  @Test func formerlyWaitingModelsAreDeletedLikeOthers() throws {
    try pull(remoteLeaf(1, of: 1))
    try pull(remoteTree(1))
    try deleteLeaves()
    #expect(try prepared().map(\.object) == [leaf])
    #expect(try prepared().map(\.content) == [.delete])
  }

  @Test func restoredModelsWaitForTheirParentToo() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1))
    try deleteLeaves()
    try pull(remoteLeaf(2, of: 2))
    #expect(try leaves().isEmpty)
    #expect(try prepared().isEmpty)
    try pull(remoteTree(2))
    #expect(try leaves().map(\.size) == [2])
  }

  @Test func aReferenceThatWaitedIsForgottenWithItsModel() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1, beside: 2))
    try deleteLeaves()
    let sent = try prepared()
    _ = try ledger.acknowledge(
      Dictionary(uniqueKeysWithValues: sent.map { ($0.id, .accepted(version: 5)) }), now: .now)
    let context = ModelContext(container)
    let tree = try #require(try context.fetch(FetchDescriptor<Tree>()).first)
    context.insert(Leaf(number: 1, tree: tree))
    try context.save()
    #expect(try prepared().first?.values?["neighbour"] == .null)
  }

  // MARK: Required references that change

  private func edit(_ body: (Leaf, [Tree]) throws -> Void) throws {
    let context = ModelContext(container)
    let leaf = try #require(try context.fetch(FetchDescriptor<Leaf>()).first)
    try body(leaf, try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Tree.number)])))
    try context.save()
  }

  private func trees() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Tree>()).map(\.number).sorted()
  }

  @Test func anEditOfAModelThatIsToMoveDoesNotMoveItBack() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1))
    try pull(remoteLeaf(2, of: 2))
    #expect(try leaves().map(\.tree.number) == [1])
    #expect(try prepared().isEmpty)
    try edit { leaf, _ in leaf.size = 7 }
    let sent = try prepared()
    #expect(sent.map(\.values?["tree"]) == [.text("2")])
    #expect(sent.map(\.values?["size"]) == [.integer(7)])
    _ = try ledger.acknowledge(
      Dictionary(uniqueKeysWithValues: sent.map { ($0.id, .accepted(version: 5)) }), now: .now)
    try pull(remoteTree(2))
    #expect(try leaves().map(\.tree.number) == [2])
    #expect(try leaves().map(\.size) == [7])
    #expect(try prepared().isEmpty)
  }

  @Test func anotherMoveOfAModelThatIsToMoveIsAnEdit() throws {
    try pull(remoteTree(1), remoteTree(3), remoteLeaf(1, of: 1))
    try pull(remoteLeaf(2, of: 2))
    try edit { leaf, trees in leaf.tree = trees[1] }
    let sent = try prepared()
    #expect(sent.map(\.values?["tree"]) == [.text("3")])
    _ = try ledger.acknowledge(
      Dictionary(uniqueKeysWithValues: sent.map { ($0.id, .accepted(version: 5)) }), now: .now)
    try edit { leaf, trees in leaf.tree = trees[0] }
    #expect(try prepared().map(\.values?["tree"]) == [.text("1")])
    try pull(remoteTree(2))
    #expect(try leaves().map(\.tree.number) == [1])
  }

  @Test func aDeletionTakesNoModelAlongThatIsToMove() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1))
    try pull(
      remoteLeaf(2, of: 2), SyncRemote(object: SyncObjectID("Tree", "1"), version: 3, values: nil))
    #expect(try leaves().map(\.size) == [2])
    #expect(try trees() == [1])
    #expect(try prepared().isEmpty)
    try pull(remoteTree(2))
    #expect(try leaves().map(\.tree.number) == [2])
    #expect(try trees() == [2])
    #expect(try prepared().isEmpty)
  }

  @Test func aLaterDeletionTakesNoEditedModelAlongThatIsToMove() throws {
    try pull(remoteTree(1), remoteLeaf(1, of: 1))
    try pull(remoteLeaf(2, of: 2))
    try edit { leaf, _ in leaf.size = 7 }
    try pull(SyncRemote(object: SyncObjectID("Tree", "1"), version: 3, values: nil))
    #expect(try leaves().map(\.size) == [7])
    try pull(remoteTree(2))
    #expect(try leaves().map(\.tree.number) == [2])
    #expect(try trees() == [2])
    #expect(try prepared().map(\.values?["tree"]) == [.text("2")])
  }
}
