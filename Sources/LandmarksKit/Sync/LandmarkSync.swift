import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP

/// Keeps a device's favourites and reservations equal to a landmarks server's.
///
/// The landmarks come from ``LandmarkFeed``; what the user says of them, and the reservations, are exchanged by a
/// `SyncEngine` over the server's resources (docs/openapi-landmarks.yaml).
public final class LandmarkSync: Sendable {
  /// The engine: starts, stops, tells what it does.
  public let engine: SyncEngine
  let store: LandmarkStore

  static let landmark = "StoredLandmark"
  static let reservation = "StoredReservation"

  /// Sets an exchange up; nothing is sent yet.
  /// - Parameters:
  ///   - store: the device's store.
  ///   - server: the server's address.
  ///   - timing: how patient the engine is.
  ///   - token: gives the bearer token; asked at each request.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public init(
    _ store: LandmarkStore, server: URL, timing: SyncTiming = SyncTiming(),
    token: @escaping @Sendable () -> String?
  ) throws {
    self.store = store
    var limits = HTTPSyncTransport.Limits()
    limits.timeout = .seconds(15)
    limits.maximumAnswer = 4 << 20
    limits.maximumObjects = 10_000
    let transport = RESTSyncTransport(
      server, resources: [.favorites, .reservations], limits: limits, token: token,
      reason: Self.reason)
    engine = try store.reporting("used") {
      try SyncEngine(
        store.container, models: Self.models, transport: transport, timing: timing)
    }
  }

  private static var models: [SyncedModel] {
    [
      SyncedModel(
        annotating: StoredLandmark.self, key: \.remoteID,
        properties: [.init(\.isFavorite, default: false)], policy: .clientWins),
      SyncedModel(
        StoredReservation.self, key: \.remoteID, policy: .custom(ReservationPolicy.decide),
        marks: [.hasEdits(\.isDirty), .lastAgreed(\.lastSynced)]),
    ]
  }

  /// Sends what waits and takes what the server has, once, also after a pause.
  /// - Returns: what was done.
  /// - Throws: `SyncFailure` when the server can't be reached or doesn't want to; what is not done waits.
  public func exchange() async throws -> SyncReport {
    await resume()
    return try await engine.sync()
  }

  /// Goes on when the engine is paused, for example because the server didn't take the token.
  public func resume() async {
    if case .paused = engine.status.state.activity { await engine.resume() }
  }

  /// Tries everything again that was set aside, as the user's wish.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func retry() async throws {
    await engine.resume()
    do { try await engine.retryParked() } catch { throw store.failure("used", error) }
  }

  /// The sentence in an error's answer.
  private static let reason: @Sendable (SyncValue) -> String? = { document in
    guard case .object(let members) = document, case .object(let error) = members["error"] else {
      return nil
    }
    return error["message"]?.text
  }
}
