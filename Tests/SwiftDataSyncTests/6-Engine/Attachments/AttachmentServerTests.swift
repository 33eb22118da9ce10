import Foundation
import SwiftData
import SwiftDataSync
import SyncSimulation
import SystemCrypto
import Testing

@Model final class Letter {
  @Attribute(.unique) var number: Int
  var owner: String
  @Attribute(.externalStorage) var scan: Data?

  init(_ number: Int, owner: String, scan: Data?) {
    self.number = number
    self.owner = owner
    self.scan = scan
  }
}

@Suite struct AttachmentServerTests {
  private static let models = [SyncedModel(Letter.self, key: \.number)]

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Letter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func server(
    _ container: ModelContainer, _ limits: SyncAttachmentLimits = SyncAttachmentLimits()
  ) throws -> SyncServer {
    try SyncServer(
      container, models: Self.models,
      rules: SyncServerRules(scope: { _, values in values["owner"]?.text }), attachments: limits)
  }

  private func attachment(of data: Data) throws -> SyncAttachment {
    let name = SHA256Digest.bytes(of: data).hexadecimalText
    return try #require(SyncAttachment(sha256: name, byteCount: data.count))
  }

  private func change(
    _ number: Int, owner: String, _ attachment: SyncAttachment, base: Int64? = nil
  ) -> SyncChange {
    SyncChange(
      id: UUID().uuidString, object: SyncObjectID("Letter", String(number)),
      content: .put([
        "number": .integer(Int64(number)), "owner": .text(owner), "scan": attachment.value,
      ]), baseVersion: base)
  }

  @Test func theNameOfAnotherUsersBytesGivesNoAccess() async throws {
    let container = try container()
    let context = ModelContext(container)
    let data = bytes(40_000)
    context.insert(Letter(1, owner: "ann", scan: data))
    try context.save()
    let server = try server(container)
    let attachment = try attachment(of: data)
    let anns = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    func read(_ reference: SyncAttachmentReference, _ user: String) async throws -> [UInt8]? {
      try await server.attachment(reference, from: 39_990, length: 100, user: user)
    }
    #expect(try await read(anns, "ann") == Array(data.suffix(10)))
    #expect(try await read(anns, "bob") == nil)
    // Bob doesn't even learn that the server has them: ann's object counts for ann only.
    #expect(try await server.missing([anns], user: "bob") == [attachment: 0])
    #expect(try await server.missing([anns], user: "ann") == [:])
    // Claiming the bytes doesn't help either: without the bytes nothing is stored, and there is no
    // outcome.
    let claim = change(2, owner: "bob", attachment)
    #expect(try await server.push([claim], client: "c", user: "bob") == [:])
    let bobs = SyncAttachmentReference(SyncObjectID("Letter", "2"), "scan", attachment)
    #expect(try await read(bobs, "bob") == nil)
    #expect(try context.fetchCount(FetchDescriptor<Letter>()) == 1)
    // Other properties and entities have no attachments.
    for reference in [
      SyncAttachmentReference(SyncObjectID("Letter", "1"), "owner", attachment),
      SyncAttachmentReference(SyncObjectID("Letter", "1"), "", attachment),
      SyncAttachmentReference(SyncObjectID("_syncserver_object", "1"), "scan", attachment),
    ] { #expect(try await read(reference, "ann") == nil) }
  }

  @Test func onlyBytesThatMatchTheirNameAreAccepted() async throws {
    let container = try container()
    let server = try server(container)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    let half = Array(data.prefix(20_000))
    func upload(_ bytes: [UInt8], _ offset: Int) async throws -> Int {
      try await server.upload(bytes, of: attachment, at: offset, user: "ann")
    }
    #expect(try await upload(half, 0) == 20_000)
    // A portion with a different offset isn't accepted.
    #expect(try await upload(half, 0) == 20_000)
    #expect(try await upload(half, 30_000) == 20_000)
    #expect(try await upload(half, 20_000) == 0)
    let reference = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    #expect(try await server.missing([reference], user: "ann") == [attachment: 0])
    #expect(try await upload(half, 0) == 20_000)
    #expect(try await upload([UInt8](repeating: 0, count: 20_001), 20_000) == 0)
    #expect(try await upload(Array(data), 0) == 40_000)
    // A complete attachment accepts no more bytes.
    #expect(try await upload(half, 40_000) == 40_000)
    let push = change(1, owner: "ann", attachment)
    let answer = try await server.push([push], client: "c", user: "ann")
    guard case .accepted = answer[push.id] else {
      Issue.record("\(answer)")
      return
    }
    let letters = try ModelContext(container).fetch(FetchDescriptor<Letter>())
    #expect(letters.map(\.scan) == [data])
    // A repeated push gets the same answer, although the bytes were removed.
    #expect(try await server.push([push], client: "c", user: "ann") == answer)
  }

  @Test func uploadsWithoutObjectsAreBounded() async throws {
    var limits = SyncAttachmentLimits()
    limits.maximumByteCount = 50_000
    limits.maximumPendingByteCount = 60_000
    let server = try server(try container(), limits)
    let (first, second) = (bytes(40_000, 1), bytes(40_000, 2))
    #expect(
      try await server.upload(Array(first), of: try attachment(of: first), at: 0, user: "ann")
        == 40_000)
    let failure = await #expect(throws: SyncFailure.self) {
      try await server.upload(Array(second), of: try attachment(of: second), at: 0, user: "ann")
    }
    #expect(failure?.kind == .throttled(after: .seconds(60)))
    // The limit applies to each user separately.
    #expect(
      try await server.upload(Array(second), of: try attachment(of: second), at: 0, user: "../ann")
        == 40_000)
    let large = bytes(50_001)
    let refusal = await #expect(throws: SyncFailure.self) {
      try await server.upload([1], of: try attachment(of: large), at: 0, user: "bob")
    }
    #expect(refusal?.kind == .tooLarge)
  }

  @Test func unreferencedUploadsAreRemoved() async throws {
    var limits = SyncAttachmentLimits()
    limits.pendingAge = -1
    let server = try server(try container(), limits)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    _ = try await server.upload(Array(data.prefix(100)), of: attachment, at: 0, user: "ann")
    #expect(
      try await server.upload(Array(data.dropFirst(100)), of: attachment, at: 100, user: "ann") == 0
    )
  }

  @Test func aNameIsNoPath() {
    let name = String(repeating: "a", count: 64)
    #expect(SyncAttachment(sha256: name, byteCount: 20_000) != nil)
    #expect(SyncAttachment(sha256: name, byteCount: SyncAttachment.threshold) == nil)
    #expect(SyncAttachment(sha256: name, byteCount: -1) == nil)
    #expect(SyncAttachment(sha256: name.uppercased(), byteCount: 20_000) == nil)
    #expect(SyncAttachment(sha256: String(name.dropLast()), byteCount: 20_000) == nil)
    #expect(SyncAttachment(sha256: "../" + name.dropLast(3), byteCount: 20_000) == nil)
    #expect(SyncAttachment(.object(["sha256": .text(name)])) == nil)
    #expect(SyncAttachment(.object(["sha256": .text(name), "size": .text("20000")])) == nil)
    #expect(
      SyncAttachment(
        .object(["sha256": .text(name), "size": .integer(20_000), "more": .null])) == nil)
  }
}
