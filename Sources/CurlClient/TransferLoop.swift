import CLibcurl
import Foundation
import Synchronization

/// The thread on which the library works for one client: it starts with a request, and ends when there were none for a
/// minute, with its connections.
final class TransferLoop: Sendable {
  private enum Command {
    case start(Transfer)
    case resume(Transfer)
    case end(Transfer)
  }

  private struct State {
    var commands: [Command] = []
    var isStopped = false
    /// The library's handle while the thread runs; waking it up is all that other threads do with it.
    nonisolated(unsafe) var multi: UnsafeMutableRawPointer?
  }

  /// The time that connections without requests stay open.
  private static let idleTime = 60_000

  private let state = Mutex(State())

  /// The set-up of the library, once in a process.
  private static let isSetUp = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  func start(_ transfer: Transfer) { send(.start(transfer)) }
  func resume(_ transfer: Transfer) { send(.resume(transfer)) }
  func end(_ transfer: Transfer) { send(.end(transfer)) }

  /// Ends the thread; no transfer is under way any more.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      if let multi = state.multi { curl_multi_wakeup(multi) }
    }
  }

  private func send(_ command: Command) {
    let isRunning = state.withLock { state in
      if let multi = state.multi {
        state.commands.append(command)
        curl_multi_wakeup(multi)
        return true
      }
      // Without a thread only a start needs one.
      guard case .start = command, Self.isSetUp, let multi = curl_multi_init() else { return false }
      state.commands.append(command)
      state.multi = multi
      let thread = Thread { [self] in run() }
      thread.name = "HTTP"
      thread.start()
      return true
    }
    if !isRunning, case .start(let transfer) = command {
      transfer.finish(CurlError(.unreachable, "libcurl can't be set up"))
    }
  }

  // MARK: The thread

  private func run() {
    ignorePipeSignals()
    // swift-format-ignore: NeverForceUnwrap
    let multi = state.withLock { $0.multi }!
    let transfers = Transfers(multi)
    while let commands = next(transfers) {
      for command in commands {
        switch command {
        case .start(let transfer): transfers.start(transfer)
        case .resume(let transfer): transfers.resume(transfer)
        case .end(let transfer): transfers.end(transfer)
        }
      }
      transfers.perform()
      transfers.wait(Self.idleTime)
    }
  }

  /// Returns the commands since the last time; nil when the thread has to end.
  private func next(_ transfers: Transfers) -> [Command]? {
    state.withLock { state in
      defer { state.commands = [] }
      guard !transfers.isIdle || !state.commands.isEmpty || !transfers.hasWaitedLong,
        !state.isStopped
      else {
        // Nobody wakes the handle up any more.
        state.multi = nil
        return nil
      }
      return state.commands
    }
  }

  /// A connection that the server closed gives an error, instead of the signal that ends the process.
  private func ignorePipeSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
