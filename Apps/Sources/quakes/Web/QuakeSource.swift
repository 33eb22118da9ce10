import Foundation
import QuakesKit

/// The source of the web server's data: the events of a store and the state of its feed. The server
/// uses both only through this protocol, so that tests can replace them.
package protocol QuakeSource: Sendable {
  /// Returns a part of the events that match a query.
  func page(_ query: EventQuery) async throws -> EventPage
  /// Selects the events that match a query, to read them part by part.
  func cursor(_ query: EventQuery) async throws -> EventCursor
  /// Returns the event with an identifier; `nil` when there is none.
  func event(id: String) async throws -> Event?
  /// The earlier forms of an event, oldest first.
  func revisions(of event: Event) async throws -> [Revision]
  /// Returns the details of an event, which are loaded if necessary.
  /// - Parameter loads: Whether they may be loaded; otherwise only what is kept is returned.
  /// - Throws: `DetailsError`.
  func details(of event: Event, loads: Bool) async throws -> DetailsLoader.Answer
  /// Returns the statistics of the events that match a query, whatever its order, limit and offset.
  func statistics(_ query: EventQuery) async throws -> EventStatistics
  /// Returns the state of the feed and of the copy.
  func status() async throws -> FeedStatus
  /// Starts a refresh, or joins the running one; returns without waiting for its end.
  func refresh() async
  /// Stops the refreshes of this program that run; the copy stays as it is.
  func stop() async
  /// Starts a back-fill, and returns without waiting for its end.
  func startBackfill(_ request: BackfillRequest) async throws(BackfillRefusal)
  /// Stops the back-fill of this program that runs; what it has loaded stays.
  func stopBackfill() async
  /// Returns the updates from now on. The server calls it once.
  func updates() async -> AsyncStream<FeedUpdate>
}

/// A change of the copy.
package enum FeedUpdate: Sendable {
  /// The state of the feed changed.
  case status
  /// Events were inserted, updated or deleted.
  case changes(EventChanges)
}
