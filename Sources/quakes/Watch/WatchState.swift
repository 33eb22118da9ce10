import Foundation
import QuakesKit

/// What the live view knows: the newest events, what became of them, and the state of the feed.
struct WatchState: Sendable {
  /// Why an event is highlighted.
  enum Mark: Hashable, Sendable {
    case new, changed
  }

  private struct Highlight: Sendable {
    var mark: Mark
    var end: Date
  }

  /// How long an event is highlighted, in seconds.
  static let highlightTime = 60.0

  /// The newest events that match, newest first.
  private(set) var events: [Event] = []
  /// How many events match.
  private(set) var matching = 0
  /// The state of the feed and of the copy.
  var status: FeedStatus?
  /// Why the store can't be read, when it can't.
  var problem: String?
  private var highlights: [String: Highlight] = [:]
  private var wasEmpty = true
  private var wasFull = false

  /// Takes in what the store holds now, and highlights what differs from before.
  ///
  /// An event is new when it wasn't there and comes before one that was, or when all were there.
  /// So those that only have room now, because the terminal has grown or others are gone, aren't.
  /// - Parameters:
  ///   - page: the newest events that match.
  ///   - capacity: how many were asked for.
  ///   - isEmpty: whether the store holds nothing at all. What fills an empty one is not
  ///     highlighted.
  ///   - now: the time.
  mutating func show(_ page: EventPage, capacity: Int, isEmpty: Bool, at now: Date) {
    let before = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
    let last = wasFull ? events.last : nil
    highlights = highlights.filter { $0.value.end > now }
    let end = now.addingTimeInterval(Self.highlightTime)
    for event in page.events where !wasEmpty {
      if let known = before[event.id] {
        guard known != event else { continue }
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

  /// Why an event is highlighted now; nil when it isn't.
  func mark(of event: Event, at now: Date) -> Mark? {
    highlights[event.id].flatMap { $0.end > now ? $0.mark : nil }
  }

  /// The order of the view: newest first, equal ones by identifier, as the store has it.
  private static func isBefore(_ event: Event, _ other: Event) -> Bool {
    event.time == other.time ? event.id < other.id : event.time > other.time
  }
}
