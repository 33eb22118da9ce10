/// Reads the events of a query part by part, for exports, so that memory use stays constant.
///
/// A cursor asks the store for rows, and leaves those out that only the exact test of a circle excludes: it counts the
/// rows, so that a part begins where the one before ended.
public struct EventCursor: Sendable {
  /// The number of rows that are read together.
  public static let part = 2_000

  private let query: EventQuery
  /// The number of rows of the store that were read.
  private var position: Int
  /// The number of events to leave out, and to give.
  private var skipped: Int
  private var left: Int
  private var isAtEnd = false

  /// - Parameter query: The query, with its limit and offset.
  public init(_ query: EventQuery) {
    self.query = query
    position = query.isStoreExact ? query.offset : 0
    skipped = query.isStoreExact ? 0 : query.offset
    left = query.limit ?? .max
  }

  /// The query for the next rows; nil at the end.
  public var next: EventQuery? {
    guard !isAtEnd, left > 0 else { return nil }
    var rows = query
    rows.offset = position
    rows.limit = query.isStoreExact ? min(left, Self.part) : Self.part
    return rows
  }

  /// Returns the events of the rows that were read by ``next``.
  public mutating func take(_ rows: [Event]) -> [Event] {
    isAtEnd = rows.count < next?.limit ?? 0
    position += rows.count
    var events = query.isStoreExact ? rows : rows.filter(query.meetsCircles)
    let unwanted = min(skipped, events.count)
    skipped -= unwanted
    events = Array(events.dropFirst(unwanted).prefix(left))
    left -= events.count
    return events
  }
}
