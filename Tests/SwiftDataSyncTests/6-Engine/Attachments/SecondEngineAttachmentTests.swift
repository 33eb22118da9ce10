import Foundation
import StoreTesting
import SwiftData
import SyncSimulation
import Synchronization
import TestSupport
import Testing

@testable import SwiftDataSync

extension SyncEngine {
  fileprivate var folder: AttachmentFolder? { storage.access.attachments }
}

/// Attachments of two engines on one store, as in two processes.
@Suite struct SecondEngineAttachmentTests {
  private func bytes(_ count: Int, _ seed: UInt8) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ seed })
  }

  @Test func aPageThatIsRequestedAgainFetchesNoAttachmentAgain() async throws {
    let server = try SyncServer(
      Photographer.container(), models: Photographer.models, rules: .everyoneSeesEverything)
    let ann = try Photographer(server)
    try ann.add(1, bytes(50_000, 1))
    try await ann.engine.sync()
    let container = try Photographer.container()
    func engine(_ transport: any SyncTransport) throws -> SyncEngine {
      try SyncEngine(
        container, models: Photographer.models, transport: transport, timing: Fixture.timing,
        attachments: Photographer.limits)
    }
    let pusher = try engine(LateTransport(Porter(server, user: "ann")) { _ in nil })
    let porter = Porter(server, user: "ann")
    let late = LateTransport(porter) { number in
      var page = try await porter.pull(after: nil, client: "late")
      (page.cursor, page.coverage) = ("", .full())
      if number <= 3 {
        let context = ModelContext(container)
        context.insert(Album(10 + number, "another"))
        try context.save()
        try await pusher.sync()
      }
      return page
    }
    let puller = try engine(late)
    try await puller.sync()
    #expect(late.pulls > 3)
    #expect(try Photographer.images(container) == [1: bytes(50_000, 1)])
    #expect(porter.log.downloaded == 50_000)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Album>()) == 4)
  }

  @Test(.enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func anotherEngineLeavesWhatIsFetchedForAPage() async throws {
    try await withTemporaryFolder { folder in
      let server = try SyncServer(
        Photographer.container(), models: Photographer.models, rules: .everyoneSeesEverything)
      let other = try Photographer(server, at: folder.appending(path: "a.store"))
      let attachments = try #require(await other.engine.folder)
      let fetched = FetchedAttachments(attachments)
      let data = [UInt8](bytes(50_000, 1))
      let attachment = SyncAttachment(of: data)
      #expect(try fetched.append(data, to: attachment, at: 0) == data.count)
      try other.add(1, bytes(30_000, 2))
      try await other.engine.sync()
      #expect(try attachments.has(attachment))
      // What is kept now goes as others' files do.
      try fetched.release(keeping: [attachment.sha256])
      #expect(try attachments.has(attachment))
      try other.edit(photo: 1) { $0.title = "another" }
      try await other.engine.sync()
      #expect(try attachments.isEmpty)
      #expect(try fetched.append(data, to: attachment, at: 0) == data.count)
      try fetched.release(keeping: [])
      #expect(try attachments.isEmpty)
    }
  }
}

/// A transport with other pages: none of nil.
private final class LateTransport: SyncAttachmentTransport {
  private let line: Porter
  private let page: @Sendable (_ number: Int) async throws -> SyncPage?
  private let count = Mutex(0)

  init(_ line: Porter, page: @escaping @Sendable (_ number: Int) async throws -> SyncPage?) {
    self.line = line
    self.page = page
  }

  var pulls: Int { count.withLock(\.self) }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await line.push(changes, client: client)
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return try await page(number)
      ?? SyncPage(changes: [], cursor: cursor ?? "", hasMore: false, coverage: .delta)
  }

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await line.missing(references, client: client)
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await line.upload(bytes, of: attachment, at: offset, client: client)
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try await line.download(reference, from: offset, length: length, client: client)
  }
}
