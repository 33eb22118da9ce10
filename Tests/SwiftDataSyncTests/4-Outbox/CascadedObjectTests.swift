import Foundation
import StoreTesting
import SwiftData
import SwiftDataExtras
import SwiftDataSync
import Testing

/// Objects that are deleted here with others before it is known whether the server has deleted them.
@Suite struct CascadedObjectTests {
  private let container: ModelContainer
  private let storage: ModelSyncStorage
  private let schema = SyncSchema([
    SyncSchema.Entity(name: "Tree", policy: .serverWins),
    SyncSchema.Entity(
      name: "Leaf", references: ["tree": "Tree", "neighbour": "Tree"], policy: .serverWins),
  ])
  private let tree = SyncObjectID("Tree", "1")
  private let leaf = SyncObjectID("Leaf", "1")

  init() throws {
    container = try memoryContainer(Tree.self, Leaf.self)
    storage = try ModelSyncStorage(
      container, [SyncedModel(Tree.self, key: \.number), SyncedModel(Leaf.self, key: \.number)])
  }

  /// Returns a ledger that has deleted a tree with its leaf; the pull goes on.
  private func ledger() throws -> SyncLedger {
    let ledger = try SyncLedger(storage, schema, client: "client")
    try pull(
      ledger,
      [
        SyncRemote(object: tree, version: 1, values: ["number": .integer(1)]),
        SyncRemote(
          object: leaf, version: 2,
          values: ["number": .integer(1), "size": .integer(0), "tree": .integer(1)]),
      ])
    try pull(ledger, [SyncRemote(object: tree, version: 3, values: nil)], hasMore: true)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Leaf>()).isEmpty)
    return ledger
  }

  private func pull(_ ledger: SyncLedger, _ changes: [SyncRemote], hasMore: Bool = false) throws {
    _ = try ledger.apply(SyncPage(changes: changes, cursor: "c", hasMore: hasMore), now: .now)
  }

  @Test func deletionsOfLaterPagesNeedNoComparison() throws {
    let ledger = try ledger()
    try pull(ledger, [SyncRemote(object: leaf, version: 4, values: nil)])
    #expect(!ledger.progress.isComparing)
    #expect(ledger.progress.cursor == "c")
    #expect(!ledger.hasPending)
  }

  @Test func whatThePullDoesNotMentionIsFetchedAgain() throws {
    let ledger = try ledger()
    #expect(!ledger.progress.isComparing && !ledger.hasPending)
    try pull(ledger, [])
    #expect(ledger.progress.isComparing)
    #expect(ledger.progress.cursor == nil)
    #expect(ledger.lastPageIsOutdated)
    // It is fetched once.
    try pull(ledger, [])
    #expect(!ledger.progress.isComparing && !ledger.lastPageIsOutdated)
  }

  @Test func whatMovesToAnObjectOfALaterPageIsKept() throws {
    let ledger = try SyncLedger(storage, schema, client: "client")
    func leaf(_ version: Int64, of tree: Int64) -> SyncRemote {
      SyncRemote(
        object: self.leaf, version: version,
        values: ["number": .integer(1), "size": .integer(0), "tree": .integer(tree)])
    }
    let other = SyncRemote(
      object: SyncObjectID("Tree", "2"), version: 5, values: ["number": .integer(2)])
    try pull(
      ledger,
      [SyncRemote(object: tree, version: 1, values: ["number": .integer(1)]), leaf(2, of: 1)])
    try pull(
      ledger, [leaf(3, of: 2), SyncRemote(object: tree, version: 4, values: nil)], hasMore: true)
    try pull(ledger, [other])
    // All objects, as a comparison fetches them.
    try pull(ledger, [leaf(3, of: 2), other])
    let leaves = try ModelContext(container).fetch(FetchDescriptor<Leaf>())
    #expect(leaves.map(\.tree.number) == [2])
    #expect(!ledger.hasPending)
    #expect(!ledger.progress.isComparing)
  }

  @Test func aDeletionByThePushThatWroteTheObjectIsTaken() throws {
    let ledger = try SyncLedger(storage, schema, client: "client")
    try pull(
      ledger,
      [
        SyncRemote(object: tree, version: 1, values: ["number": .integer(1)]),
        SyncRemote(
          object: leaf, version: 2,
          values: ["number": .integer(1), "size": .integer(0), "tree": .integer(1)]),
      ])
    try pull(ledger, [SyncRemote(object: leaf, version: 2, values: nil)])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Leaf>()).isEmpty)
    #expect(!ledger.hasPending)
  }

  @Test func anotherProcessFetchesItToo() throws {
    _ = try ledger()
    let other = try SyncLedger(storage, schema, client: "client")
    try pull(other, [])
    #expect(other.progress.isComparing)
    try pull(other, [])
    #expect(!other.progress.isComparing)
  }

  // MARK: Several deletions

  private let otherTree = SyncObjectID("Tree", "2")
  private let otherLeaf = SyncObjectID("Leaf", "2")

  /// Returns a ledger that has deleted one of two trees with its leaf; the pull goes on.
  private func ledgerOfTwoTrees() throws -> SyncLedger {
    let ledger = try SyncLedger(storage, schema, client: "client")
    try pull(
      ledger,
      [(tree, leaf, 1), (otherTree, otherLeaf, 2)].flatMap { tree, leaf, number in
        [
          SyncRemote(object: tree, version: 1, values: ["number": .integer(number)]),
          SyncRemote(
            object: leaf, version: 2,
            values: ["number": .integer(number), "size": .integer(0), "tree": .integer(number)]),
        ]
      })
    try pull(ledger, [SyncRemote(object: tree, version: 3, values: nil)], hasMore: true)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Leaf>()).map(\.number) == [2])
    return ledger
  }

  /// New objects that weren't deleted here cost as much as before the deletion.
  @Test(arguments: [false, true]) func newObjectsAreNotLookedUpInOthers(isFetchedAgain: Bool) throws
  {
    let ledger = try ledgerOfTwoTrees()
    let leaves = (3...202).map { number in
      SyncRemote(
        object: SyncObjectID("Leaf", "\(number)"), version: 2,
        values: ["number": .integer(number), "size": .integer(0), "tree": .integer(2)])
    }
    try pull(ledger, leaves, hasMore: true)
    if isFetchedAgain {
      try ledger.beginComparison()
      #expect(ledger.progress.isRefetching)
    } else {
      #expect(ledger.progress.hasCascaded)
    }
    let new = SyncRemote(
      object: SyncObjectID("Tree", "3"), version: 6, values: ["number": .integer(3)])
    let statements = try container.recordingStatements {
      try pull(ledger, [new], hasMore: true)
    }.statements
    #expect(statements.map(\.rows).reduce(0, +) < leaves.count)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tree>()) == 2)
  }

  @Test func whatAnEarlierProcessDeletedIsFetchedAfterAnotherDeletion() throws {
    _ = try ledgerOfTwoTrees()
    let other = try SyncLedger(storage, schema, client: "client")
    try pull(other, [SyncRemote(object: otherTree, version: 4, values: nil)], hasMore: true)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Leaf>()).isEmpty)
    // The server keeps the first leaf.
    try pull(other, [SyncRemote(object: otherLeaf, version: 5, values: nil)])
    #expect(other.progress.isComparing)
    try pull(other, [])
    #expect(!other.progress.isComparing)
  }

  @Test func whatAnotherEngineDeletedIsFetched() throws {
    let ledger = try ledgerOfTwoTrees()
    let other = try SyncLedger(storage, schema, client: "client")
    try pull(other, [SyncRemote(object: otherTree, version: 4, values: nil)], hasMore: true)
    _ = try ledger.currentProgress()
    // The server keeps the other engine's leaf.
    try pull(ledger, [SyncRemote(object: leaf, version: 5, values: nil)])
    #expect(ledger.progress.isComparing)
    try pull(ledger, [])
    #expect(!ledger.progress.isComparing)
  }
}
