import Foundation

/// A reader that processes a container's history and later continues where it stopped: a sync engine, an index, an
/// export.
///
/// A store records the position of each of its consumers and keeps transactions that one of them hasn't read for longer
/// than ``HistoryRetention/maximumAge`` and ``HistoryRetention/maximumSize`` say, up to
/// ``HistoryRetention/maximumUnreadAge`` and ``HistoryRetention/maximumUnreadSize``. A consumer that stays away for
/// longer has expired, and gets an error when it continues reading. An addition to Apple's interface.
public struct HistoryConsumer: Identifiable, Hashable, Sendable {
  /// The name under which it was registered; the same name is the same consumer in every process.
  public let name: String
  /// The position up to which it has read, in every store of the container that knows it.
  public let token: DefaultHistoryToken
  /// The time when it was registered, or when its position was set again.
  public let registered: Date
  /// The time of its last acknowledgement; before the first one, the time of the registration.
  public let lastAcknowledged: Date
  /// Whether transactions after ``token`` have been deleted, so that reading on throws
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

/// The state of a consumer in one store.
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

/// A change of a consumer's state in a store.
package enum HistoryConsumerChange: Sendable {
  /// Sets the consumer's position: to the given one, or its current one, or the end of the history.
  case register(Int64?)
  /// Records that the consumer has read up to a number. Never moves the position back.
  case acknowledge(Int64)
  case remove
}
