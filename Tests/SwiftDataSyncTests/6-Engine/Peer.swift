import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync

/// A store of any models with its engine, and a server in the same process.
struct Peer: Sendable {
  let container: ModelContainer
  let engine: SyncEngine
  let line: Line

  static func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
    try memoryContainer(for: Schema(types))
  }

  /// - Parameters:
  ///   - limit: The number of objects per page.
  ///   - batch: The maximum number of changes that are sent together; nil for the usual one.
  init(
    _ server: SyncServer, _ types: [any PersistentModel.Type], _ models: [SyncedModel],
    user: String = "ann", limit: Int = 1_000, batch: Int? = nil
  ) throws {
    container = try Self.container(types)
    line = Line(PagedTransport(server, limit: limit, user: user))
    var timing = Fixture.timing
    if let batch { timing.maximumBatch = batch }
    engine = try SyncEngine(container, models: models, transport: line, timing: timing)
  }

  func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  func all<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
    try ModelContext(container).fetch(FetchDescriptor<Model>())
  }

  /// Returns the last sent values of an entity.
  func sent(_ entity: String) -> SyncValues? {
    line.pushes.flatMap(\.self).last { $0.object.entity == entity }?.values
  }
}

/// A transport with small pages.
struct PagedTransport: SyncTransport {
  let server: SyncServer
  let limit: Int
  let user: String

  init(_ server: SyncServer, limit: Int, user: String = "ann") {
    self.server = server
    self.limit = limit
    self.user = user
  }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await server.push(changes, client: client, user: user)
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await server.pull(after: cursor, user: user, limit: limit)
  }
}
