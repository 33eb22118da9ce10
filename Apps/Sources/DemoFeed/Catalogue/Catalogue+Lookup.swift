extension Catalogue {
  /// Returns the event with an identifier as it is now; nil when there is none, or it has disappeared.
  func event(id: String) -> SyntheticEvent? {
    if let event = added.first(where: { $0.id == id }) { return event }
    let number: Int? =
      if id.hasPrefix("us7000") {
        Int(id.dropFirst("us7000".count), radix: 36)
      } else {
        Int(id.drop { $0.isLetter })
      }
    guard let index = number.map({ $0 &- EventGenerator.firstCode }), 0 <= index,
      index < archiveCount, !isRemoved(index)
    else { return nil }
    let event = baseEvent(index)
    return event.id == id ? event : nil
  }
}
