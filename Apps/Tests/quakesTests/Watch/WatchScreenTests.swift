import Foundation
import QuakesKit
import Testing

@testable import quakes

@Suite("The live view as lines")
struct WatchScreenTests {
  private static let now = Date(timeIntervalSince1970: 1_750_000_100)
  private static let hostile =
    "\u{1b}[2J\u{9b}31m\u{202e}evil\r\n" + String(repeating: "x", count: 200)

  static func event(
    _ id: String, _ magnitude: Double? = 5.25, place: String? = "near", ago: Int = 100
  ) -> Event {
    Event(
      eventID: id, magnitude: magnitude, place: place, time: now.addingTimeInterval(Double(-ago)),
      updated: now, longitude: 0, latitude: 0, depth: 12, type: "earthquake", tsunami: false,
      significance: 0, code: "", net: "")
  }

  private static func status(_ state: FeedStatus.State = .fresh, total: Int = 3) -> FeedStatus {
    var status = FeedStatus(
      state: state, lastUpdated: 1_750_000_040_000, nextRefresh: 1_750_000_220_000,
      feedName: "all_day", feedURL: "", every: 300, maximumAge: 900, total: total)
    if state == .offline {
      status.lastError = .init(kind: .noConnection, message: "no \u{1b}[31mnet", at: 0)
    }
    if state == .empty { status.lastUpdated = nil }
    if state == .refreshing { status.progress = .init(bytes: 2_000, events: 7) }
    return status
  }

  private static func state(_ events: [Event], _ status: FeedStatus = status()) -> WatchState {
    var state = WatchState()
    state.show(
      EventPage(events: events, total: events.count), capacity: 50, isEmpty: false, at: now)
    state.status = status
    return state
  }

