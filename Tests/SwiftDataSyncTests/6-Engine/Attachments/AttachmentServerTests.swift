import Foundation
import StoreTesting
import SwiftData
import SwiftDataCore
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
  /// The server's table of portions.
  private static let portions = SideTable(
    "_syncserver_portion",
    [
      .init("owner", .text), .init("sha256", .text), .init("start", .integer),
      .init("bytes", .blob),
    ], key: .columns(["owner", "sha256", "start"]))
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  /// A place of a server's store, and with it of uploads: files beside a file, tables in memory and on a database
  /// server.
  enum Place: CaseIterable {
    case lasting, memory

    static var tested: [Place] { StoreKind.tested == .sqlite ? allCases : [.lasting] }
    /// The places with uploads in tables.
    static var withTables: [Place] { StoreKind.tested == .sqlite ? [.memory] : [.lasting] }
  }

  private func container(_ place: Place) throws -> ModelContainer {
    switch place {
    case .lasting: try store.container(Letter.self)
    case .memory:
      try ModelContainer(
        for: Letter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
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

  @Test(arguments: Place.tested) func theNameOfAnotherUsersBytesGivesNoAccess(_ place: Place)
    async throws
  {
    let container = try container(place)
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

  @Test(arguments: Place.tested) func onlyBytesThatMatchTheirNameAreAccepted(_ place: Place)
    async throws
  {
    let container = try container(place)
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

  @Test(arguments: Place.tested) func uploadsWithoutObjectsAreBounded(_ place: Place) async throws {
    var limits = SyncAttachmentLimits()
    limits.maximumByteCount = 50_000
    limits.maximumPendingByteCount = 60_000
    let server = try server(try container(place), limits)
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

  @Test(arguments: Place.tested) func unreferencedUploadsAreRemoved(_ place: Place) async throws {
    var limits = SyncAttachmentLimits()
    limits.pendingAge = -1
    let server = try server(try container(place), limits)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    _ = try await server.upload(Array(data.prefix(100)), of: attachment, at: 0, user: "ann")
    #expect(
      try await server.upload(Array(data.dropFirst(100)), of: attachment, at: 100, user: "ann") == 0
    )
  }

  @Test(arguments: Place.tested) func portionsMayReachDifferentServers(_ place: Place) async throws
  {
    let container = try container(place)
    let servers = try (0..<3).map { _ in try server(container) }
    let data = bytes(100_000)
    let attachment = try attachment(of: data)
    let reference = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    for number in 0..<10 {
      let start = number * 10_000
      #expect(
        try await servers[(number + 2) % 3].missing([reference], user: "ann") == [attachment: start]
      )
      #expect(
        try await servers[number % 3].upload(
          Array(data[start..<start + 10_000]), of: attachment, at: start, user: "ann")
          == start + 10_000)
    }
    for server in servers { #expect(try await server.missing([reference], user: "ann") == [:]) }
    let push = change(1, owner: "ann", attachment)
    guard case .accepted = try await servers[2].push([push], client: "c", user: "ann")[push.id]
    else {
      Issue.record("The push isn't accepted")
      return
    }
    let letters = try ModelContext(container).fetch(FetchDescriptor<Letter>())
    #expect(letters.map(\.scan) == [data])
    // The upload is removed everywhere: another object of the user refers to bytes that have to be sent anew.
    let other = SyncAttachmentReference(SyncObjectID("Letter", "2"), "scan", attachment)
    for server in servers {
      #expect(try await server.missing([other], user: "ann") == [attachment: 0])
    }
  }

  @Test(arguments: Place.tested) func aWronglyDeclaredSizeSpoilsNothing(_ place: Place) async throws
  {
    let server = try server(try container(place))
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    let larger = try #require(SyncAttachment(sha256: attachment.sha256, byteCount: 50_000))
    let half = Array(data.prefix(20_000))
    #expect(try await server.upload(half, of: larger, at: 0, user: "ann") == 20_000)
    let reference = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    // A file has no declared size: there the portion counts.
    let present = try await server.missing([reference], user: "ann")[attachment] ?? 0
    #expect(
      try await server.upload(
        Array(data.dropFirst(present)), of: attachment, at: present, user: "ann")
        == 40_000)
    #expect(try await server.missing([reference], user: "ann") == [:])
    #expect(
      try await server.missing(
        [SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", larger)], user: "ann")[larger]
        != nil)
  }

  @Test(arguments: Place.withTables) func modifiedPortionsAreSentAnew(_ place: Place) async throws {
    let container = try container(place)
    let server = try server(container)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    #expect(try await server.upload(Array(data), of: attachment, at: 0, user: "ann") == 40_000)
    let keyed = try #require(container.core.entry(for: Letter.self).capabilities.keyedRows)
    try keyed.writeSideTables { transaction in
      try transaction.update(
        SideTableRows("bytes", "sha256", rows: [[.blob([1, 2]), .text(attachment.sha256)]]),
        of: Self.portions, matching: ["sha256"])
    }
    let push = change(1, owner: "ann", attachment)
    _ = try await server.push([push], client: "c", user: "ann")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Letter>()) == 0)
    let reference = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    #expect(try await server.missing([reference], user: "ann") == [attachment: 0])
  }

  @Test(.enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func modifiedFilesAreSentAnew() async throws {
    let container = try container(.lasting)
    let server = try server(container)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    let push = change(1, owner: "ann", attachment)
    #expect(try await server.upload(Array(data), of: attachment, at: 0, user: "ann") == 40_000)
    let paths = FileManager.default.enumerator(atPath: store.folder.path)?.allObjects ?? []
    let path = try #require(
      paths.compactMap { $0 as? String }.first { $0.hasSuffix(attachment.sha256) })
    #expect(path.contains("sync-incoming"))
    let file = try FileHandle(forUpdating: store.folder.appending(path: path))
    try file.write(contentsOf: Data([data[0] ^ 1]))
    try file.close()
    #expect(try await server.push([push], client: "c", user: "ann") == [:])
    let reference = SyncAttachmentReference(SyncObjectID("Letter", "1"), "scan", attachment)
    #expect(try await server.missing([reference], user: "ann") == [attachment: 0])
    #expect(try await server.upload(Array(data), of: attachment, at: 0, user: "ann") == 40_000)
    #expect(try await server.push([push], client: "c", user: "ann").count == 1)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Letter>()).map(\.scan) == [data])
  }

  @Test(arguments: Place.tested) func portionsCountForTheBoundOnce(_ place: Place) async throws {
    var limits = SyncAttachmentLimits()
    limits.maximumPendingByteCount = 60_000
    let server = try server(try container(place), limits)
    let (first, second) = (bytes(40_000, 1), bytes(40_000, 2))
    for start in stride(from: 0, to: 40_000, by: 10_000) {
      let count = try await server.upload(
        Array(first[start..<start + 10_000]), of: try attachment(of: first), at: start, user: "ann")
      #expect(count == start + 10_000)
    }
    let start = Array(second.prefix(10_000))
    #expect(
      try await server.upload(start, of: try attachment(of: second), at: 0, user: "ann") == 10_000)
    let next = Array(second[10_000..<30_000])
    let failure = await #expect(throws: SyncFailure.self) {
      try await server.upload(next, of: try attachment(of: second), at: 10_000, user: "ann")
    }
    #expect(failure?.kind == .throttled(after: .seconds(60)))
    // The first one's object has it now.
    let push = change(1, owner: "ann", try attachment(of: first))
    #expect(try await server.push([push], client: "c", user: "ann").count == 1)
    #expect(
      try await server.upload(next, of: try attachment(of: second), at: 10_000, user: "ann")
        == 30_000)
  }

  @Test(arguments: Place.withTables) func manySmallPortionsHaveFewRows(_ place: Place) async throws
  {
    let container = try container(place)
    let server = try server(container)
    let data = bytes(40_000)
    let attachment = try attachment(of: data)
    for start in stride(from: 0, to: 40_000, by: 400) {
      #expect(
        try await server.upload(
          Array(data[start..<start + 400]), of: attachment, at: start, user: "ann") == start + 400)
    }
    let keyed = try #require(container.core.entry(for: Letter.self).capabilities.keyedRows)
    #expect(try keyed.readRows { try $0.count(of: Self.portions, where: nil) } == 3)
    let push = change(1, owner: "ann", attachment)
    _ = try await server.push([push], client: "c", user: "ann")
    let letters = try ModelContext(container).fetch(FetchDescriptor<Letter>())
    #expect(letters.map(\.scan) == [data])
    #expect(try keyed.readRows { try $0.count(of: Self.portions, where: nil) } == 0)
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
