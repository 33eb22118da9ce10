import Foundation
import SwiftData
import SyncSimulation
import TestSupport
import Testing

@testable import SwiftDataSync

@Suite struct AttachmentTests {
  private func server(_ file: URL? = nil) throws -> SyncServer {
    try SyncServer(
      try Photographer.container(file), models: Photographer.models,
      rules: .everyoneSeesEverything, attachments: Photographer.limits)
  }

  // MARK: Separate transfer

  @Test(arguments: [true, false]) func largeValuesGoApartFromTheOthers(inFiles: Bool) async throws {
    try await withTemporaryFolder { folder in
      func file(_ name: String) -> URL? { inFiles ? folder.appending(path: name) : nil }
      let container = try Photographer.container(file("server.store"))
      let server = try SyncServer(
        container, models: Photographer.models, rules: .everyoneSeesEverything)
      let ann = try Photographer(server, at: file("ann.store"))
      let bob = try Photographer(server, user: "bob", at: file("bob.store"))
      let images: [Int: Data?] = [
        1: bytes(250_000, 1), 2: bytes(SyncAttachment.threshold + 1, 2),
        3: bytes(SyncAttachment.threshold, 3), 4: nil, 5: Data(),
      ]
      for (number, image) in images { try ann.add(number, image) }
      try await ann.engine.sync()
      try await bob.engine.sync()
      #expect(try Photographer.images(container) == images)
      #expect(try bob.images() == images)
      #expect(ann.line.log.uploaded == 250_000 + SyncAttachment.threshold + 1)
      #expect(bob.line.log.downloaded == ann.line.log.uploaded)
      let sent = ann.line.log.pushes.flatMap(\.self)
      let photos = sent.filter { $0.object.entity == "Photo" }
      let values = try #require(photos.first { $0.object.key == "1" }?.values)
      let attachment = try #require(values["image"].flatMap(SyncAttachment.init))
      #expect(attachment.byteCount == 250_000)
      #expect(photos.first { $0.object.key == "3" }?.values?["image"]?.text?.utf8.count == 21_848)
      #expect(photos.first { $0.object.key == "4" }?.values?["image"] == .null)
      // A received value isn't stored a second time.
      #expect(filesOnTheWay(in: folder) == [])
      for peer in [ann, bob] { #expect(try await peer.engine.unsynced().isEmpty) }
    }
  }

  @Test func editsOfOtherPropertiesSendNoBytesAgain() async throws {
    let server = try server()
    let (ann, bob) = (try Photographer(server), try Photographer(server))
    try ann.add(1, bytes(50_000))
    try await ann.engine.sync()
    try await bob.engine.sync()
    try bob.edit(photo: 1) { $0.title = "another" }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(bob.line.log.uploaded == 0)
    #expect(ann.line.log.uploaded == 50_000)
    #expect(ann.line.log.downloaded == 0)
    #expect(try ann.images() == [1: bytes(50_000)])
    try bob.edit(photo: 1) { $0.image = nil }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try ann.images() == [1: nil])
  }

  @Test func aServerTakesThemAmongTheValuesToo() async throws {
    let server = try server()
    let schema = Schema([Album.self, Photo.self])
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    let line = Line(LocalSyncTransport(server, user: "ann"))
    let engine = try SyncEngine(
      container, models: Photographer.models, transport: line, timing: Fixture.timing)
    let context = ModelContext(container)
    context.insert(Photo(1, "one", bytes(40_000), in: Album(1, "all")))
    try context.save()
    try await engine.sync()
    let sent = line.pushes.flatMap(\.self).first { $0.object.entity == "Photo" }
    #expect(sent?.values?["image"] == .text(bytes(40_000).base64EncodedString()))
    let bob = try Photographer(server)
    try await bob.engine.sync()
    #expect(try bob.images() == [1: bytes(40_000)])
  }

  // MARK: Resuming

