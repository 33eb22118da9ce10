import Foundation
import SwiftData
import SwiftDataSync

/// The model that the killed program writes.
@Model
public final class Tally {
  @Attribute(.unique) public var number: Int
  public var count: Int
  /// The picture of every third tally; it is sent to the server in several portions.
  @Attribute(.externalStorage) public var picture: Data?

  public init(number: Int) {
    self.number = number
    count = 0
    if number % 3 == 0 {
      picture = Data(repeating: UInt8(truncatingIfNeeded: number), count: 60_000)
    }
  }
}

/// The stores of a client and of a server, as files, in one process.
public struct TallyStores {
  public let client: ModelContainer
  public let server: ModelContainer
  public let engine: SyncEngine

  /// - Parameter folder: The folder of the files.
  public init(in folder: URL) throws {
    func open(_ name: String) throws -> ModelContainer {
      try ModelContainer(
        for: Tally.self,
        configurations: ModelConfiguration(url: folder.appending(path: "\(name).store")))
    }
    client = try open("client")
    server = try open("server")
    let models = [SyncedModel(Tally.self, key: \.number)]
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.maximumBatch = 3
    var attachments = SyncAttachmentLimits()
    attachments.portion = 10_000
    engine = try SyncEngine(
      client, models: models,
      transport: LocalSyncTransport(
        try SyncServer(server, models: models, rules: .everyoneSeesEverything), user: "ann"),
      timing: timing, attachments: attachments)
  }
}
