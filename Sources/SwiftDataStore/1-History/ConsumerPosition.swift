import Foundation
import SwiftDataCore

/// The stored state of a consumer of the history, a JSON object: the number of the last transaction read, and two times
/// in seconds since the reference date.
package struct ConsumerPosition: Codable, Sendable {
  package private(set) var number: Int64
  private var registered: Double
  private var acknowledged: Double

  /// Reads a stored state.
  ///
  /// - Parameter path: The store, for errors.
  package init(_ text: String, of name: String, path: String) throws {
    do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
      throw StoreError(
        .damaged, path: path,
        explanation: "the entry of \(name) among the consumers of its history can't be read;"
          + " remove the consumer and register it again")
    }
  }

  private init(number: Int64, registered: Double, acknowledged: Double) {
    self.number = number
    self.registered = registered
    self.acknowledged = acknowledged
  }

  /// The text to store.
  package var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// The position of a consumer that registers.
  ///
  /// - Parameters:
  ///   - number: The requested position; nil for the present one, or the end of the history.
  ///   - known: The present one.
  ///   - last: The last transaction of the history.
  package static func registering(
    at number: Int64?, known: ConsumerPosition?, last: Int64
  ) -> ConsumerPosition {
    if number == nil, let known { return known }
    let now = Date.now.timeIntervalSinceReferenceDate
    return ConsumerPosition(
      number: min(max(number ?? last, 0), last), registered: now, acknowledged: now)
  }

  /// Records that the consumer has read up to a number. The position never moves back.
  package mutating func acknowledge(_ number: Int64, last: Int64) {
    self.number = max(self.number, min(number, last))
    acknowledged = Date.now.timeIntervalSinceReferenceDate
  }

  /// The consumer, in a history whose newest deleted transaction is `mark`.
  package func consumer(_ name: String, mark: Int64) -> StoredHistoryConsumer {
    StoredHistoryConsumer(
      name: name, number: number,
      registered: Date(timeIntervalSinceReferenceDate: registered),
      lastAcknowledged: Date(timeIntervalSinceReferenceDate: acknowledged),
      isExpired: number < mark)
  }
}