  @Test func anUploadGoesOnWhereItStopped() async throws {
    try await withTemporaryFolder { folder in
      let container = try Photographer.container(folder.appending(path: "server.store"))
      let file = folder.appending(path: "ann.store")
      do {
        let ann = try Photographer(
          try SyncServer(container, models: Photographer.models, rules: .everyoneSeesEverything),
          at: file)
        try ann.add(1, bytes(250_000))
        ann.line.cut(after: 5)
        await #expect(throws: SyncFailure.self) { try await ann.engine.sync() }
        #expect(ann.line.log.pushes.isEmpty)
      }
      // Both sides are restarted.
      let ann = try Photographer(
        try SyncServer(container, models: Photographer.models, rules: .everyoneSeesEverything),
        at: file)
      try await ann.engine.sync()
      #expect(ann.line.log.uploaded == 250_000 - 5 * Photographer.portion)
      #expect(try Photographer.images(container) == [1: bytes(250_000)])
      #expect(filesOnTheWay(in: folder) == [])
    }
  }

  @Test func pausesDoNotGrowWhileAttachmentsAreSent() async throws {
    let container = try Photographer.container()
    let line = Porter(try server(), user: "ann")
    var timing = SyncTiming()
    // No attempt but the requested ones.
    timing.baseDelay = .seconds(1_000_000)
    timing.maximumDelay = .seconds(1_000_000)
    let engine = try SyncEngine(
      container, models: Photographer.models, transport: line, timing: timing,
      attachments: Photographer.limits)
    let context = ModelContext(container)
    let album = Album(1, "all")
    for number in 1...4 {
      context.insert(Photo(number, "one", bytes(18_000, UInt64(number)), in: album))
    }
    try context.save()
    line.cut(after: 0)
    for failures in 1...3 {
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(await engine.machine.failures == failures)
    }
    // Each attempt sends one of them.
    for _ in 1...3 {
      line.cut(after: 1)
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      #expect(await engine.machine.failures == 1)
    }
    line.mend()
    try await engine.sync()
    #expect(await engine.machine.failures == 0)
    #expect(line.log.uploaded == 4 * 18_000)
  }

  @Test func aDownloadGoesOnWhereItStopped() async throws {
    try await withTemporaryFolder { folder in
      let server = try server()
      let ann = try Photographer(server)
      try ann.add(1, bytes(250_000))
      try await ann.engine.sync()
      let file = folder.appending(path: "bob.store")
      do {
        let bob = try Photographer(server, at: file)
        bob.line.cut(after: 4)
        try await bob.engine.sync()
        #expect(try bob.images() == [:])
        #expect(try await bob.reason(1) == .attachments(properties: ["image"]))
      }
      let bob = try Photographer(server, at: file)
      try await bob.engine.sync()
      #expect(bob.line.log.downloaded == 250_000 - 4 * Photographer.portion)
      #expect(try bob.images() == [1: bytes(250_000)])
      #expect(try await bob.engine.unsynced().isEmpty)
      #expect(filesOnTheWay(in: folder) == [])
    }
  }

