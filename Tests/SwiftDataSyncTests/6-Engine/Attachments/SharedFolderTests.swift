import Foundation
import StoreTesting
import SwiftData
import SyncSimulation
import TestSupport
import Testing

@testable import SwiftDataSync

extension SyncServer {
  fileprivate func holds(_ attachment: SyncAttachment) throws -> Bool {
    try storage.access.attachments?.has(attachment) ?? false
  }

  fileprivate func holdsNothing() throws -> Bool {
    try storage.access.attachments?.isEmpty ?? true
  }

  /// Takes an attachment from the uploads, as a process does that is killed then.
  fileprivate func take(_ attachment: SyncAttachment, at date: Date, user: String) throws {
    guard let attachments = storage.access.attachments else { return }
    #expect(try uploads.copy([attachment], user: user, to: attachments))
    #expect(try attachments.renew(attachment, at: date) != nil)
  }
}

/// Servers of several processes, which take attachments from the uploads to one folder beside a store.
@Suite(.enabled(if: StoreKind.tested == .sqlite, "is about files")) struct SharedFolderTests {
  private let store: TemporaryStore
  private let servers: [SyncServer]

  init() throws {
    let store = try TemporaryStore()
    self.store = store
    servers = try (0..<2).map { _ in
      try SyncServer(
        store.container(Letter.self), models: [SyncedModel(Letter.self, key: \.number)],
        rules: SyncServerRules(scope: { _, values in values["owner"]?.text }))
    }
  }

  private func sent(_ data: Data, _ number: Int64, by user: String) async throws -> SyncChange {
    let attachment = SyncAttachment(of: [UInt8](data))
    _ = try await servers[0].upload([UInt8](data), of: attachment, at: 0, user: user)
    return SyncChange(
      id: UUID().uuidString, object: SyncObjectID("Letter", "\(number)"),
      content: .put([
        "number": .integer(number), "owner": .text(user), "scan": attachment.value,
      ]), baseVersion: nil)
  }

  private func isAccepted(_ change: SyncChange, _ place: Int, by user: String) async throws -> Bool
  {
    let outcomes = try await servers[place].push([change], client: user, user: user)
    if case .accepted = outcomes[change.id] { return true }
    return false
  }

  @Test(arguments: [1, 2]) func aPushLeavesTheAttachmentsOfAnother(_ seed: UInt64) async throws {
    let (mine, other) = (bytes(40_000, 1), bytes(40_000, seed))
    let change = try await sent(mine, 1, by: "ann")
    let attachment = SyncAttachment(of: [UInt8](mine))
    #expect(try await servers[0].receive([change], client: "ann", user: "ann"))
    // Another process accepts a push, perhaps of the same bytes.
    let theirs = try await sent(other, 2, by: "bob")
    #expect(try await isAccepted(theirs, 1, by: "bob"))
    #expect(try await servers[0].holds(attachment))
    #expect(try await isAccepted(change, 0, by: "ann"))
    let letters = try ModelContext(store.container(Letter.self)).fetch(
      FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.number)]))
    #expect(letters.map(\.scan) == [mine, other])
    #expect(try await servers[0].holdsNothing() == (seed != 1))
  }

  @Test func anAttachmentThatAnotherHasTakenSinceStays() async throws {
    let data = bytes(40_000, 1)
    let attachment = SyncAttachment(of: [UInt8](data))
    let (first, second) = (try await sent(data, 1, by: "ann"), try await sent(data, 2, by: "bob"))
    #expect(try await servers[0].receive([first], client: "ann", user: "ann"))
    #expect(try await servers[1].receive([second], client: "bob", user: "bob"))
    try await servers[0].release([first], [:], user: "ann")
    #expect(try await servers[1].holds(attachment))
    try await servers[1].release([second], [:], user: "bob")
    // The first may need it again; it is removed later.
    #expect(try await servers[1].holds(attachment))
    // One that only this server has taken goes at once, also after a failure.
    let other = try await sent(bytes(40_000, 2), 3, by: "bob")
    for _ in 0..<2 {
      #expect(try await servers[1].receive([other], client: "bob", user: "bob"))
    }
    #expect(try await isAccepted(other, 1, by: "bob"))
    #expect(try await !servers[1].holds(SyncAttachment(of: [UInt8](bytes(40_000, 2)))))
  }

  @Test func whatAKilledProcessLeftIsRemovedLater() async throws {
    let (old, new) = (bytes(40_000, 1), bytes(40_000, 2))
    for (data, number) in [(old, Int64(1)), (new, 2)] {
      _ = try await sent(data, number, by: "ann")
    }
    let (left, taken) = (SyncAttachment(of: [UInt8](old)), SyncAttachment(of: [UInt8](new)))
    try await servers[0].take(left, at: Date.now.addingTimeInterval(-7_200), user: "ann")
    try await servers[0].take(taken, at: .now, user: "ann")
    let change = try await sent(bytes(40_000, 3), 3, by: "bob")
    #expect(try await isAccepted(change, 1, by: "bob"))
    #expect(try await !servers[0].holds(left))
    #expect(try await servers[0].holds(taken))
  }
}
