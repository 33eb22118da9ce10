extension SyncServerLedger {
  /// A place in the sequence of versions.
  struct Place {
    var version: Int64
    var isFull: Bool
    var forgotten: Int64
  }

  /// Encodes a place as a cursor.
  static func cursor(_ place: Place) -> String {
    place.isFull ? "f\(place.version)-\(place.forgotten)" : "d\(place.version)"
  }

  /// Decodes a cursor.
  ///
  /// - Returns: nil for the beginning.
  /// - Throws: ``SyncFailure`` for a text that isn't a cursor.
  static func place(_ cursor: String?) throws -> Place? {
    guard let cursor else { return nil }
    let parts = cursor.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first, let version = Int64(first), version >= 0 else {
      throw SyncFailure(.refused, "The cursor isn't one of this server's")
    }
    switch (cursor.first, parts.count) {
    case ("d", 1): return Place(version: version, isFull: false, forgotten: 0)
    case ("f", 2):
      if let forgotten = Int64(parts[1]), forgotten >= 0 {
        return Place(version: version, isFull: true, forgotten: forgotten)
      }
    default: break
    }
    throw SyncFailure(.refused, "The cursor isn't one of this server's")
  }
}
