import Foundation
import LocalCopy
import QuakesKit
import WireFormats

/// A time range whose events are to be loaded from an event service.
package struct BackfillRequest: Hashable, Sendable {
  package var since: Date
  /// The end, which isn't loaded itself; nil stands for now.
  package var until: Date?
  /// The least magnitude; nil for all events.
  package var minimumMagnitude: Double?

  package init(since: Date, until: Date? = nil, minimumMagnitude: Double? = nil) {
    self.since = since
    self.until = until
    self.minimumMagnitude = minimumMagnitude
  }
}

/// The reason why a back-fill doesn't start.
package enum BackfillRefusal: Error, Hashable, Sendable {
  /// Another one of this program runs.
  case running
  /// No event service is known that has the feed's earthquakes.
  case noService
}

/// A back-fill that runs in the server, or its end.
package struct BackfillStatus: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// Another program loads from the service, or the first request is to come.
    case waiting
    case running
    case done
    /// The user has stopped it; what was loaded is kept.
    case stopped
    case failed
  }

  package var request: BackfillRequest
  package var state: State
  /// The share that has been loaded, from 0 to 1.
  package var share: Double
  /// The number of parts that were loaded.
  package var parts: Int
  /// The number of events of these parts.
  package var events: Int
  /// Those of them that are new in the store.
  package var inserted: Int
  /// A failed request that is repeated, or the failure at the end: one sentence for people, and the details.
  package var failure: Failure?

  /// A failure.
  package struct Failure: Hashable, Sendable {
    package var summary: String
    package var message: String

    package init(summary: String, message: String) {
      self.summary = summary
      self.message = message
    }
  }

  package init(
    _ request: BackfillRequest, state: State = .waiting, share: Double = 0, parts: Int = 0,
    events: Int = 0, inserted: Int = 0, failure: Failure? = nil
  ) {
    self.request = request
    self.state = state
    self.share = share
    self.parts = parts
    self.events = events
    self.inserted = inserted
    self.failure = failure
  }

  /// Whether it has not ended.
  var isActive: Bool { state == .waiting || state == .running }

  mutating func show(_ report: BackfillReport) {
    share = report.share
    parts = report.parts
    events = report.counts.received
    inserted = report.counts.inserted
  }

  /// Appends the API's JSON object.
  func write(to json: inout JSONWriter) {
    json.raw(#"{"state":"#)
    json.string(state.rawValue)
    json.raw(#","since":"#)
    json.integer(request.since.milliseconds)
    json.raw(#","until":"#)
    json.integer(request.until?.milliseconds)
    json.raw(#","minimumMagnitude":"#)
    json.number(request.minimumMagnitude)
    json.raw(#","share":"#)
    json.number(share)
    json.raw(#","parts":"#)
    json.integer(parts)
    json.raw(#","events":"#)
    json.integer(events)
    json.raw(#","inserted":"#)
    json.integer(inserted)
    json.raw(#","failure":"#)
    if let failure {
      json.raw(#"{"summary":"#)
      json.string(failure.summary)
      json.raw(#","message":"#)
      json.string(failure.message)
      json.raw("}}")
    } else {
      json.raw("null}")
    }
  }
}

extension BackfillStatus.Failure {
  init(_ error: any Error) {
    self.init(summary: Self.summary(error), message: "\(error)")
  }

  private static func summary(_ error: any Error) -> String {
    guard let error = error as? BackfillError else {
      return "The copy on this computer can't be read or written."
    }
    return switch error.code {
    case .tooManyEvents, .tooLarge: "The archive has too many earthquakes at one time."
    case .badRequest, .refused: "The archive refuses the request."
    case .notFound: "There is no archive at its address."
    case .busy: "The archive is busy."
    case .unavailable: "The archive can't be reached, or fails."
    case .truncated: "The archive's answer broke off before its end."
    default: "The archive sends something other than a list of earthquakes."
    }
  }
}
