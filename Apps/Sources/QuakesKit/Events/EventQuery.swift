import Foundation

/// A filter for events, with their order and the part to return.
public struct EventQuery: Hashable, Sendable {
  /// The property that events are ordered by. Of those that are equal in it the newest are first, and of these those
  /// with the lesser identifier, so that pages never overlap. Those without a magnitude or place come last in both
  /// directions.
  public enum Sort: String, CaseIterable, Sendable, Codable {
    case time, magnitude, place

    /// The direction that users expect: newest, strongest or alphabetically first.
    public var usualOrder: Order { self == .place ? .ascending : .descending }
  }

  /// The direction of the order.
  public enum Order: String, CaseIterable, Sendable, Codable {
    case ascending = "asc"
    case descending = "desc"
  }

  /// The lowest magnitude. Events below it and events without a magnitude are left out.
  public var minimumMagnitude: Double?
  /// The highest magnitude. Events above it and events without a magnitude are left out.
  public var maximumMagnitude: Double?
  /// The earliest time. Events before it are left out.
  public var since: Date?
  /// The end of the time: this moment and later ones are left out.
  public var until: Date?
  /// The lowest depth, in kilometres below sea level. Events above it and events without a depth are left out.
  public var minimumDepth: Double?
  /// The greatest depth, in kilometres below sea level. Events below it and events without a depth are left out.
  public var maximumDepth: Double?
  /// The part of the globe to which events are limited.
  public var box: EventBox?
  /// Terms that all must be met.
  public var search: EventSearch?
  /// Whether withdrawn events are included. Events that now have another identifier never are.
  public var includesWithdrawn: Bool
  /// The property that events are ordered by.
  public var sort: Sort
  /// The direction of the order.
  public var order: Order
  /// The maximum number of events to return; `nil` for all.
  public var limit: Int?
  /// The number of events to skip.
  public var offset: Int

  /// Creates a query; without arguments, all events, newest first.
  public init(
    minimumMagnitude: Double? = nil, maximumMagnitude: Double? = nil, since: Date? = nil,
    until: Date? = nil, minimumDepth: Double? = nil, maximumDepth: Double? = nil,
    box: EventBox? = nil, search: EventSearch? = nil, includesWithdrawn: Bool = false,
    sort: Sort = .time, order: Order? = nil, limit: Int? = nil, offset: Int = 0
  ) {
    self.minimumMagnitude = minimumMagnitude
    self.maximumMagnitude = maximumMagnitude
    self.since = since
    self.until = until
    self.minimumDepth = minimumDepth
    self.maximumDepth = maximumDepth
    self.box = box
    self.search = search
    self.includesWithdrawn = includesWithdrawn
    self.sort = sort
    self.order = order ?? sort.usualOrder
    self.limit = limit
    self.offset = offset
  }
}

/// A part of a query's results.
public struct EventPage: Hashable, Sendable {
  /// The events of this part.
  public var events: [Event]
  /// The number of events that match the query without limit and offset.
  public var total: Int

  /// Creates a page.
  public init(events: [Event], total: Int) {
    self.events = events
    self.total = total
  }
}
