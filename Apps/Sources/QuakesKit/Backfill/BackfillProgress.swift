/// The numbers of events that a back-fill has read.
public struct BackfillCounts: Hashable, Sendable {
  /// The events of the answers.
  public var received = 0
  /// Those that are new in the store.
  public var inserted = 0
  /// Those that replaced an older revision in the store.
  public var updated = 0
  /// Those that the store already had.
  public var unchanged = 0
  /// Those of which the store has a newer revision, which stays.
  public var older = 0
  /// Those that the rule for magnitudes leaves out.
  public var filtered = 0
  /// Those that cannot be used.
  public var skipped = 0
  /// Stored events that turned out to be one of these under a former identifier.
  public var renamed = 0

  /// Creates counts of zero.
  public init() {}

  static func += (sum: inout BackfillCounts, part: BackfillCounts) {
    sum.received += part.received
    sum.inserted += part.inserted
    sum.updated += part.updated
    sum.unchanged += part.unchanged
    sum.older += part.older
    sum.filtered += part.filtered
    sum.skipped += part.skipped
    sum.renamed += part.renamed
  }
}

/// The progress of a back-fill.
public struct BackfillProgress: Hashable, Sendable {
  /// The last step.
  public enum Step: Hashable, Sendable {
    /// A part was loaded and is in the store.
    case loaded
    /// A part has too many events and is divided.
    case divided
    /// A request failed and is repeated after a pause.
    case waiting(Duration, BackfillError)
  }

  /// The last step.
  public var step: Step
  /// The part that it happened to, in seconds since 1970, without the end.
  public var part: Range<Int>
  /// The result so far.
  public var report: BackfillReport
}

/// The result of a back-fill.
public struct BackfillReport: Hashable, Sendable {
  /// The time range that was asked for, in seconds since 1970, without the end.
  public var range: Range<Int>
  /// The length of what wasn't loaded before, in seconds.
  public var missing = 0
  /// The length of what has been loaded, in seconds.
  public var loaded = 0
  /// The number of parts that were loaded.
  public var parts = 0
  /// The number of requests, with failed ones.
  public var requests = 0
  /// The events.
  public var counts = BackfillCounts()
  /// The reasons of the first unusable events, at most ten.
  public var details: [String] = []

  /// The share that has been loaded, from 0 to 1.
  public var share: Double { missing > 0 ? Double(loaded) / Double(missing) : 1 }
}
