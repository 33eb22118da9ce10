import Foundation
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

struct Branch: Codable, Equatable {
  var branches: [Branch] = []

  /// A list whose JSON has two levels for each generation, and one more.
  static func list(_ count: Int) -> [Branch] {
    (0..<count).reduce([]) { branches, _ in [Branch(branches: branches)] }
  }
}

@Model final class Bush {
  @Attribute(.unique) var number: Int
  var branches: [Branch] = []

  init(_ number: Int, _ branches: [Branch] = []) {
    self.number = number
    self.branches = branches
  }
}

/// A server of resources that takes any JSON.
private actor Bushes {
  private(set) var documents: [String: SyncValue]

  init(_ documents: [String: SyncValue] = [:]) { self.documents = documents }

  private func put(_ key: String, _ document: SyncValue) { documents[key] = document }
  private func list() -> SyncValue { .object(["items": .list(Array(documents.values))]) }

  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let router = Router()
    router.get("bushes") { _, _ in
      Response(
        status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: await self.list().json)))
    }
    router.put("bushes/:key") { request, context in
      let body = try await request.body.collect(upTo: 10_000)
      let key = try context.parameters.require("key")
      await self.put(key, try SyncJSON.parse(body.readableBytesView))
      return Response(status: .noContent)
    }
    try await serving(router, body)
  }
}

/// Values of a REST server's resources whose JSON has many levels.
@Suite struct RESTDeepValueTests {
  private func device(_ url: URL) throws -> (ModelContainer, SyncEngine) {
    let container = try ModelContainer(
      for: Bush.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let resource = RESTResource(entity: "Bush", path: "bushes", list: "items") { element in
      guard case .object(let members) = element, case .integer(let number) = members["number"]
      else { return nil }
      return (String(number), members)
    }
    let engine = try SyncEngine(
      container, models: [SyncedModel(Bush.self, key: \.number)],
      transport: RESTSyncTransport(url, resources: [resource]))
    return (container, engine)
  }

  private func reason(_ engine: SyncEngine) async throws -> SyncQuarantine.Reason? {
    guard case .quarantined(let quarantine) = try await engine.status(of: SyncObjectID("Bush", "1"))
    else { return nil }
    return quarantine.reason
  }

  @Test(arguments: [29, 30, 40]) func aDeviceSendsNoTextInPlaceOfAValue(
    _ count: Int
  ) async throws {
    let bushes = Bushes()
    try await bushes.serve { url in
      let (container, engine) = try device(url)
      let context = ModelContext(container)
      context.insert(Bush(1, Branch.list(count)))
      context.insert(Bush(2))
      try context.save()
      try await engine.sync()
      let sent = await bushes.documents
      #expect(sent.keys.sorted() == (count < 30 ? ["1", "2"] : ["2"]))
      guard count >= 30 else { return }
      guard case .rejected(let rejection) = try await reason(engine) else {
        Issue.record("The change isn't set aside")
        return
      }
      #expect(rejection.code == "tooDeep" && rejection.message.contains("branches"))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bush>()) == 2)
    }
  }

  @Test(arguments: [60, 62, 64]) func anElementWithOneHoldsUpNoOther(_ levels: Int) async throws {
    let deep = (1..<levels).reduce(SyncValue.list([])) { value, _ in .list([value]) }
    let bushes = Bushes([
      "1": .object(["number": .integer(1), "branches": deep]),
      "2": .object(["number": .integer(2), "branches": .list([])]),
    ])
    try await bushes.serve { url in
      let (container, engine) = try device(url)
      try await engine.sync()
      let numbers = try ModelContext(container).fetch(FetchDescriptor<Bush>()).map(\.number)
      #expect(numbers == [2])
      #expect(try await reason(engine) == .unreadable)
    }
  }
}
