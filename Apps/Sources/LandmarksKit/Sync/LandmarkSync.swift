import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP

/// Keeps a device's favorites, reservations and photos equal to those of a landmarks server.
///
/// The landmarks come from ``LandmarkFeed``. A `SyncEngine` exchanges the favorite marks and the reservations over the
/// server's resources (docs/openapi-landmarks.yaml).
public final class LandmarkSync: Sendable {
  /// The engine: starts, stops and reports its status.
  public let engine: SyncEngine
  let store: LandmarkStore

  static let landmark = "StoredLandmark"
  static let reservation = "StoredReservation"
  static let photo = "StoredPhoto"

  /// Creates an exchange; nothing is sent yet.
  /// - Parameters:
  ///   - store: The device's store.
  ///   - server: The server's address.
  ///   - timing: The engine's timeouts and delays.
  ///   - token: Returns the bearer token; called at each request, which isn't sent when it throws.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public init(
    _ store: LandmarkStore, server: URL, timing: SyncTiming = SyncTiming(),
    token: @escaping @Sendable () throws -> String?
  ) throws {
    self.store = store
    var limits = HTTPSyncTransport.Limits()
    limits.timeout = .seconds(15)
    // Photos of up to 16 KiB stand in the list of photos.
    limits.maximumAnswer = 16 << 20
    limits.maximumObjects = 10_000
    var transport = RESTSyncTransport(
      server, resources: [.favorites, .reservations, .photos], attachments: "attachments",
      limits: limits, token: token, reason: Self.reason)
    transport.details = Self.details
    transport.namesSkippedVersions = true
    var attachments = SyncAttachmentLimits()
    attachments.maximumByteCount = VisitPhoto.maximumByteCount
    // A portion has to arrive within the time limit of a request.
    attachments.portion = 1 << 18
    engine = try store.reporting("used") {
      try SyncEngine(
        store.container, models: Self.models, transport: transport, timing: timing,
        attachments: attachments)
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
      SyncedModel(
        StoredPhoto.self, key: \.remoteID, policy: .clientWins,
        marks: [.lastAgreed(\.lastSynced)],
        references: [.init(\StoredPhoto.reservationID, to: StoredReservation.self)]),
    ]
  }

  /// Sends the waiting changes and fetches the server's changes once, even if the engine is paused.
  /// - Returns: A report of what was exchanged.
  /// - Throws: `SyncFailure` when the server can't be reached or refuses the exchange; changes that weren't exchanged
  ///   keep waiting.
  public func exchange() async throws -> SyncReport {
    await resume()
    return try await engine.sync()
  }

  /// Resumes the engine if it is paused, for example because the server refused the token.
  public func resume() async {
    if case .paused = engine.status.state.activity { await engine.resume() }
  }

  /// Retries everything that was set aside, at the user's request.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func retry() async throws {
    await engine.resume()
    do { try await engine.retryQuarantined() } catch { throw store.failure("used", error) }
  }

  /// The maximum number of dates that are kept of an error answer.
  private static let maximumChoices = 10

  /// Extracts the dates that the server would take from an error answer.
  private static let details: @Sendable (SyncValue) -> SyncValue? = { document in
    guard case .object(let members) = document, case .object(let error) = members["error"],
      case .list(let choices) = error["choices"]
    else { return nil }
    let dates = choices.prefix(maximumChoices).compactMap(\.text)
      .filter { InternetDate.parse($0) != nil }
    return dates.isEmpty ? nil : .object(["choices": .list(dates.map { .text($0) })])
  }

  /// Returns the dates that were kept with a refusal.
  static func choices(_ details: SyncValue?) -> [Date] {
    guard case .object(let members) = details, case .list(let choices) = members["choices"] else {
      return []
    }
    return choices.compactMap { $0.text.flatMap(InternetDate.parse) }
  }

  /// Extracts the message from an error answer.
  private static let reason: @Sendable (SyncValue) -> String? = { document in
    guard case .object(let members) = document, case .object(let error) = members["error"] else {
      return nil
    }
    return error["message"]?.text
  }
}
