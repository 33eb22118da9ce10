import Foundation
import HTTPContent
import QuakesKit
import WireFormats

/// The report of a back-fill, for users and for programs.
struct BackfillText {
  private let report: BackfillReport
  private let service: EventService
  private let store: StoreLocation
  private let minimumMagnitude: Double?
  private let seconds: Double

  /// - Parameter seconds: The time that it took.
  init(
    _ report: BackfillReport, service: EventService, store: StoreLocation,
    minimumMagnitude: Double?, seconds: Double
  ) {
    self.report = report
    self.service = service
    self.store = store
    self.minimumMagnitude = minimumMagnitude
    self.seconds = seconds
  }

  /// Describes the last step for the line of progress.
  static func step(_ progress: BackfillProgress) -> String {
    switch progress.step {
    case .loaded:
      let counts = progress.report.counts
      return "\(counts.received) events, \(counts.inserted) new,"
        + " back to \(RangeText.time(progress.part.lowerBound))"
    case .divided:
      return "too many events since \(RangeText.time(progress.part.lowerBound)), asking for less"
    case .waiting(let pause, let error):
      return "again in \(Int((pause / .seconds(1)).rounded(.up))) s: \(error.reason)"
    }
  }

  /// The report as a few lines of text.
  var plain: [UInt8] {
    let range = RangeText.times(report.range)
    guard report.missing > 0 else {
      return Array("\(range): already loaded; --force loads it again\n".utf8)
    }
    let counts = report.counts
    var lines = [
      "\(range): \(counts.received) events in \(report.parts) part"
        + "\(report.parts == 1 ? "" : "s"), \(EventTable.decimal(seconds, 2)) s",
      "  new       \(counts.inserted)",
      "  changed   \(counts.updated)",
      "  unchanged \(counts.unchanged)",
    ]
    if counts.older > 0 {
      lines.append("  older     \(counts.older)  (the store has newer revisions)")
    }
    if counts.filtered > 0 {
      lines.append(
        "  left out  \(counts.filtered)  (magnitude not above 0; --all-magnitudes keeps them)")
    }
    if counts.renamed > 0 {
      lines.append("  renamed   \(counts.renamed)  (stored under a former identifier)")
    }
    if counts.skipped > 0 { lines.append("  unusable  \(counts.skipped)") }
    lines += report.details.map { "    " + $0 }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The report as one JSON object on one line.
  var json: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"service":"#)
    json.string(service.description)
    json.raw(#","store":"#)
    json.string(store.description)
    json.raw(#","since":"#)
    json.integer(report.range.lowerBound * 1_000)
    json.raw(#","until":"#)
    json.integer(report.range.upperBound * 1_000)
    json.raw(#","minimumMagnitude":"#)
    json.number(minimumMagnitude)
    let counts = report.counts
    for (name, number) in [
      ("parts", report.parts), ("requests", report.requests), ("received", counts.received),
      ("inserted", counts.inserted), ("updated", counts.updated),
      ("unchanged", counts.unchanged), ("older", counts.older), ("filtered", counts.filtered),
      ("renamed", counts.renamed), ("skipped", counts.skipped),
    ] {
      json.raw(",")
      json.string(name)
      json.raw(":")
      json.integer(number)
    }
    json.raw(#","duration":"#)
    json.number(seconds)
    json.raw(#","details":["#)
    for (position, detail) in report.details.enumerated() {
      if position > 0 { json.raw(",") }
      json.string(detail)
    }
    json.raw("]}\n")
    return json.bytes
  }
}
