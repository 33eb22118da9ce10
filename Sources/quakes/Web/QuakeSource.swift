import Foundation
import QuakesKit

/// What the web server shows: the events of a store and the state of its feed. The server knows no
/// more of either, so its tests can stand in for both.
package protocol QuakeSource: Sendable {
  /// A part of the events that a query finds.
  func page(_ query: EventQuery) async throws -> EventPage
  /// One event; `nil` when there is none.
  func event(id: String) async throws -> Event?
  /// The state of the feed and of the copy.
  func status() async throws -> FeedStatus
  /// Starts a refresh, or joins the one that is running; returns without waiting for its end.
  func refresh() async
  /// What happens from now on. Called once, by the server.
  func updates() async -> AsyncStream<FeedUpdate>
}

/// What happened to the copy.
package enum FeedUpdate: Sendable {
  /// The state of the feed changed.
  case status
  /// Events appeared, changed or went away.
  case changes(EventChanges)
}