  @Test func progressIsReportedAndEnds() async throws {
    let server = try server()
    let ann = try Photographer(server)
    try ann.add(1, bytes(100_000))
    let seen = Task {
      var transfers: [SyncTransfer] = []
      for await state in ann.engine.status.states {
        if let transfer = state.transfer { transfers.append(transfer) }
        if state.lastPull != nil, state.activity == .idle { break }
      }
      return transfers
    }
    try await ann.engine.sync()
    let transfers = await seen.value
    #expect(
      transfers.allSatisfy { $0.isUpload && $0.property == "image" && $0.byteCount == 100_000 })
    #expect(ann.engine.status.state.transfer == nil)
  }

  // MARK: Missing bytes

  @Test func bytesThatAreNotThePromisedOnesAreThrownAway() async throws {
    let server = try server()
    let (ann, bob) = (try Photographer(server), try Photographer(server))
    try ann.add(1, bytes(50_000))
    try await ann.engine.sync()
    bob.line.change { $0.map { $0 ^ 1 } }
    try await bob.engine.sync()
    #expect(try bob.images() == [:])
    #expect(try await bob.reason(1) == .attachments(properties: ["image"]))
    bob.line.change { $0 + $0 + $0 }
    try await bob.engine.sync()
    #expect(try bob.images() == [:])
    bob.line.change { _ in [] }
    try await bob.engine.sync()
    #expect(try bob.images() == [:])
    bob.line.change { $0 }
    try await bob.engine.sync()
    #expect(try bob.images() == [1: bytes(50_000)])
  }

  @Test func anAttachmentThatDoesNotComeKeepsNothingElseBack() async throws {
    let server = try server()
    let (ann, bob) = (try Photographer(server), try Photographer(server))
    try ann.add(1, bytes(50_000, 1))
    try ann.add(2, nil)
    try await ann.engine.sync()
    bob.line.cut(after: 1, SyncFailure(.server, "500"))
    try await bob.engine.sync()
    #expect(try bob.images() == [2: nil])
    #expect(try await bob.reason(1) == .attachments(properties: ["image"]))
    // An edit on the other side while this one waits: the latest value arrives.
    try ann.edit(photo: 1) { $0.image = bytes(60_000, 3) }
    try await ann.engine.sync()
    bob.line.mend()
    try await bob.engine.sync()
    #expect(try bob.images() == [1: bytes(60_000, 3), 2: nil])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func aModelThatWaitsForItsParentKeepsItsBytes() async throws {
    try await withTemporaryFolder { folder in
      let server = try server()
      let ann = try Photographer(server)
      try ann.add(1, bytes(150_000))
      try await ann.engine.sync()
      // The album now has a higher version than its photo.
      try ann.edit { context in
        for album in try context.fetch(FetchDescriptor<Album>()) { album.name = "renamed" }
      }
      try await ann.engine.sync()
      let file = folder.appending(path: "bob.store")
      do {
        let bob = try Photographer(server, at: file)
        bob.line.page(of: 1)
        let first = try await bob.line.pull(after: nil, client: "look")
        #expect(first.changes.map(\.object.entity) == ["Photo"])
        try await bob.engine.sync()
        #expect(try bob.images() == [1: bytes(150_000)])
      }
      #expect(filesOnTheWay(in: folder) == [])
    }
  }

  // MARK: Concurrent edits

  @Test func anEditWhileTheBytesAreUnderWayIsSentNext() async throws {
    let container = try Photographer.container()
    let server = try SyncServer(
      container, models: Photographer.models, rules: .everyoneSeesEverything)
    let ann = try Photographer(server)
    try ann.add(1, bytes(100_000, 1))
    ann.line.afterUpload { try ann.edit(photo: 1) { $0.image = bytes(90_000, 2) } }
    try await ann.engine.sync()
    #expect(try Photographer.images(container) == [1: bytes(90_000, 2)])
    #expect(try ann.images() == [1: bytes(90_000, 2)])
    // The first bytes were still available, so their upload was completed.
    #expect(ann.line.log.uploaded == 190_000)
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func anAnswerThatIsLostSendsNoBytesAgain() async throws {
    let container = try Photographer.container()
    let ann = try Photographer(
      try SyncServer(container, models: Photographer.models, rules: .everyoneSeesEverything))
    try ann.add(1, bytes(100_000, 1))
    ann.line.loseAnswer()
    await #expect(throws: SyncFailure.self) { try await ann.engine.sync() }
    try ann.edit(photo: 1) { $0.image = bytes(80_000, 2) }
    try await ann.engine.sync()
    #expect(ann.line.log.uploaded == 180_000)
    #expect(try Photographer.images(container) == [1: bytes(80_000, 2)])
    #expect(try await ann.engine.conflicts().isEmpty)
  }

  @Test(arguments: [true, false])
  func aConflictLeavesOneOfBothImagesEverywhere(serverWins: Bool) async throws {
    let container = try Photographer.container()
    let server = try SyncServer(
      container, models: Photographer.models, rules: .everyoneSeesEverything)
    let ann = try Photographer(server)
    let bob = try Photographer(server, policy: serverWins ? .serverWins : .clientWins)
    try ann.add(1, bytes(30_000, 1))
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit(photo: 1) { $0.image = bytes(40_000, 2) }
    try bob.edit(photo: 1) { $0.image = bytes(50_000, 3) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try await ann.engine.sync()
    let expected = serverWins ? bytes(40_000, 2) : bytes(50_000, 3)
    #expect(try bob.images() == [1: expected])
    #expect(try ann.images() == [1: expected])
    #expect(try Photographer.images(container) == [1: expected])
    #expect(try await bob.engine.conflicts().count == 1)
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func anAnswerCountsThoughItsAttachmentsCannotBeFetched() async throws {
    let server = try server()
    let (ann, bob) = (try Photographer(server), try Photographer(server))
    try ann.add(1, bytes(30_000, 1))
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit(photo: 1) { $0.image = bytes(40_000, 2) }
    try bob.edit(photo: 1) { $0.image = bytes(50_000, 3) }
    try await ann.engine.sync()
    // Bob's upload succeeds; the download of the conflict's other side fails.
    bob.line.cut(after: 3, SyncFailure(.authentication, "who?"))
    await #expect(throws: SyncFailure.self) { try await bob.engine.sync() }
    #expect(try bob.images() == [1: bytes(50_000, 3)])
    bob.line.mend()
    await bob.engine.resume()
    try await bob.engine.sync()
    #expect(bob.line.log.pushes.count == 1)
    #expect(try bob.images() == [1: bytes(40_000, 2)])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  // MARK: Limits

  @Test func anAttachmentThatTheServerRefusesIsSetAsideAlone() async throws {
    let container = try Photographer.container()
    var limits = SyncAttachmentLimits()
    limits.maximumByteCount = 60_000
    let server = try SyncServer(
      container, models: Photographer.models, rules: .everyoneSeesEverything, attachments: limits)
    let ann = try Photographer(server)
    try ann.add(1, bytes(60_001))
    try ann.add(2, bytes(60_000))
    try await ann.engine.sync()
    guard case .rejected(let rejection) = try await ann.reason(1) else {
      Issue.record("the large photo isn't set aside")
      return
    }
    #expect(rejection.code == "attachmentTooLarge")
    #expect(try Photographer.images(container) == [2: bytes(60_000)])
    try ann.edit(photo: 1) { $0.image = bytes(59_000) }
    try await ann.engine.sync()
    #expect(try Photographer.images(container) == [1: bytes(59_000), 2: bytes(60_000)])
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func aPageHasNoMoreBytesThanMemory() async throws {
    let container = try Photographer.container()
    let context = ModelContext(container)
    let album = Album(1, "all")
    context.insert(album)
    try context.save()
    var limits = Photographer.limits
    limits.batchByteCount = 100_000
    let server = try SyncServer(
      container, models: Photographer.models, rules: .everyoneSeesEverything, attachments: limits)
    for number in 1...5 {
      context.insert(Photo(number, "large", bytes(30_000, UInt64(number)), in: album))
      try context.save()
    }
    var cursor: String?
    var pages: [SyncPage] = []
    repeat {
      let page = try await server.pull(after: cursor, user: "ann")
      pages.append(page)
      cursor = page.cursor
    } while pages.last?.hasMore ?? false
    // The album with four photos, and the fifth photo.
    #expect(pages.map(\.changes.count) == [5, 1])
    let ann = try Photographer(server)
    try await ann.engine.sync()
    #expect(try ann.images().count == 5)
    // A push has a limit, too.
    for number in 1...5 {
      try ann.edit(photo: number) { $0.image = bytes(40_000, 5 + UInt64(number)) }
    }
    try await ann.engine.sync()
    #expect(ann.line.log.pushes.map(\.count) == [3, 2])
  }
}
