import Foundation
import QuakesKit
import Synchronization

/// The live view on a terminal: waits for changes and shows them.
struct WatchView: Sendable {
  /// The occasions for updating the view.
  private enum Occasion: Hashable, Sendable {
    case changes, status, second
    case wish(TerminalInput.Wish)
  }

  /// The number of requests to quit after which a further one ends the program immediately.
  private static let patience = 2
  /// The time after which the window of `--since` is moved, in seconds.
  private static let windowStep = 30.0

  let source: LiveSource
  /// The query for the events; evaluated repeatedly, because `24h` changes its meaning.
  let query: @Sendable () throws -> EventQuery
  /// The maximum number of events; as many as fit when nil.
  let limit: Int?
  let screen: WatchScreen
  let terminal = ScreenTerminal()
  /// The failures of the commands of `--run`; nil without them.
  var failures: CommandFailures?

  /// Shows the view until the user or a signal ends it.
  /// - Throws: The errors that prevent the view from starting, and `POSIXError` when the terminal
  ///   fails.
  func run() async throws {
    var state = WatchState()
    // An error of the store is reported before the screen is switched, where the user can read it.
    try await load(into: &state, terminal.size)
    defer { terminal.leave() }
    let occasions = Mailbox<Set<Occasion>>([])
    let quits = Mutex(0)
    let input = TerminalInput { [terminal] wish in
      if wish == .quit {
        let asked = quits.withLock { asked in
          asked += 1
          return asked
        }
        if asked > Self.patience {
          // A store that doesn't answer must not keep the program from ending.
          terminal.leave()
          exit(ExitStatus.interrupted)
        }
      }
      occasions.put { $0.insert(.wish(wish)) }
    }
    defer { input.cancel() }
    try terminal.enter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await keepUp() }
      group.addTask {
        for await update in await source.updates() {
          switch update {
          case .changes: occasions.put { $0.insert(.changes) }
          case .status: occasions.put { $0.insert(.status) }
          }
        }
      }
      group.addTask {
        while await LiveSource.pause(.seconds(1)) { occasions.put { $0.insert(.second) } }
      }
      defer {
        // Restore the screen first: ending the tasks may take a moment.
        terminal.leave()
        group.cancelAll()
      }
      try await show(state, occasions)
    }
  }

  private func keepUp() async {
    if screen.refreshes {
      await RefreshLoop(source).untilCancelled()
    } else {
      await source.keepUp()
    }
  }

  private func show(_ state: WatchState, _ occasions: Mailbox<Set<Occasion>>) async throws {
    var showing = Showing(view: self, state: state, size: terminal.size)
    var news: Set<Occasion> = [.changes]
    repeat {
      do {
        try await showing.react(to: news)
      } catch let error as POSIXError where error.code == .EIO {
        return  // The terminal has been closed.
      }
      guard let next = await occasions.next(Self.taken) else { return }
      news = next
    } while !news.contains(.wish(.quit))
  }

  private static func taken(_ occasions: inout Set<Occasion>) -> Set<Occasion>? {
    defer { occasions = [] }
    return occasions.isEmpty ? nil : occasions
  }

  fileprivate func load(into state: inout WatchState, _ size: TerminalSize) async throws {
    var query = try query()
    let capacity = max(1, min(limit ?? .max, WatchScreen.capacity(rows: size.rows)))
    query.limit = capacity
    let page = try await source.page(query)
    let status = try await source.status()
    state.show(page, capacity: capacity, isEmpty: status.total == 0, at: Date())
    state.status = status
  }

  /// The state of the view between occasions.
  private struct Showing {
    let view: WatchView
    var state: WatchState
    var size: TerminalSize
    var painter = ScreenPainter()
    var loaded = Date.distantPast
    /// The time at which the program was stopped; nil after it continues.
    var stopped: Date?

    mutating func react(to news: Set<Occasion>) async throws {
      if news.contains(.wish(.refresh)), view.screen.refreshes { await view.source.refresh() }
      guard try hasScreen(news) else { return }
      await read(news)
      state.commandFailure = view.failures?.latest
      let lines = view.screen.lines(state, size: size, at: Date())
      try view.terminal.write(painter.paint(lines))
    }

    /// Stops the program on suspend, and takes the screen back on resume. Returns whether it has
    /// the screen.
    private mutating func hasScreen(_ news: Set<Occasion>) throws -> Bool {
      if news.contains(.wish(.suspend)) {
        stopped = Date()
        view.terminal.stop()
      }
      if let since = stopped {
        // Without a shell the program isn't stopped, and no signal resumes it; then it continues
        // after 0.5 s.
        let isBack = news.contains(.wish(.resume)) || abs(since.timeIntervalSinceNow) > 0.5
        guard isBack else { return false }
        stopped = nil
        try view.terminal.enter()
        repaint()
      }
      if news.contains(.wish(.resume)) { try view.terminal.renew() }
      if !news.isDisjoint(with: [.wish(.resume), .wish(.resize), .wish(.redraw)]) { repaint() }
      return true
    }

    private mutating func repaint() {
      size = view.terminal.size
      painter.forget()
    }

    private mutating func read(_ news: Set<Occasion>) async {
      let isOld = abs(loaded.timeIntervalSinceNow) >= WatchView.windowStep
      let isQuiet = news.isSubset(of: [.second, .status, .wish(.refresh)])
      do {
        if isOld || !isQuiet {
          try await view.load(into: &state, size)
          loaded = Date()
        } else if news.contains(.status) {
          state.status = try await view.source.status()
        }
      } catch {
        state.problem = "\(error)"
      }
    }
  }
}
