import Foundation

extension EventQuery {
  /// Returns whether an event meets the conditions, with the same result as the store. Order, limit
  /// and offset are ignored.
  public func includes(_ event: Event) -> Bool {
    if event.withdrawn != nil, !includesWithdrawn { return false }
    guard Self.isWithin(event.magnitude, minimumMagnitude, maximumMagnitude),
      Self.isWithin(event.depth, minimumDepth, maximumDepth)
    else { return false }
    if let since, event.time < since { return false }
    if let until, event.time >= until { return false }
    if let box, !box.contains(latitude: event.latitude, longitude: event.longitude) { return false }
    return search?.includes(event) ?? true
  }

  /// Whether the store's condition selects the query's events and no others.
  var isStoreExact: Bool { search?.isStoreExact ?? true }

  /// Returns whether an event that meets the store's condition meets the query.
  func meetsCircles(_ event: Event) -> Bool { search?.meetsCircles(event) ?? true }

  private static func isWithin(_ value: Double?, _ least: Double?, _ most: Double?) -> Bool {
    guard least != nil || most != nil else { return true }
    guard let value else { return false }
    return value >= least ?? value && value <= most ?? value
  }
}
