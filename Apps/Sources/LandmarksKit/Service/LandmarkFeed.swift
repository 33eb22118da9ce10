import Foundation
import LocalCopy
import SwiftData

/// The server's landmarks and their copy in a store. The favorite marks belong to the user and are
/// kept.
public struct LandmarkFeed: Sendable {
  /// The copy, which refreshes the landmarks and reports its state.
  public let copy: LocalCopy<Landmark, StoredLandmark>

  /// Creates a copy; nothing is loaded yet.
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: The bearer token; nil sends none.
  ///   - container: The container of the store that keeps the landmarks.
  ///   - adjust: Changes the configuration, for example its time limits.
  /// - Throws: `LocalCopyError` for an address that cannot be used or a store that cannot be read.
  public init(
    _ server: URL, token: String?, into container: ModelContainer,
    adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = LocalCopyConfiguration()
    configuration.name = "landmarks"
    configuration.maximumAge = .seconds(60 * Freshness.unremarkable)
    configuration.http.userAgent = "landmarks (OpenSwiftData)"
    configuration.http.maximumWireBytes = 4 << 20
    configuration.http.maximumDecodedBytes = 16 << 20
    configuration.http.totalDeadline = .seconds(15)
    // No redirects to other hosts: an answer would be trusted whichever host it came from.
    configuration.http.allowedRedirectHosts = []
    configuration.http.connectTimeout = .seconds(5)
    configuration.http.retry.maximumAttempts = 2
    if let token { configuration.http.headers["Authorization"] = "Bearer \(token)" }
    adjust(&configuration)
    copy = try LocalCopy(
      of: FeedSource(server.appendingPathComponent("landmarks")), elements: .root,
      decode: Landmark.self, into: container, keeping: [\.isFavorite],
      configuration: configuration
    ) { try $0.checked().toStored() }
  }
}
