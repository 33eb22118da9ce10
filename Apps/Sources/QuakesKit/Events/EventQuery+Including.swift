import Foundation

extension EventQuery {
  /// Returns whether an event meets the conditions, with the same result as the store. Order, limit
  /// and offset are ignored.
  public func includes(_ event: Event) -> Bool {
    if event.withdrawn != nil, !includesWithdrawn { return false }
    if let minimumMagnitude {
      guard let magnitude = event.magnitude, magnitude >= minimumMagnitude else { return false }
    }
    if let since, event.time < since { return false }
    if searchWords.allSatisfy({ $0.isMet(by: event) }) { return true }
    return search?.trimmingCharacters(in: .whitespacesAndNewlines) == event.id
  }
}
