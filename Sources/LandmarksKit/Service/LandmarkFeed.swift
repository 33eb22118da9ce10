import Foundation
import LocalCopy
import SwiftData

/// The server's landmarks and their copy in a store. The favourite's mark stays the user's.
public struct LandmarkFeed: Sendable {
  /// The copy: refreshes it and tells its state.
  public let copy: LocalCopy<LandmarkResponse, StoredLandmark>

  /// Sets a copy up; nothing is loaded yet.
  /// - Parameters:
  ///   - server: the server's address.
  ///   - token: the bearer token; nil sends none.
  ///   - container: where the landmarks are kept.
  ///   - adjust: changes the configuration, for example its time limits.
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
    // The server's host and no other: its answers are believed, wherever they come from.
    configuration.http.allowedRedirectHosts = []
    configuration.http.connectTimeout = .seconds(5)
    configuration.http.retry.maximumAttempts = 2
    if let token { configuration.http.headers["Authorization"] = "Bearer \(token)" }
    adjust(&configuration)
    copy = try LocalCopy(
      of: FeedSource(server.appendingPathComponent("landmarks")), elements: .root,
      decode: LandmarkResponse.self, into: container, keeping: [\.isFavorite],
      configuration: configuration
    ) { response in
      try response.toDomain().toStored()
    }
  }
}
