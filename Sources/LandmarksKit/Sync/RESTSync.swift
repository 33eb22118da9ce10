import Foundation

/// Exchange by resource: PUT and DELETE of what changed here, then GET of all that is the user's.
///
/// Every request can be repeated without doing anything twice, so a lost answer or a killed process
/// costs nothing but the repetition. A reservation is sent with the revision it was changed from;
/// when the server has a newer one, nothing is written there, the states are merged here, and the
/// result is sent again.
public struct RESTSync: LandmarksSync {
  /// How often the server's state may change under the exchange before it gives up for now.
  static let rounds = 4

  private let store: LandmarkStore
  private let server: URL
  private let token: @Sendable () -> String?

  /// - Parameters:
  ///   - store: the device's store.
  ///   - server: the server's address.
  ///   - token: gives the bearer token; asked at each exchange.
  public init(
    _ store: LandmarkStore, server: URL, token: @escaping @Sendable () -> String?
  ) {
    self.store = store
    self.server = server
    self.token = token
  }

  public func synchronize() async throws -> SyncReport {
    try await RESTClient.with(server: server, token: token()) { try await exchange($0) }
  }

  private func exchange(_ client: RESTClient) async throws -> SyncReport {
    var report = SyncReport()
    var refused: Set<PendingChange> = []
    for _ in 0..<Self.rounds {
      for change in try store.pendingChanges() where !refused.contains(change) {
        try Task.checkCancellation()
        switch try await send(change, client) {
        case .taken: report.sent += 1
        case .outdated: break
        case .refused:
          refused.insert(change)
          report.refused += 1
        }
      }
      let favorites = try await client.favorites()
      let reservations = try await client.reservations()
      let merged = try store.merge(
        favorites: favorites, reservations: reservations, now: Date())
      report.received += merged.changed
      report.notices += merged.notices
      guard try store.pendingChanges().contains(where: { !refused.contains($0) }) else { break }
    }
    return report
  }

  private enum Outcome { case taken, outdated, refused }

  private func send(_ change: PendingChange, _ client: RESTClient) async throws -> Outcome {
    switch change {
    case .favorite(let id, let isFavorite):
      switch try await client.setFavorite(id, isFavorite) {
      case .done, .outdated:
        try store.noteFavorite(id, onServer: isFavorite)
        return .taken
      case .refused: return .refused
      }
    case .reservation(let reservation, let revision):
      switch try await client.put(reservation, over: revision) {
      case .done(let answer):
        try store.noteReservation(reservation.id, answer, now: Date())
        return .taken
      case .outdated: return .outdated
      case .refused(let reason):
        try store.noteRefusal(reservation, reason, now: Date())
        return .refused
      }
    case .removal(let id, let revision):
      switch try await client.remove(id, revision: revision) {
      case .done:
        try store.noteReservation(id, nil, now: Date())
        return .taken
      case .outdated: return .outdated
      case .refused: return .refused
      }
    }
  }
}
