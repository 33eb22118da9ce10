import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import SwiftDataSyncServer
import SyncServing
import Testing

/// A REST server of memos with scans, which has the endpoints of attachments.
private actor ScanArchive: SyncAttachmentServer {
  struct Sheet {
    var text: String
    var scan: SyncValue
    var bytes: [UInt8]
    var revision: Int64
  }

  struct Portion: Hashable {
    var offset: Int
    var count: Int
  }

  private struct CutOff: Error {}

  private(set) var sheets: [String: Sheet] = [:]
  private(set) var sent: [Portion] = []
  private(set) var fetched: [Portion] = []
  private(set) var entities: Set<String> = []
  private(set) var puts: [SyncValue] = []
  private var uploads = SyncUploads(nil, limits: ScanArchive.limits)
  private var revision: Int64 = 0
  private var portionsLeft = Int.max
  private var forgetsUploads = false
  private var refusal: SyncFailure?
  private var isMissing = false
  private var damage: UInt8 = 0

  private static var limits: SyncAttachmentLimits {
    var limits = SyncAttachmentLimits()
    limits.maximumByteCount = 2_000_000
    return limits
  }

  /// Lets a number of answers about portions through from now on, and then closes the connections within them.
  func cut(after portions: Int) { portionsLeft = portions }
  func mend() { portionsLeft = .max }
  func refuse(_ failure: SyncFailure?) { refusal = failure }
  /// Makes the uploads disappear before the next put.
  func forgetUploads() { forgetsUploads = true }
  func hide(_ isHidden: Bool) { isMissing = isHidden }
  /// Changes the first byte of each portion that is fetched.
  func damage(by difference: UInt8) { damage = difference }

  // MARK: Attachments

  func missing(
    _ references: [SyncAttachmentReference], user: String
  ) throws -> [SyncAttachment: Int] {
    entities.formUnion(references.map(\.object.entity))
    return try uploads.missing(references, user: user) { references in
      Set(references.filter { sheets[$0.object.key]?.scan == $0.attachment.value })
    }
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) throws -> Int {
    if let refusal { throw refusal }
    sent.append(Portion(offset: offset, count: bytes.count))
    return try uploads.receive(bytes, of: attachment, at: offset, user: user)
  }

  func attachment(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, user: String
  ) throws -> [UInt8]? {
    guard let sheet = sheets[reference.object.key], sheet.scan == reference.attachment.value
    else { return nil }
    var bytes = Array(sheet.bytes.dropFirst(offset).prefix(length))
    fetched.append(Portion(offset: offset, count: bytes.count))
    if !bytes.isEmpty { bytes[0] ^= damage }
    return bytes
  }

  private func throughTheLine(_ response: Response) -> Response {
    portionsLeft -= 1
    guard portionsLeft < 0 else { return response }
    return Response(status: .ok, body: ResponseBody(contentLength: 2) { _ in throw CutOff() })
  }

  // MARK: Resources

  private func document(_ key: String, _ sheet: Sheet) -> SyncValue {
    .object([
      "id": .text(key), "text": .text(sheet.text), "scan": sheet.scan,
      "revision": .integer(sheet.revision),
    ])
  }

  private func answer(_ status: HTTPResponse.Status, _ value: SyncValue? = nil) -> Response {
    Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(bytes: value?.json ?? [])))
  }

  func list() -> Response {
    guard !isMissing else { return answer(.notFound) }
    return answer(.ok, .list(sheets.map { document($0.key, $0.value) }))
  }

  func put(_ key: String, _ document: SyncValue) throws -> Response {
    puts.append(document)
    guard case .object(let members) = document, let text = members["text"]?.text else {
      return answer(.badRequest)
    }
    if forgetsUploads {
      uploads = SyncUploads(nil, limits: Self.limits)
      forgetsUploads = false
    }
    let scan = members["scan"] ?? .null
    var bytes = sheets[key]?.bytes ?? []
    if let attachment = SyncAttachment(scan), sheets[key]?.scan != scan {
      guard let new = try uploads.bytes(of: attachment, user: "ann") else {
        return answer(.init(code: 424, reasonPhrase: "Failed Dependency"))
      }
      bytes = new
      try uploads.remove(attachment, user: "ann")
    }
    revision += 1
    let sheet = Sheet(text: text, scan: scan, bytes: bytes, revision: revision)
    sheets[key] = sheet
    return answer(.ok, self.document(key, sheet))
  }

  /// Runs the server on loopback during a test.
  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let attachments = SyncAttachmentRoutes(self)
    let router = Router()
    router.get("sheets") { _, _ in await self.list() }
    router.put("sheets/:key") { request, context in
      let body = try await request.body.collect(upTo: 10_000_000)
      return try await self.put(
        try context.parameters.require("key"), try SyncJSON.parse(body.readableBytesView))
    }
    router.post("files/missing") { request, _ in
      try await attachments.missing(request, user: "ann")
    }
    router.patch("files/:name") { request, context in
      do {
        let response = try await attachments.upload(
          request, named: context.parameters.get("name"), user: "ann")
        return await self.throughTheLine(response)
      } catch let failure as SyncFailure {
        let status: HTTPResponse.Status =
          failure.kind == .tooLarge ? .contentTooLarge : .unprocessableContent
        return await self.answer(status, .object(["detail": .text(failure.message)]))
      }
    }
    router.get("files") { request, _ in
      await self.throughTheLine(try await attachments.download(request, user: "ann"))
    }
    try await serving(router, body)
  }
}