  private static func screen(
    colour: Bool = false, filter: String = "", refreshes: Bool = true
  ) throws -> WatchScreen {
    WatchScreen(
      filter: filter, refreshes: refreshes,
      terminal: Terminal(isInteractive: true, hasColour: colour, columns: 80),
      zone: try #require(TimeZone(identifier: "UTC")))
  }

  /// Returns the text without colours; other control sequences stay.
  private static func plain(_ line: String) -> String {
    line.replacing(/\u{1b}\[[0-9]+m/, with: "")
  }

  @Test("For any size and text, there are as many lines as rows, and none is too wide")
  func sizes() throws {
    let events = [
      Self.event("nc1", place: "日本の東の沖合およそ百キロメートルのあたり"), Self.event("nc2", nil, place: nil),
      Self.event("nc3" + Self.hostile, -0.5, place: Self.hostile), Self.event("nc4", 10),
    ]
    let states = [
      Self.state(events), Self.state([]), Self.state(events, Self.status(.offline)), WatchState(),
    ]
    for colour in [true, false] {
      let screen = try Self.screen(colour: colour, filter: "magnitude ≥ 4.5, “日本\u{1b}”")
      for state in states {
        for columns in [1, 2, 5, 9, 10, 17, 18, 26, 27, 39, 40, 54, 55, 74, 75, 87, 88, 200] {
          for rows in 1...9 {
            let lines = screen.lines(
              state, size: TerminalSize(columns: columns, rows: rows), at: Self.now)
            #expect(lines.count == rows)
            for line in lines.map(Self.plain) {
              #expect(PlainText.width(line) <= columns, "\(columns): \(line)")
              #expect(PlainText.neutralised(line) == line, "\(columns)")
            }
          }
        }
      }
    }
  }

  @Test(
    "A line has the fields that fit: place and magnitude first, then time, depth, identifier, age")
  func columns() throws {
    let screen = try Self.screen()
    let state = Self.state([Self.event("nc1", place: "Here")])
    func row(_ columns: Int) -> String {
      screen.lines(state, size: TerminalSize(columns: columns, rows: 5), at: Self.now)[2]
    }
    #expect(row(92).hasPrefix("  2025-06-15 15:06:40 UTC    1 min    5.3    12 km  Here"))
    #expect(row(92).hasSuffix("nc1           "))
    #expect(row(79).contains("nc1") && !row(79).contains("1 min"))
    #expect(row(60).contains("2025-06-15") && row(60).contains("12 km") && !row(60).contains("nc1"))
    #expect(row(40).hasPrefix("  15:06:40    5.3    12 km  Here"))
    #expect(row(30).hasPrefix("  15:06:40    5.3  Here"))
    #expect(row(14) == "    5.3  Here ")
  }

  @Test("New and changed events are marked for a minute, with signs that need no colour")
  func marks() throws {
    var state = Self.state([Self.event("nc1"), Self.event("nc2", ago: 200)])
    let page = EventPage(
      events: [Self.event("nc9", ago: 50), Self.event("nc1", 6), Self.event("nc2", ago: 200)],
      total: 3)
    state.show(page, capacity: 50, isEmpty: false, at: Self.now)
    func starts(_ date: Date) throws -> [Character?] {
      let size = TerminalSize(columns: 80, rows: 6)
      return try Self.screen().lines(state, size: size, at: date)[2..<5].map(\.first)
    }
    #expect(try starts(Self.now) == ["+", "~", " "])
    #expect(try starts(Self.now.addingTimeInterval(59)) == ["+", "~", " "])
    #expect(try starts(Self.now.addingTimeInterval(61)) == [" ", " ", " "])
  }

  @Test("Events of the first filling, or shown only for more room, aren't marked; changed ones are")
  func news() {
    func marks(_ state: WatchState) -> [WatchState.Mark?] {
      state.events.map { state.mark(of: $0, at: Self.now) }
    }
    func show(_ state: inout WatchState, _ events: [Event], _ capacity: Int, isEmpty: Bool = false)
    {
      state.show(
        EventPage(events: events, total: 9), capacity: capacity, isEmpty: isEmpty, at: Self.now)
    }
    let events = (1...5).map { Self.event("nc\($0)", ago: $0 * 10) }
    var state = WatchState()
    show(&state, [], 2, isEmpty: true)
    show(&state, Array(events[0..<2]), 2)
    #expect(marks(state) == [nil, nil])
    // Only two events fitted.
    show(&state, Array(events[0..<4]), 4)
    #expect(marks(state) == [nil, nil, nil, nil])
    // One event was removed, so that another one moves up.
    show(&state, Array(events[1..<5]), 4)
    #expect(marks(state) == [nil, nil, nil, nil])
    // Late, but before an event that was shown.
    show(&state, [events[1], Self.event("nc8", ago: 25), events[2], events[3]], 4)
    #expect(marks(state) == [nil, .new, nil, nil])
    // A new event that changes stays new.
    show(&state, [events[1], Self.event("nc8", 7, ago: 25), events[2], events[3]], 4)
    #expect(marks(state) == [nil, .new, nil, nil])
    // More events fit, and more arrive.
    show(&state, Array(events[0..<2]), 9)
    show(&state, Array(events[0..<3]), 9)
    #expect(marks(state) == [.new, nil, .new])
    // A filter that matched no event matches one.
    show(&state, [], 9)
    show(&state, [events[3]], 9)
    #expect(marks(state) == [.new])
  }

  @Test("Properties that aren't shown are no news, those that are shown are")
  func hiddenProperties() {
    var state = WatchState()
    func mark(_ event: Event) -> WatchState.Mark? {
      let page = EventPage(events: [event], total: 1)
      state.show(page, capacity: 1, isEmpty: false, at: Self.now)
      return state.mark(of: event, at: Self.now)
    }
    var event = Self.event("nc1")
    #expect(mark(event) == nil)
    event.stations = 12
    event.url = "javascript:alert(1)"
    #expect(mark(event) == nil)
    event.felt = 3
    #expect(mark(event) == .changed)
  }

  @Test(
    "The last line shows the copy's state and the time of the next refresh",
    arguments: [
      (FeedStatus.State.fresh, "all_day: updated 1 min ago · next refresh in 2 min"),
      (.stale, "all_day: updated 1 min ago, that is old · next refresh in 2 min"),
      (.empty, "all_day: not loaded yet · next refresh in 2 min"),
      (.refreshing, "all_day: loading … 7 events, 2.0 kB"),
      (.offline, "all_day: offline, updated 1 min ago · next try in 2 min · no \u{fffd}[31mnet"),
    ])
  func statusLine(state: FeedStatus.State, text: String) throws {
    let lines = try Self.screen().lines(
      Self.state([], Self.status(state)), size: TerminalSize(columns: 99, rows: 5), at: Self.now)
    #expect(lines.last == text)
  }

  @Test("Only a feed that can't be reached is called offline")
  func failures() throws {
    for kind in FeedStatus.Failure.Kind.allCases where kind != .noConnection {
      var status = Self.status(.offline)
      status.lastError = .init(kind: kind, message: "why", at: 0)
      let lines = try Self.screen().lines(
        Self.state([], status), size: TerminalSize(columns: 99, rows: 5), at: Self.now)
      #expect(
        lines.last
          == "all_day: the last refresh failed, updated 1 min ago · next try in 2 min · why")
    }
  }

  @Test("An unreadable store is reported, and the last events stay visible")
  func problem() throws {
    var state = Self.state([Self.event("nc1", place: "Here")])
    state.problem = "the store cannot be read"
    let lines = try Self.screen(colour: true).lines(
      state, size: TerminalSize(columns: 80, rows: 5), at: Self.now)
    #expect(lines[4] == "\u{1b}[31mthe store cannot be read\u{1b}[0m" && lines[2].contains("Here"))
  }

  @Test("The title describes the selection; an empty view shows the reason")
  func title() throws {
    let size = TerminalSize(columns: 80, rows: 5)
    let all = try Self.screen().lines(Self.state([Self.event("nc1")]), size: size, at: Self.now)
    #expect(all[0].hasPrefix("Quakes · 3 events ") && all[0].hasSuffix(" r refresh · q quit"))
    let some = try Self.screen(filter: "magnitude ≥ 5.0", refreshes: false).lines(
      Self.state([]), size: size, at: Self.now)
    #expect(some[0].hasPrefix("Quakes · 0 of 3 events: magnitude ≥ 5.0 "))
    #expect(some[0].hasSuffix("  q quit") && some[2] == "  No event matches.")
    let unread = try Self.screen().lines(Self.state([]), size: size, at: Self.now)
    #expect(unread[2] == "  Reading the events …")
    let empty = Self.state([], Self.status(.empty, total: 0))
    #expect(try Self.screen().lines(empty, size: size, at: Self.now)[2].contains("first refresh"))
    #expect(
      try Self.screen(refreshes: false).lines(empty, size: size, at: Self.now)[2]
        .contains("`quakes refresh`"))
  }

