/// The information about the changes between one result and a later one.
struct ResultsChange: Sendable {
  /// The rows that were written in between.
  var written: Set<Int64> = []
  /// Whether only those rows can be at other positions.
  var arePositionsKnown = true
  /// Whether more rows than ``written`` may have been written.
  var isReload = false

  /// The maximum number of written rows that are kept for a list of `count` rows.
  static func limit(_ count: Int) -> Int { max(1_000, count) }

  mutating func formUnion(_ later: ResultsChange, limit: Int) {
    arePositionsKnown = arePositionsKnown && later.arePositionsKnown
    isReload = isReload || later.isReload
    if isReload || written.count + later.written.count > limit {
      self = .anything
    } else {
      written.formUnion(later.written)
    }
  }

  /// A change about which nothing is known.
  static var anything: ResultsChange { ResultsChange(arePositionsKnown: false, isReload: true) }

  func withoutKnownPositions() -> ResultsChange {
    var change = self
    change.arePositionsKnown = false
    return change
  }
}

/// A list of results without the models.
struct ResultsState: Sendable {
  var list = KeyList()
  var spans: SectionSpans?
  let keys: ModelKeys
}
