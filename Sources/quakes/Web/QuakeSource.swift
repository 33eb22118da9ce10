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
  /// Events appeared or changed.
  case changes(EventChanges)
}

/// Events that appeared or changed in one refresh.
package struct EventChanges: Hashable, Sendable {
  /// The most events that are sent one by one; with more, the page loads anew.
  package static let limit = 500

  package var inserted: [Event]
  package var updated: [Event]
  /// More changed than is sent: whoever shows events must ask for them again.
  package var reload: Bool

  package init(inserted: [Event], updated: [Event], reload: Bool = false) {
    let isTooMuch = reload || inserted.count + updated.count > Self.limit
    self.inserted = isTooMuch ? [] : inserted
    self.updated = isTooMuch ? [] : updated
    self.reload = isTooMuch
  }
}
