import Foundation
import QuakesKit

/// Renders the live view as lines: a function of its state, the terminal's size and the time.
struct WatchScreen {
  /// The user's filter, as the title shows it, such as `magnitude ≥ 4.5`; may be empty.
  let filter: String
  /// Whether this program refreshes the feed periodically.
  let refreshes: Bool
  let terminal: Terminal
  let zone: TimeZone
  var unit = DistanceUnit.kilometres

  /// Returns the number of events that fit into a number of rows.
  static func capacity(rows: Int) -> Int {
    max(0, rows - (rows >= 2 ? 1 : 0) - (rows >= 3 ? 1 : 0) - (rows >= 5 ? 1 : 0))
  }

  /// Returns as many lines as the terminal has, each no wider than it is. A small terminal shows no
  /// heading, a smaller one also no title, the smallest also no status line.
  func lines(_ state: WatchState, size: TerminalSize, at now: Date) -> [String] {
    let row = WatchRow(terminal: terminal, columns: size.columns, zone: zone, unit: unit)
    var lines: [String] = []
    if size.rows >= 3 { lines.append(title(state, size.columns)) }
    if size.rows >= 5 { lines.append(row.heading) }
    let room = Self.capacity(rows: size.rows)
    var body = state.events.prefix(room).map { event in
      row.row(event, mark: state.mark(of: event, at: now), now: now)
    }
    if body.isEmpty, room > 0 { body = [nothing(state, size.columns)] }
    lines += body + Array(repeating: "", count: max(0, room - body.count))
    if size.rows >= 2 { lines.append(statusLine(state, size.columns, now)) }
    return lines
  }

  private func title(_ state: WatchState, _ columns: Int) -> String {
    let total = state.status?.total ?? state.matching
    let count =
      filter.isEmpty ? Self.count(total) : "\(state.matching) of \(Self.count(total)): \(filter)"
    let left = PlainText.neutralised("Quakes · \(count)")
    let keys = refreshes ? "r refresh · q quit" : "q quit"
    let room = columns - PlainText.width(keys) - 2
    let text =
      PlainText.width(left) <= room
      ? TextColumn.left(left, room + 2) + keys : PlainText.fitted(left, columns: columns)
    return terminal.styled(text, .bold)
  }

  private func nothing(_ state: WatchState, _ columns: Int) -> String {
    let text: String
    if state.status?.total ?? 0 > 0 {
      // Without a filter, the events were only not read yet.
      text = filter.isEmpty ? "  Reading the events …" : "  No event matches."
    } else if refreshes {
      text = "  The store is empty; events come with the first refresh."
    } else {
      text = "  The store is empty; `quakes refresh` loads events."
    }
    return PlainText.fitted(text, columns: columns)
  }

  private func statusLine(_ state: WatchState, _ columns: Int, _ now: Date) -> String {
    let (text, style) = statusText(state, now)
    return terminal.styled(
      PlainText.fitted(PlainText.neutralised(text), columns: columns), style)
  }

  private func statusText(_ state: WatchState, _ now: Date) -> (String, Terminal.Style?) {
    if let problem = state.problem { return (problem, .red) }
    let (text, style) = feedText(state, now)
    guard let failure = state.commandFailure else { return (text, style) }
    return (text.isEmpty ? failure : "\(failure) · \(text)", .red)
  }

  private func feedText(_ state: WatchState, _ now: Date) -> (String, Terminal.Style?) {
    guard let status = state.status else { return ("", nil) }
    var parts: [String] = []
    let updated = status.lastUpdated.map { Self.ago($0, now) }
    var style: Terminal.Style?
    switch status.state {
    case .empty:
      // The store may have other feeds' events, or this program doesn't load the feed.
      parts.append("not loaded yet")
    case .fresh:
      parts.append("updated \(updated ?? "now")")
      style = .green
    case .stale:
      parts.append("updated \(updated ?? "long ago"), that is old")
      style = .yellow
    case .refreshing:
      parts.append("loading … " + Self.progress(status.progress))
    case .offline:
      let isOffline = status.lastError?.kind == .noConnection
      let word = isOffline ? "offline" : "the last refresh failed"
      parts.append(updated.map { "\(word), updated \($0)" } ?? "\(word), nothing loaded yet")
      style = .red
    }
    if let next = status.nextRefresh, status.state != .refreshing {
      let wait = max(0, Double(next) / 1_000 - now.timeIntervalSince1970)
      let what = status.state == .offline ? "next try" : "next refresh"
      parts.append(what + (wait < 1 ? " now" : " in " + Age.text(seconds: wait)))
    }
    if let error = status.lastError, status.state == .offline { parts.append(error.message) }
    return ("\(status.feedName): " + parts.joined(separator: " · "), style)
  }

  private static func progress(_ progress: FeedStatus.Progress?) -> String {
    guard let progress, progress.bytes > 0 else { return "" }
    return "\(count(progress.events)), \(ProgressBar.size(progress.bytes))"
  }

  private static func ago(_ milliseconds: Int, _ now: Date) -> String {
    let age = Age.text(since: Date(timeIntervalSince1970: Double(milliseconds) / 1_000), now: now)
    return age == "now" ? age : age + " ago"
  }

  private static func count(_ number: Int) -> String {
    number == 1 ? "1 event" : "\(number) events"
  }
}
