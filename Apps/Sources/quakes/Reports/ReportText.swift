import Foundation
import HTTPContent
import LocalCopy
import QuakesKit
import WireFormats

/// The report of a refresh, for users and for programs.
struct ReportText {
  private static let shownDetails = 10
  private let report: RefreshReport
  private let feed: FeedSelection
  private let store: StoreLocation

  init(_ report: RefreshReport, feed: FeedSelection, store: StoreLocation) {
    self.report = report
    self.feed = feed
    self.store = store
  }

  /// The report as a few lines of text.
  var plain: [UInt8] {
    let seconds = EventTable.decimal(report.duration, 2)
    guard !report.notModified else {
      return Array("\(feed.name): nothing new (\(seconds) s)\n".utf8)
    }
    var lines = [
      "\(feed.name): \(report.received) events in \(ProgressBar.size(report.bytesReceived)), "
        + "\(seconds) s",
      "  new       \(report.inserted)",
      "  changed   \(report.updated)",
      "  unchanged \(report.unchanged)",
    ]
    if report.filtered > 0 {
      lines.append(
        "  left out  \(report.filtered)  (magnitude not above 0; --all-magnitudes keeps them)")
    }
    if report.skipped > 0 { lines.append("  unusable  \(report.skipped)") }
    if let gone = report.concluded, gone > 0 {
      lines.append(
        "  gone      \(gone)  (withdrawn, renamed or revised; "
          + "list --withdrawn shows the withdrawn ones)")
    }
    for detail in report.details.prefix(Self.shownDetails) {
      lines.append("    \(detail.path): \(PlainText.neutralised(detail.reason))")
    }
    if report.details.count > Self.shownDetails {
      lines.append("    … --json lists more")
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The report as one JSON object on one line.
  var json: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"feed":"#)
    json.string(feed.name)
    json.raw(#","source":"#)
    json.string(report.source)
    json.raw(#","store":"#)
    json.string(store.description)
    json.raw(#","received":"#)
    json.integer(report.received)
    json.raw(#","inserted":"#)
    json.integer(report.inserted)
    json.raw(#","updated":"#)
    json.integer(report.updated)
    json.raw(#","unchanged":"#)
    json.integer(report.unchanged)
    json.raw(#","filtered":"#)
    json.integer(report.filtered)
    json.raw(#","skipped":"#)
    json.integer(report.skipped)
    json.raw(#","gone":"#)
    json.integer(report.concluded ?? 0)
    json.raw(#","bytes":"#)
    json.integer(report.bytesReceived)
    json.raw(#","bytesDecoded":"#)
    json.integer(report.bytesDecoded)
    json.raw(#","duration":"#)
    json.number(report.duration)
    json.raw(#","notModified":"#)
    json.boolean(report.notModified)
    json.raw(#","attempts":"#)
    json.integer(report.attempts)
    json.raw(#","details":["#)
    writeDetails(to: &json)
    json.raw("]}\n")
    return json.bytes
  }

  private func writeDetails(to json: inout JSONWriter) {
    for (position, detail) in report.details.enumerated() {
      if position > 0 { json.raw(",") }
      json.raw(#"{"index":"#)
      json.integer(detail.index)
      json.raw(#","path":"#)
      json.string("\(detail.path)")
      json.raw(#","reason":"#)
      json.string(detail.reason)
      json.raw("}")
    }
  }
}
