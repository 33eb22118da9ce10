import Foundation

/// Somebody who works through a container's history and comes back for the rest: a sync engine, an index, an export.
///
/// A store remembers where each of its consumers stands and keeps what one hasn't read for longer than
/// ``HistoryRetention/maximumAge`` and ``HistoryRetention/maximumSize`` say, up to
/// ``HistoryRetention/maximumUnreadAge`` and ``HistoryRetention/maximumUnreadSize``. A consumer that stays away for
/// longer has expired, and is told so when it reads on. An addition to Apple's interface.
public struct HistoryConsumer: Identifiable, Hashable, Sendable {
  /// What it was registered as; one name, one consumer, in whatever process.
  public let name: String
  /// The place up to which it has read, in every store of the container that knows it.
  public let token: DefaultHistoryToken
  /// When it was registered, or its place set anew.
  public let registered: Date
  /// When it last acknowledged something; the time of the registration before that.
  public let lastAcknowledged: Date
  /// Whether something behind ``token`` has been deleted, so that reading on throws
  /// ``SwiftDataError/historyTokenExpired``.
  public let isExpired: Bool

  public var id: String { name }

  init(name: String, places: [(store: String, place: StoredHistoryConsumer)]) {
    self.name = name
    token = DefaultHistoryToken(
      Dictionary(places.map { ($0.store, $0.place.number) }, uniquingKeysWith: max))
    registered = places.map(\.place.registered).min() ?? .distantPast
    lastAcknowledged = places.map(\.place.lastAcknowledged).max() ?? .distantPast
    isExpired = places.contains { $0.place.isExpired }
  }
}

/// A consumer as one store knows it.
package struct StoredHistoryConsumer: Sendable {
  package let name: String
  /// The number of the last transaction that it has read.
  package let number: Int64
  package let registered: Date
  package let lastAcknowledged: Date
  package let isExpired: Bool

  package init(
    name: String, number: Int64, registered: Date, lastAcknowledged: Date, isExpired: Bool
  ) {
    self.name = name
    self.number = number
    self.registered = registered
    self.lastAcknowledged = lastAcknowledged
    self.isExpired = isExpired
  }
}

/// What becomes of a consumer in a store.
package enum HistoryConsumerChange: Sendable {
  /// It gets a place: the one given, or the one that it has, or the end of the history.
  case register(Int64?)
  /// It has read up to a number. Never leads back.
  case acknowledge(Int64)
  case remove
}
