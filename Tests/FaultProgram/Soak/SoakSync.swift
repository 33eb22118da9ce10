import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import TestSupport

/// A connection to a server in the same process that occasionally fails, before a request or before its answer.
final class CutLine: SyncAttachmentTransport {
  private let line: LocalSyncTransport
  private struct State {
    var random: SeededGenerator
    /// One in `rate` exchanges fails; 0 for none.
    var rate = 12
    var cuts = 0
  }
  private let state: Mutex<State>

  init(_ server: SyncServer, user: String, seed: UInt64) {
    line = LocalSyncTransport(server, user: user)
    state = Mutex(State(random: SeededGenerator(spreading: seed)))
  }

  var cuts: Int { state.withLock(\.cuts) }

  func isCut(_ rate: Int) { state.withLock { $0.rate = rate } }

  private func cut() throws {
    try state.withLock { state in
      guard state.rate > 0, state.random.number(1...state.rate) == 1 else { return }
      state.cuts += 1
      throw SyncFailure(.offline, "the line was cut")
    }
  }

  private func exchange<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    try cut()
    let answer = try await body()
    try cut()
    return answer
  }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await exchange { try await line.push(changes, client: client) }
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await exchange { try await line.pull(after: cursor, client: client) }
  }

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await exchange { try await line.missing(references, client: client) }
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await exchange {
      try await line.upload(bytes, of: attachment, at: offset, client: client)
    }
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try await exchange {
      try await line.download(reference, from: offset, length: length, client: client)
    }
  }
}

/// Two devices and a server, with connections that fail.
@MainActor
final class SoakSync: SoakPart {
  private struct Device {
    let container: ModelContainer
    let engine: SyncEngine
    let line: CutLine
  }

  private let server: ModelContainer
  private let service: SyncServer
  private let devices: [Device]
  private var (edits, rounds) = (0, 0)
  private static let numbers = 200

  init(_ folder: URL) throws {
    func open(_ name: String) throws -> ModelContainer {
      var configuration = ModelConfiguration(
        url: folder.appending(path: "\(name)/\(name).store"))
      configuration.historyRetention = HistoryRetention(
        maximumAge: nil, maximumSize: 1 << 20, maximumUnreadAge: nil, maximumUnreadSize: 1 << 20)
      return try ModelContainer(
        for: Schema([Sheet.self, Binder.self]), configurations: [configuration])
    }
    let models = [SyncedModel(Binder.self, key: \.name), SyncedModel(Sheet.self, key: \.number)]
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.maximumBatch = 20
    var attachments = SyncAttachmentLimits()
    attachments.portion = 40_000
    // Received bytes of attachments that no object uses in the end are removed during the run.
    attachments.pendingAge = 60
    let store = try open("server")
    let service = try SyncServer(
      store, models: models, rules: .everyoneSeesEverything, attachments: attachments)
    (server, self.service) = (store, service)
    devices = try ["ann", "bob"].enumerated().map { number, name in
      let container = try open(name)
      let line = CutLine(service, user: name, seed: UInt64(number + 1))
      let engine = try SyncEngine(
        container, models: models, transport: line, timing: timing, attachments: attachments)
      return Device(container: container, engine: engine, line: line)
    }
  }

  func turn(_ random: inout SeededGenerator) async throws {
    for device in devices {
      let context = ModelContext(device.container)
      var ledger = SoakLedger(0..<Self.numbers)
      for _ in 0..<random.number(1...6) {
        let (number, value) = ledger.choose(&random)
        try context.apply(number, random.number(1...6) == 1 ? nil : value)
        edits += 1
      }
      try context.save()
      // The next round continues where this one was interrupted.
      do { try await device.engine.sync() } catch is SyncFailure {}
      rounds += 1
    }
  }

  /// Syncs without failures until nothing waits, and compares all three stores.
  func check() async throws {
    for device in devices { device.line.isCut(0) }
    defer { for device in devices { device.line.isCut(12) } }
    for _ in 1...3 { for device in devices { try await device.engine.sync() } }
    let wanted = try Self.contents(server)
    for device in devices {
      let waiting = try await device.engine.unsynced()
      guard waiting.isEmpty else { throw Finding("sync: \(waiting.count) changes still wait") }
      guard try Self.contents(device.container) == wanted else {
        throw Finding("sync: a device differs from the server")
      }
    }
    // Both devices are up to date: the data kept for absent devices can be deleted.
    try await service.forgetTombstones(before: Date())
    try await service.forgetAnswers(before: Date())
  }

  private struct Row: Hashable {
    let revision: Int
    let text: String
    let picture: UInt64?
    let binder: Int?
  }

  private static func contents(_ container: ModelContainer) throws -> [Int: Row] {
    let sheets = try ModelContext(container).fetch(FetchDescriptor<Sheet>())
    return Dictionary(
      uniqueKeysWithValues: sheets.map { sheet in
        let row = Row(
          revision: sheet.revision, text: sheet.text, picture: sheet.picture.map(Digest.of),
          binder: sheet.binder?.name)
        return (sheet.number, row)
      })
  }

  var figures: String {
    let cuts = devices.reduce(0) { $0 + $1.line.cuts }
    return "\(edits) edits of two devices in \(rounds) rounds of sync, \(cuts) cut"
  }
}
