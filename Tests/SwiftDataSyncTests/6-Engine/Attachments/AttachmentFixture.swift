import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import SyncSimulation
import Synchronization
import Testing

@Model final class Album {
  @Attribute(.unique) var number: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Photo.album) var photos: [Photo] = []

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }
}

@Model final class Photo {
  @Attribute(.unique) var number: Int
  var title: String
  @Attribute(.externalStorage) var image: Data?
  var album: Album

  init(_ number: Int, _ title: String, _ image: Data?, in album: Album) {
    self.number = number
    self.title = title
    self.image = image
    self.album = album
  }
}

/// A connection to a server in the same process that carries attachments, fails on request, and counts.
final class Porter: SyncAttachmentTransport {
  struct Log: Sendable {
    var pushes: [[SyncChange]] = []
    var uploaded = 0
    var downloaded = 0
  }

  private struct State: Sendable {
    var log = Log()
    /// The number of portions before the failure.
    var portionsLeft = Int.max
    var failure = SyncFailure(.offline, "cut")
    var changeDownload: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var afterUpload: (@Sendable () throws -> Void)?
    var limit = 1_000
    var isPushLost = false
  }

  private let server: SyncServer
  private let line: LocalSyncTransport
  private let user: String
  private let state = Mutex(State())

  init(_ server: SyncServer, user: String) {
    self.server = server
    self.user = user
    line = LocalSyncTransport(server, user: user)
  }

  var log: Log { state.withLock { $0.log } }

  /// Lets a number of portions through from now on, and then fails.
  func cut(after portions: Int, _ failure: SyncFailure = SyncFailure(.offline, "cut")) {
    state.withLock { ($0.portionsLeft, $0.failure) = (portions, failure) }
  }

  func mend() { state.withLock { $0.portionsLeft = .max } }

  func change(_ body: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    state.withLock { $0.changeDownload = body }
  }

  /// Calls `body` after the next portion that is sent.
  func afterUpload(_ body: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.afterUpload = body }
  }

  func page(of limit: Int) { state.withLock { $0.limit = limit } }

  /// Makes the server receive the next push, and its answer get lost.
  func loseAnswer() { state.withLock { $0.isPushLost = true } }

  private func portion() throws {
    try state.withLock { state in
      guard state.portionsLeft > 0 else { throw state.failure }
      state.portionsLeft -= 1
    }
  }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    state.withLock { $0.log.pushes.append(changes) }
    let answer = try await line.push(changes, client: client)
    let isLost = state.withLock { state in
      defer { state.isPushLost = false }
      return state.isPushLost
    }
    if isLost { throw SyncFailure(.offline, "the answer is lost") }
    return answer
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await server.pull(after: cursor, user: user, limit: state.withLock { $0.limit })
  }

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await line.missing(references, client: client)
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try portion()
    let next = try await line.upload(bytes, of: attachment, at: offset, client: client)
    let body = state.withLock { state in
      state.log.uploaded += bytes.count
      defer { state.afterUpload = nil }
      return state.afterUpload
    }
    try body?()
    return next
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try portion()
    let bytes = try await line.download(reference, from: offset, length: length, client: client)
    return state.withLock { state in
      state.log.downloaded += bytes?.count ?? 0
      return bytes.map(state.changeDownload)
    }
  }
}

/// A store of photos with its engine and a connection to the server.
struct Photographer: Sendable {
  let container: ModelContainer
  let engine: SyncEngine
  let line: Porter

  static let models = [
    SyncedModel(Album.self, key: \.number), SyncedModel(Photo.self, key: \.number),
  ]
  static let portion = 20_000

  static func container(_ file: URL? = nil) throws -> ModelContainer {
    let schema = Schema([Album.self, Photo.self])
    guard let file else { return try memoryContainer(for: schema) }
    return try ModelContainer(
      for: schema, configurations: [ModelConfiguration(schema: schema, url: file)])
  }

  static var limits: SyncAttachmentLimits {
    var limits = SyncAttachmentLimits()
    limits.portion = portion
    limits.batchByteCount = 100_000
    return limits
  }

  init(
    _ server: SyncServer, user: String = "ann", policy: SyncPolicy = .serverWins,
    at file: URL? = nil
  ) throws {
    container = try Self.container(file)
    line = Porter(server, user: user)
    engine = try SyncEngine(
      container,
      models: [
        SyncedModel(Album.self, key: \.number, policy: policy),
        SyncedModel(Photo.self, key: \.number, policy: policy),
      ], transport: line, timing: Fixture.timing, attachments: Self.limits)
  }

  func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  /// Adds a photo to the album with number 1.
  func add(_ number: Int, _ image: Data?) throws {
    try edit { context in
      let albums = try context.fetch(FetchDescriptor<Album>())
      let album = albums.first ?? Album(1, "all")
      context.insert(Photo(number, "photo \(number)", image, in: album))
    }
  }

  func edit(photo number: Int, _ body: (Photo) -> Void) throws {
    try edit { context in
      let found = try context.fetch(
        FetchDescriptor<Photo>(predicate: #Predicate { $0.number == number }))
      for photo in found { body(photo) }
    }
  }

  /// Returns the images by number.
  func images() throws -> [Int: Data?] { try Self.images(container) }

  static func images(_ container: ModelContainer) throws -> [Int: Data?] {
    let photos = try ModelContext(container).fetch(FetchDescriptor<Photo>())
    return Dictionary(uniqueKeysWithValues: photos.map { ($0.number, $0.image) })
  }

  func reason(_ number: Int) async throws -> SyncQuarantine.Reason? {
    let status = try await engine.status(of: SyncObjectID("Photo", String(number)))
    if case .quarantined(let quarantine) = status { return quarantine.reason }
    return nil
  }
}

/// Returns all files of incomplete attachments below a folder.
func filesOnTheWay(in folder: URL) -> [String] {
  (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
    .filter { path in
      let parts = path.split(separator: "/")
      return parts.dropLast().contains { $0 == "sync" || $0.hasPrefix("sync-") }
        && parts.last.map { $0.hasSuffix(".part") || $0.count == 64 } ?? false
    }
    .filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: folder.appending(path: path).path, isDirectory: &isFolder)
      return !isFolder.boolValue
    }
}
