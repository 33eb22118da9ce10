import Foundation
import QuakesKit

/// The state of the live view: the newest events, their highlights, and the state of the feed.
struct WatchState: Sendable {
  /// The reason why an event is highlighted.
  enum Mark: Hashable, Sendable {
    case new, changed
  }

  private struct Highlight: Sendable {
    var mark: Mark
    var end: Date
  }

  /// The time for which an event is highlighted, in seconds.
  static let highlightTime = 60.0

  /// The newest events that match, newest first.
  private(set) var events: [Event] = []
  /// The number of events that match.
  private(set) var matching = 0
  /// The state of the feed and of the copy.
  var status: FeedStatus?
  /// The reason why the store can't be read, if it can't.
  var problem: String?
  /// The sentence about the last command of `--run`, if it failed.
  var commandFailure: String?
  private var highlights: [String: Highlight] = [:]
  private var wasEmpty = true
  private var wasFull = false

  /// Updates the view with the store's current events, and highlights the differences.
  ///
  /// An event is new if it wasn't shown and comes before one that was, or if all events were shown.
  /// So an event that only fits now, because the terminal has grown or other events are gone, isn't
  /// new.
  /// - Parameters:
  ///   - page: The newest events that match.
  ///   - capacity: The number of requested events.
  ///   - isEmpty: Whether the store is empty. The first events of an empty store aren't
  ///     highlighted.
  ///   - now: The current time.
  mutating func show(_ page: EventPage, capacity: Int, isEmpty: Bool, at now: Date) {
    let before = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
    let last = wasFull ? events.last : nil
    highlights = highlights.filter { $0.value.end > now }
    let end = now.addingTimeInterval(Self.highlightTime)
    for event in page.events where !wasEmpty {
      if let known = before[event.id] {
        guard !known.isShown(like: event) else { continue }
        let mark = mark(of: event, at: now) ?? .changed
        highlights[event.id] = Highlight(mark: mark, end: end)
      } else if last.map({ Self.isBefore(event, $0) }) ?? true {
        highlights[event.id] = Highlight(mark: .new, end: end)
      }
    }
    events = page.events
    matching = page.total
    wasEmpty = isEmpty
    wasFull = events.count >= capacity
    problem = nil
    let shown = Set(events.map(\.id))
    highlights = highlights.filter { shown.contains($0.key) }
  }

  /// Returns the reason why an event is highlighted; nil when it isn't.
  func mark(of event: Event, at now: Date) -> Mark? {
    highlights[event.id].flatMap { $0.end > now ? $0.mark : nil }
  }

  /// Compares in the order of the view, which is the store's: newest first, events at the same time
  /// by identifier.
  private static func isBefore(_ event: Event, _ other: Event) -> Bool {
    event.time == other.time ? event.id < other.id : event.time > other.time
  }
}