@Suite struct RESTAttachmentTests {
  private static let scan = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) })
  private static let portion = 100_000
  private static let offsets = Array(stride(from: 0, to: scan.count, by: portion))

  private func transport(_ url: URL, attachments: String? = "files") -> RESTSyncTransport {
    var resource = RESTResource(
      entity: "Memo", path: "sheets", versions: .revision(member: "revision")
    ) { element in
      guard case .object(let members) = element, let key = members["id"]?.text else { return nil }
      return (
        key,
        [
          "text": members["text"] ?? .null, "scan": members["scan"] ?? .null,
          "owner": .text("ann"), "count": .integer(0),
        ]
      )
    } write: { _, values in
      .object(["text": values["text"] ?? .null, "scan": values["scan"] ?? .null])
    }
    resource.isOptional = true
    return RESTSyncTransport(url, resources: [resource], attachments: attachments)
  }

  private func engine(
    _ container: ModelContainer, _ url: URL, attachments: String? = "files"
  ) throws -> SyncEngine {
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.baseDelay = .milliseconds(1)
    timing.maximumDelay = .milliseconds(2)
    var limits = SyncAttachmentLimits()
    limits.portion = Self.portion
    return try SyncEngine(
      container, models: Memo.models(), transport: transport(url, attachments: attachments),
      timing: timing, attachments: limits)
  }

  private func write(_ scan: Data?, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    let memo = Memo("with a scan", owner: "ann")
    memo.scan = scan
    context.insert(memo)
    try context.save()
  }

  private func scans(_ container: ModelContainer) throws -> [Data?] {
    try ModelContext(container).fetch(FetchDescriptor<Memo>()).map(\.scan)
  }

  @Test func bytesTravelInPortionsAndReachAnotherDevice() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let (one, other) = (try Memo.container(), try Memo.container())
      try write(Self.scan, one)
      try await engine(one, url).sync()
      #expect(await archive.sent.map(\.offset) == Self.offsets)
      #expect(await archive.sheets.values.map { Data($0.bytes) } == [Self.scan])
      // The server knows the resource's path, not the class.
      #expect(await archive.entities == ["sheets"])
      #expect(await archive.puts.count == 1)
      try await engine(other, url).sync()
      #expect(try scans(other) == [Self.scan])
      #expect(await archive.fetched.count == 10)
    }
  }

  @Test func anEditOfAnotherPropertySendsNoBytesAgain() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let container = try Memo.container()
      try write(Self.scan, container)
      let engine = try engine(container, url)
      try await engine.sync()
      let context = ModelContext(container)
      for memo in try context.fetch(FetchDescriptor<Memo>()) { memo.text = "another title" }
      try context.save()
      try await engine.sync()
      #expect(await archive.sheets.values.map(\.text) == ["another title"])
      #expect(await archive.sent.count == 10)
      #expect(try await engine.unsynced().isEmpty)
    }
  }

  @Test func anUploadGoesOnAfterALostConnection() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let container = try Memo.container()
      try write(Self.scan, container)
      let engine = try engine(container, url)
      await archive.cut(after: 3)
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      await archive.mend()
      #expect(await archive.sheets.isEmpty)
      try await engine.sync()
      #expect(await archive.sheets.values.map { Data($0.bytes) } == [Self.scan])
      // Portions that arrived aren't sent again, those with a lost answer included.
      #expect(await archive.sent.map(\.offset) == Self.offsets)
    }
  }

  @Test func aDownloadGoesOnAfterALostConnection() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let (one, other) = (try Memo.container(), try Memo.container())
      try write(Self.scan, one)
      try await engine(one, url).sync()
      let engine = try engine(other, url)
      await archive.cut(after: 4)
      do { try await engine.sync() } catch is SyncFailure {
        // Whether the exchange counts as failed makes no difference here.
      }
      #expect(try scans(other) == [])
      let before = await archive.fetched.count
      #expect(before < 10)
      await archive.mend()
      try await engine.sync()
      #expect(try scans(other) == [Self.scan])
      // Four portions had arrived.
      #expect(await archive.fetched.dropFirst(before).map(\.offset).first == 400_000)
      #expect(try await engine.unsynced().isEmpty)
    }
  }

  @Test func changedBytesAreNeverStored() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let (one, other) = (try Memo.container(), try Memo.container())
      try write(Self.scan, one)
      try await engine(one, url).sync()
      let engine = try engine(other, url)
      await archive.damage(by: 1)
      try await engine.sync()
      #expect(try scans(other) == [])
      await archive.damage(by: 0)
      try await engine.sync()
      #expect(try scans(other) == [Self.scan])
    }
  }

  @Test func bytesWithAnotherDigestAreDiscarded() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let transport = transport(url)
      let attachment = try #require(
        SyncAttachment(sha256: String(repeating: "ab", count: 32), byteCount: 20_000))
      let half = [UInt8](repeating: 7, count: 10_000)
      #expect(try await transport.upload(half, of: attachment, at: 0, client: "c") == 10_000)
      // A repeated portion isn't taken twice.
      #expect(try await transport.upload(half, of: attachment, at: 0, client: "c") == 10_000)
      #expect(try await transport.upload(half, of: attachment, at: 10_000, client: "c") == 0)
      let reference = SyncAttachmentReference(SyncObjectID("Memo", "k"), "scan", attachment)
      #expect(try await transport.missing([reference], client: "c") == [attachment: 0])
    }
  }

  @Test(arguments: [true, false]) func aRefusedAttachmentStaysWithTheServersReason(
    isTooLarge: Bool
  ) async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let container = try Memo.container()
      try write(isTooLarge ? Data(count: 2_000_001) : Self.scan, container)
      try write(nil, container)
      if !isTooLarge { await archive.refuse(SyncFailure(.refused, "no scans\u{1B} here")) }
      let engine = try engine(container, url)
      try await engine.sync()
      // The other memo isn't held up.
      #expect(await archive.sheets.count == 1)
      let unsynced = try await engine.unsynced()
      guard case .quarantined(let quarantine) = unsynced.first?.status,
        case .rejected(let rejection) = quarantine.reason
      else {
        Issue.record("not refused: \(unsynced)")
        return
      }
      #expect(
        rejection
          == (isTooLarge
            ? SyncRejection(
              code: "attachmentTooLarge",
              message: "The server takes no attachment of more than 2000000 bytes")
            : SyncRejection(code: "attachmentRefused", message: "no scans\u{FFFD} here")))
      await archive.refuse(nil)
      if !isTooLarge {
        try await engine.retryQuarantined()
        try await engine.sync()
        #expect(await archive.sheets.count == 2)
      }
    }
  }

  @Test func aPutThatLacksItsBytesIsRepeatedAfterThem() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let container = try Memo.container()
      try write(Self.scan, container)
      await archive.forgetUploads()
      let engine = try engine(container, url)
      // An exchange in which the server answers nothing is repeated after a pause.
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(await archive.sheets.isEmpty)
      try await engine.sync()
      #expect(await archive.puts.count == 2)
      #expect(await archive.sent.count == 20)
      #expect(await archive.sheets.values.map { Data($0.bytes) } == [Self.scan])
      #expect(try await engine.unsynced().isEmpty)
    }
  }

  @Test func aServerWithoutTheEndpointsGetsBase64() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let (one, other) = (try Memo.container(), try Memo.container())
      try write(Self.scan, one)
      try await engine(one, url, attachments: nil).sync()
      #expect(
        await archive.sheets.values.map(\.scan) == [.text(Self.scan.base64EncodedString())])
      #expect(await archive.sent.isEmpty)
      try await engine(other, url, attachments: nil).sync()
      #expect(try scans(other) == [Self.scan])
    }
  }

  @Test func aCollectionThatTheServerLacksLeavesObjectsAsTheyAre() async throws {
    let archive = ScanArchive()
    try await archive.serve { url in
      let container = try Memo.container()
      try write(Self.scan, container)
      let engine = try engine(container, url)
      try await engine.sync()
      await archive.hide(true)
      try await engine.sync()
      #expect(try scans(container) == [Self.scan])
      await archive.hide(false)
      try await engine.sync()
      #expect(try scans(container) == [Self.scan])
    }
  }
}
