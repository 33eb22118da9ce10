import QuakesKit
import WireFormats

/// The state of the feed and of the local copy, as the page shows it. Times are milliseconds since
/// 1970-01-01T00:00:00Z.
package struct FeedStatus: Hashable, Sendable {
  /// The state of the copy in relation to its feed.
  package enum State: String, Hashable, Sendable {
    /// Nothing was loaded yet.
    case empty
    /// The copy is younger than the maximum age.
    case fresh
    /// The copy is older than the maximum age.
    case stale
    /// A refresh is running.
    case refreshing
    /// The last refresh failed; the last good copy is shown.
    case offline
  }

  /// A failure and its time.
  package struct Failure: Hashable, Sendable {
    /// The kind of failure, as far as people can tell or do something about it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      /// No connection to the feed's server: the computer may be offline.
      case noConnection = "no-connection"
      /// The feed didn't arrive in time.
      case timedOut = "timed-out"
      /// The feed ended before its end.
      case brokenOff = "broken-off"
      /// The server asks to come back later.
      case busy
      /// The server answers the request with an error.
      case refused
      /// The server sends something other than a feed of earthquakes.
      case unusable
      /// The feed's file cannot be read.
      case file
      /// The feed's file has something other than a feed of earthquakes.
      case unusableFile = "unusable-file"
      /// The store cannot be read or written.
      case store
      /// Anything else.
      case other

      /// One sentence for people, without an address or a parser's words.
      package var summary: String {
        switch self {
        case .noConnection: "The feed's server can't be reached."
        case .timedOut: "The feed did not arrive in time."
        case .brokenOff: "The feed broke off before its end."
        case .busy: "The feed's server is busy."
        case .refused: "The feed's server answers with an error."
        case .unusable: "The feed's server sends something other than a list of earthquakes."
        case .file: "The feed's file can't be read."
        case .unusableFile: "The feed's file has something other than a list of earthquakes."
        case .store: "The copy on this computer can't be read or written."
        case .other: "The feed could not be loaded."
        }
      }
    }

    package var kind: Kind
    /// The details: reason, place and remedy.
    package var message: String
    package var at: Int

    package init(kind: Kind = .other, message: String, at: Int) {
      self.kind = kind
      self.message = message
      self.at = at
    }
  }

  /// The progress of a running refresh.
  package struct Progress: Hashable, Sendable {
    package var bytes: Int
    package var events: Int

    package init(bytes: Int, events: Int) {
      self.bytes = bytes
      self.events = events
    }
  }

  /// The results of the last refresh.
  package struct Report: Hashable, Sendable {
    package var inserted: Int
    package var updated: Int
    package var unchanged: Int
    package var skipped: Int
    package var bytes: Int
    /// The duration, in seconds.
    package var duration: Double
    package var notModified: Bool

    package init(
      inserted: Int, updated: Int, unchanged: Int, skipped: Int, bytes: Int, duration: Double,
      notModified: Bool
    ) {
      self.inserted = inserted
      self.updated = updated
      self.unchanged = unchanged
      self.skipped = skipped
      self.bytes = bytes
      self.duration = duration
      self.notModified = notModified
    }
  }

  package var state: State
  package var lastUpdated: Int?
  package var nextRefresh: Int?
  package var lastError: Failure?
  package var progress: Progress?
  package var feedName: String
  package var feedURL: String
  /// The time between refreshes, in seconds.
  package var every: Double
  /// The age from which the copy is stale, in seconds.
  package var maximumAge: Double
  /// The number of events of the copy.
  package var total: Int
  package var lastReport: Report?
  /// The time ranges that back-fills have loaded, oldest first.
  package var coverage: [LoadedRange]
  /// The address of the event service that back-fills ask; nil when there is none.
  package var archive: String?
  /// The back-fill that runs, or the last one.
  package var backfill: BackfillStatus?

  package init(
    state: State, lastUpdated: Int? = nil, nextRefresh: Int? = nil, lastError: Failure? = nil,
    progress: Progress? = nil, feedName: String, feedURL: String, every: Double,
    maximumAge: Double, total: Int, lastReport: Report? = nil, coverage: [LoadedRange] = [],
    archive: String? = nil, backfill: BackfillStatus? = nil
  ) {
    self.state = state
    self.lastUpdated = lastUpdated
    self.nextRefresh = nextRefresh
    self.lastError = lastError
    self.progress = progress
    self.feedName = feedName
    self.feedURL = feedURL
    self.every = every
    self.maximumAge = maximumAge
    self.total = total
    self.lastReport = lastReport
    self.coverage = coverage
    self.archive = archive
    self.backfill = backfill
  }
}

extension FeedStatus {
  /// Appends the status as the API's JSON object.
  func write(to json: inout JSONWriter) {
    json.raw(#"{"state":"#)
    json.string(state.rawValue)
    json.raw(#","lastUpdated":"#)
    json.integer(lastUpdated)
    json.raw(#","nextRefresh":"#)
    json.integer(nextRefresh)
    json.raw(#","lastError":"#)
    writeError(to: &json)
    json.raw(#","progress":"#)
    writeProgress(to: &json)
    json.raw(#","feed":{"name":"#)
    json.string(feedName)
    json.raw(#","url":"#)
    json.string(feedURL)
    json.raw(#"},"every":"#)
    json.number(every)
    json.raw(#","maximumAge":"#)
    json.number(maximumAge)
    json.raw(#","total":"#)
    json.integer(total)
    json.raw(#","lastReport":"#)
    writeReport(to: &json)
    json.raw(#","coverage":"#)
    RangeText.write(coverage, to: &json)
    json.raw(#","archive":"#)
    json.string(archive)
    json.raw(#","backfill":"#)
    if let backfill { backfill.write(to: &json) } else { json.raw("null") }
    json.raw("}")
  }

  private func writeError(to json: inout JSONWriter) {
    guard let lastError else { return json.raw("null") }
    json.raw(#"{"kind":"#)
    json.string(lastError.kind.rawValue)
    json.raw(#","summary":"#)
    json.string(lastError.kind.summary)
    json.raw(#","message":"#)
    json.string(lastError.message)
    json.raw(#","at":"#)
    json.integer(lastError.at)
    json.raw("}")
  }

  private func writeProgress(to json: inout JSONWriter) {
    guard let progress else { return json.raw("null") }
    json.raw(#"{"bytes":"#)
    json.integer(progress.bytes)
    json.raw(#","events":"#)
    json.integer(progress.events)
    json.raw("}")
  }

  private func writeReport(to json: inout JSONWriter) {
    guard let report = lastReport else { return json.raw("null") }
    json.raw(#"{"inserted":"#)
    json.integer(report.inserted)
    json.raw(#","updated":"#)
    json.integer(report.updated)
    json.raw(#","unchanged":"#)
    json.integer(report.unchanged)
    json.raw(#","skipped":"#)
    json.integer(report.skipped)
    json.raw(#","bytes":"#)
    json.integer(report.bytes)
    json.raw(#","duration":"#)
    json.number(report.duration)
    json.raw(#","notModified":"#)
    json.boolean(report.notModified)
    json.raw("}")
  }
}
