import HTTPContent

/// The state of the feed and of the local copy, as the page shows it. Times are milliseconds since
/// 1970-01-01T00:00:00Z.
package struct FeedStatus: Hashable, Sendable {
  /// How the copy stands to its feed.
  package enum State: String, Hashable, Sendable {
    /// Nothing was ever loaded.
    case empty
    /// Younger than the maximal age.
    case fresh
    /// Older than the maximal age.
    case stale
    /// A refresh is running.
    case refreshing
    /// The last refresh failed; what is shown is the last good copy.
    case offline
  }

  /// A failure and its time.
  package struct Failure: Hashable, Sendable {
    package var message: String
    package var at: Int

    package init(message: String, at: Int) {
      self.message = message
      self.at = at
    }
  }

  /// How far a running refresh has come.
  package struct Progress: Hashable, Sendable {
    package var bytes: Int
    package var events: Int

    package init(bytes: Int, events: Int) {
      self.bytes = bytes
      self.events = events
    }
  }

  /// What the last refresh did.
  package struct Report: Hashable, Sendable {
    package var inserted: Int
    package var updated: Int
    package var unchanged: Int
    package var skipped: Int
    package var bytes: Int
    /// Seconds.
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
  /// Seconds between refreshes.
  package var every: Double
  /// Seconds after which the copy is stale.
  package var maximumAge: Double
  /// How many events the copy holds.
  package var total: Int
  package var lastReport: Report?

  package init(
    state: State, lastUpdated: Int? = nil, nextRefresh: Int? = nil, lastError: Failure? = nil,
    progress: Progress? = nil, feedName: String, feedURL: String, every: Double,
    maximumAge: Double, total: Int, lastReport: Report? = nil
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
  }
}

extension FeedStatus {
  /// Appends the status as the API's JSON object.
  func write(to json: inout JSONBytes) {
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
    json.raw("}")
  }

  private func writeError(to json: inout JSONBytes) {
    guard let lastError else { return json.raw("null") }
    json.raw(#"{"message":"#)
    json.string(lastError.message)
    json.raw(#","at":"#)
    json.integer(lastError.at)
    json.raw("}")
  }

  private func writeProgress(to json: inout JSONBytes) {
    guard let progress else { return json.raw("null") }
    json.raw(#"{"bytes":"#)
    json.integer(progress.bytes)
    json.raw(#","events":"#)
    json.integer(progress.events)
    json.raw("}")
  }

  private func writeReport(to json: inout JSONBytes) {
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
