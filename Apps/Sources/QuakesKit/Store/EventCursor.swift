/// Reads the events of a query part by part, for exports, so that memory has one part of them.
///
/// The rows are selected when the cursor is made, and each part is read as the store is then: a refresh in between
/// neither repeats nor hides an event. The cursor keeps the identifiers of all rows for this, two words each; a read
/// transaction instead would last as long as a client reads, and hold up checkpoints. Events that only the exact test
/// of a circle excludes are left out.
public struct EventCursor: Sendable {
  /// The number of rows that are read together.
  static let part = 2_000

  private let query: EventQuery
  /// The number of rows that were selected, and of those that were read.
  private let rows: Int
  private var position = 0
  /// The number of events to leave out, and to give.
  private var skipped = 0
  private var left = Int.max
  private let read: @Sendable (Range<Int>) throws -> [Event]

  /// - Parameters:
  ///   - query: The query. Its limit and offset are those of the rows, but if it has a circle.
  ///   - rows: The number of rows that the store has selected.
  ///   - read: Returns some of these rows, by their positions; rows that are gone are left out.
  package init(
    _ query: EventQuery, rows: Int, read: @escaping @Sendable (Range<Int>) throws -> [Event]
  ) {
    self.query = query
    self.rows = rows
    self.read = read
    guard !query.isStoreExact else { return }
    skipped = query.offset
    left = query.limit ?? .max
  }

  /// Reads the next events.
  /// - Returns: Some events; nil at the end.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public mutating func next() throws -> [Event]? {
    while position < rows, left > 0 {
      let part = position..<min(position + Self.part, rows)
      position = part.upperBound
      var events = try read(part)
      if !query.isStoreExact {
        events.removeAll { !query.meetsCircles($0) }
        let unwanted = min(skipped, events.count)
        skipped -= unwanted
        events = Array(events.dropFirst(unwanted).prefix(left))
        left -= events.count
      }
      if !events.isEmpty { return events }
    }
    return nil
  }
}