  @Test("Only lines that differ are painted; after something else was on the screen, all are")
  func painting() {
    var painter = ScreenPainter()
    func paint(_ lines: [String]) -> String {
      String(decoding: painter.paint(lines), as: UTF8.self)
    }
    #expect(
      paint(["a", "b", ""]) == "\u{1b}[2J\u{1b}[1;1H\u{1b}[2Ka\u{1b}[2;1H\u{1b}[2Kb")
    #expect(paint(["a", "b", ""]).isEmpty)
    #expect(paint(["a", "", "c"]) == "\u{1b}[2;1H\u{1b}[2K\u{1b}[3;1H\u{1b}[2Kc")
    painter.forget()
    #expect(paint(["a"]) == "\u{1b}[2J\u{1b}[1;1H\u{1b}[2Ka")
  }

  @Test("Keys: q, Ctrl-D and Ctrl-C end, r refreshes, Ctrl-Z and Ctrl-L; arrows are nothing")
  func keys() {
    func wishes(_ text: String) -> [TerminalInput.Wish] { TerminalInput.wishes(in: text.utf8) }
    #expect(wishes("q") == [.quit] && wishes("\u{4}") == [.quit] && wishes("\u{3}") == [.quit])
    #expect(wishes("xr\u{c}\u{1a}") == [.refresh, .redraw, .suspend])
    #expect(wishes("\u{1b}[A").isEmpty && wishes("\u{1b}Oq").isEmpty && wishes("").isEmpty)
  }

  @Test(
    "Ages are in the largest unit that fits",
    arguments: [
      (-5.0, "now"), (0.9, "now"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"),
      (86_400, "1 d"), (8_639_999, "99 d"), (9e9, ">99 d"),
    ])
  func ages(seconds: Double, text: String) {
    #expect(Age.text(seconds: seconds) == text)
  }
}
