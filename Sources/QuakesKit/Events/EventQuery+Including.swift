import Foundation

extension EventQuery {
  /// Whether an event meets the conditions, as the store would say. Order, limit and offset have no
  /// say.
  public func includes(_ event: Event) -> Bool {
    if event.withdrawn != nil, !includesWithdrawn { return false }
    if let minimumMagnitude {
      guard let magnitude = event.magnitude, magnitude >= minimumMagnitude else { return false }
    }
    if let since, Double(event.time) / 1_000 < since.timeIntervalSince1970 { return false }
    if let search { return event.place?.localizedStandardContains(search) ?? false }
    return true
  }
}
