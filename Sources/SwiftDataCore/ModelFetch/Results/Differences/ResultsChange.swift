/// What is known of the way from one answer to a later one.
struct ResultsChange: Sendable {
  /// The rows that were written in between.
  var written: Set<Int64> = []
  /// Whether only those can be at other places.
  var arePlacesKnown = true
  /// Whether more rows than ``written`` may have been written.
  var isReload = false

  /// More written rows aren't kept for a list of a length.
  static func limit(_ count: Int) -> Int { max(1_000, count) }

  mutating func formUnion(_ later: ResultsChange, limit: Int) {
    arePlacesKnown = arePlacesKnown && later.arePlacesKnown
    isReload = isReload || later.isReload
    if isReload || written.count + later.written.count > limit {
      self = .anything
    } else {
      written.formUnion(later.written)
    }
  }

  /// Nothing is known.
  static var anything: ResultsChange { ResultsChange(arePlacesKnown: false, isReload: true) }

  func losingPlaces() -> ResultsChange {
    var change = self
    change.arePlacesKnown = false
    return change
  }
}

/// A list without its models.
struct ResultsSnapshot: Sendable {
  var list = KeyList()
  var spans: SectionSpans?
  let keys: ModelKeys
}
