import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

@Model private final class Sight {
  @Attribute(.unique) var number: Int
  var isStarred = false

  init(_ number: Int) { self.number = number }
}

@Model private final class Remark {
  @Attribute(.unique) var name: String
  var text: String

  init(_ name: String) {
    self.name = name
    text = name
  }
}

/// A server of a set and of resources, in whose place a network answers for a while.
private actor Stage {
  private var stars: Set<String> = []
  private var remarks: [String: SyncValue] = [:]
  private var stranger: (status: Int, fields: [(String, String)], body: String)?
  private(set) var strangeRequests = 0

  func meet(_ status: Int, _ fields: [(String, String)], _ body: String) {
    stranger = (status, fields, body)
  }

  func leave() { stranger = nil }
  var stored: [[String]] { [stars.sorted(), remarks.keys.sorted()] }

  private func answer(_ own: () -> Response) -> Response {
    guard let stranger else { return own() }
    strangeRequests += 1
    var fields = HTTPFields()
    for (name, value) in stranger.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return Response(
      status: .init(code: stranger.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(string: stranger.body)))
  }

  private func list(_ values: [SyncValue]) -> Response {
    Response(
      status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: SyncValue.list(values).json)))
  }

  private func put(_ kind: String, _ key: String, _ document: SyncValue?) -> Response {
    answer {
      if kind == "stars" { stars.insert(key) } else { remarks[key] = document }
      return Response(status: .noContent)
    }
  }

  private func remove(_ kind: String, _ key: String) -> Response {
    answer {
      if kind == "stars" { stars.remove(key) } else { remarks[key] = nil }
      return Response(status: .noContent)
    }
  }

  private func all(_ kind: String) -> Response {
    answer {
      kind == "stars" ? list(stars.sorted().map { .text($0) }) : list(Array(remarks.values))
    }
  }

  nonisolated func serve(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let router = Router()
    for kind in ["stars", "remarks"] {
      router.get("\(kind)") { _, _ in await self.all(kind) }
      router.put("\(kind)/:key") { request, context in
        let bytes = try await request.body.collect(upTo: 10_000)
        let document =
          bytes.readableBytes == 0 ? nil : try SyncJSON.parse(bytes.readableBytesView)
        return await self.put(kind, try context.parameters.require("key"), document)
      }
      router.delete("\(kind)/:key") { _, context in
        await self.remove(kind, try context.parameters.require("key"))
      }
    }
    try await serving(router, body)
  }
}

@Suite struct StrangeNetworkTests {
  private static let page = "<!DOCTYPE html><title>Welcome to our network</title>"

  /// An answer of a network or proxy in place of the server.
  enum Stranger: CaseIterable {
    case page, pageWithoutType, missingPage, redirect, busy, overloaded, large, half, failing

    var answer: (status: Int, fields: [(String, String)], body: String) {
      switch self {
      case .page: (200, [("content-type", "text/html; charset=utf-8")], StrangeNetworkTests.page)
      case .pageWithoutType: (200, [], "\n  " + StrangeNetworkTests.page)
      case .missingPage: (404, [("content-type", "text/html")], StrangeNetworkTests.page)
      case .redirect: (302, [("location", "http://portal.invalid/login")], "")
      case .busy: (429, [("retry-after", "1")], "")
      case .overloaded: (503, [("retry-after", "99999999999999999999")], StrangeNetworkTests.page)
      case .large: (413, [("content-type", "text/html")], StrangeNetworkTests.page)
      case .half: (200, [("content-type", "application/json")], #"{"id": "a", "te"#)
      case .failing: (502, [("content-type", "text/html")], StrangeNetworkTests.page)
      }
    }

    /// A part of the message.
    var reason: String? {
      switch self {
      case .page, .pageWithoutType: "A web page answers at http://127.0.0.1"
      case .redirect: "leads to another address"
      case .busy, .overloaded: "asks for a pause"
      case .failing: "answered 50"
      default: nil
      }
    }
  }

  private static var timing: SyncTiming {
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.baseDelay = .milliseconds(1)
    timing.maximumDelay = .milliseconds(2)
    timing.maximumRetryAfter = .seconds(1)
    return timing
  }

  @Test(arguments: Stranger.allCases)
  func whatANetworkAnswersInPlaceOfTheServerStoresAndRemovesNothing(
    _ stranger: Stranger
  ) async throws {
    let stage = Stage()
    try await stage.serve { url in
      let container = try ModelContainer(
        for: Sight.self, Remark.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let remarks = RESTResource(entity: "Remark", path: "remarks") { element in
        guard case .object(let members) = element, let key = members["name"]?.text else {
          return nil
        }
        return (key, members)
      }
      let engine = try SyncEngine(
        container,
        models: [
          SyncedModel(
            annotating: Sight.self, key: \.number, properties: [.init(\.isStarred, default: false)],
            policy: .clientWins), SyncedModel(Remark.self, key: \.name),
        ],
        transport: RESTSyncTransport(
          url,
          resources: [
            .set(entity: "Sight", path: "stars", property: "isStarred"), remarks,
          ]),
        timing: Self.timing)
      let context = ModelContext(container)
      context.autosaveEnabled = false
      let sights = [Sight(1), Sight(2)]
      for sight in sights { context.insert(sight) }
      let known = Remark("known")
      context.insert(known)
      sights[1].isStarred = true
      try context.save()
      try await engine.sync()
      #expect(await stage.stored == [["2"], ["known"]])

      let (status, fields, body) = stranger.answer
      await stage.meet(status, fields, body)
      sights[0].isStarred = true
      sights[1].isStarred = false
      context.insert(Remark("new"))
      context.delete(known)
      try context.save()
      do {
        try await engine.sync()
        #expect(try await !engine.unsynced().isEmpty)
      } catch let failure as SyncFailure {
        if let reason = stranger.reason { #expect(failure.message.contains(reason)) }
        #expect(!failure.message.contains("<"))
      }
      #expect(await stage.strangeRequests > 0)
      // Everything is as the user has left it, and nothing counts as sent.
      #expect(try await engine.unsynced().count == 4)

      await stage.leave()
      await engine.resume()
      try await engine.retryQuarantined()
      try await engine.sync()
      let left = try await engine.unsynced()
      #expect(left.isEmpty, "\(left)")
      #expect(await stage.stored == [["1"], ["new"]])
      let fresh = ModelContext(container)
      #expect(try fresh.fetch(FetchDescriptor<Remark>()).map(\.name) == ["new"])
      #expect(
        try fresh.fetch(FetchDescriptor<Sight>()).filter(\.isStarred).map(\.number) == [1])
    }
  }
}
