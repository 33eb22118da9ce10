import Foundation
@_exported import HTTPLimits
import LandmarksKit
import LocalApp
import Logging
import SwiftData

@testable import landmarks
@testable import ProgramTesting

let alice = "alice-0123456789abcdef"
let bob = "bob-0123456789abcdefgh"

var silentLogger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

/// The REST server with two users and a store, by default one in memory.
func withServer<Result: Sendable>(
  _ place: LocalServer.Settings = LocalServer.Settings(port: 0),
  limits: ConnectionLimits? = nil, store: ServedStore? = nil, signIn: SignIn? = nil,
  faults: ServerFaults = ServerFaults(percentage: 0),
  _ body: @escaping @Sendable (WireClient) async throws -> Result
) async throws -> Result {
  let store = try store ?? servedStore()
  var place = place
  if let limits { place.limits = limits }
  let server = LandmarksServer(
    place, store: store,
    tokens: try BearerTokens([("alice", alice), ("bob", bob)]),
    signIn: signIn, faults: faults, logger: silentLogger)
  return try await withWireClient({ try await server.run(onListening: $0) }, body)
}

/// A store in memory whose revisions begin with 1.
func servedStore(_ rules: VisitRules = VisitRules()) throws -> ServedStore {
  try ServedStore(file: nil, landmarks: LandmarkCatalogue.load(), rules: rules) { $0 + 1 }
}

/// Runs the page's program with a store and the server's address.
func withApp<Result: Sendable>(
  _ store: LandmarkStore, server: String = "http://127.0.0.1:1", token: String? = nil,
  limits: ConnectionLimits = LocalServer.Settings.limits,
  _ body: @escaping @Sendable (WireClient) async throws -> Result
) async throws -> Result {
  guard let address = URL(string: server) else { throw WireError(reason: "bad address") }
  let app = AppServer(
    place: LocalServer.Settings(port: 0, limits: limits),
    source: try AppSource(store, server: address, token: token), files: try .bundledWithPage(),
    every: .seconds(3_600), logger: silentLogger)
  return try await withWireClient({ try await app.run(onListening: $0) }, body)
}

/// Returns a device's store in memory with the landmarks of the catalogue.
func deviceStore(_ file: URL? = nil) throws -> LandmarkStore {
  let store = try LandmarkStore(file: file)
  let context = ModelContext(store.container)
  for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
  try context.save()
  return store
}

extension WireClient {
  /// The base address.
  var address: String { "http://127.0.0.1:\(port)" }

  /// Sends a request with a user's token.
  func request(
    _ method: String, _ target: String, by token: String, _ headers: [(String, String)] = [],
    body: String? = nil
  ) async throws -> WireResponse {
    var headers = headers + [("Authorization", "Bearer \(token)")]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    return try await request(method, target, headers: headers, body: body)
  }
}
