import Foundation

/// Which events are wanted, in which order and how many.
public struct EventQuery: Hashable, Sendable {
  /// What events are ordered by. Events that are equal in it are ordered by their identifier, so
  /// that pages never overlap.
  public enum Sort: String, CaseIterable, Sendable, Codable {
    case time, magnitude, place

    /// The direction that people expect: newest, strongest or alphabetically first.
    public var usualOrder: Order { self == .place ? .ascending : .descending }
  }

  /// The direction of the order.
  public enum Order: String, CaseIterable, Sendable, Codable {
    case ascending = "asc"
    case descending = "desc"
  }

  /// Events below it, and events without a magnitude, are left out.
  public var minimumMagnitude: Double?
  /// Events before it are left out.
  public var since: Date?
  /// Events whose place does not contain it are left out; case and accents do not matter.
  public var search: String?
  /// Whether withdrawn events are given, too. Those that are known under another identifier by now never are.
  public var includesWithdrawn: Bool
  /// What events are ordered by.
  public var sort: Sort
  /// The direction of the order.
  public var order: Order
  /// How many events are given at most; `nil` is all.
  public var limit: Int?
  /// How many events of the order are passed over.
  public var offset: Int

  /// A query; without arguments, all events, newest first.
  public init(
    minimumMagnitude: Double? = nil, since: Date? = nil, search: String? = nil,
    includesWithdrawn: Bool = false, sort: Sort = .time, order: Order? = nil, limit: Int? = nil,
    offset: Int = 0
  ) {
    self.minimumMagnitude = minimumMagnitude
    self.since = since
    self.search = search?.isEmpty == true ? nil : search
    self.includesWithdrawn = includesWithdrawn
    self.sort = sort
    self.order = order ?? sort.usualOrder
    self.limit = limit
    self.offset = offset
  }
}

/// A part of what a query finds.
public struct EventPage: Hashable, Sendable {
  /// The events of this part.
  public var events: [Event]
  /// How many events the query finds without limit and offset.
  public var total: Int

  /// A page.
  public init(events: [Event], total: Int) {
    self.events = events
    self.total = total
  }
}
