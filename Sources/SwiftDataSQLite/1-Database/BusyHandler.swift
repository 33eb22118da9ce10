import CSQLite
import Foundation

/// The way in which a connection waits while another one writes.
///
/// SQLite's own time-out waits longer from try to try, up to 100 ms, so among many writers those that have waited
/// longest try least often, and one may be starved for the whole ten seconds. Here every waiting connection tries again
/// after about the same time, chosen at random for each try, so all have the same chance, and a free lock is taken
/// soon.
enum BusyHandler {
  /// The number of microseconds after which a waiting statement fails.
  private static let busyTimeout: Int64 = 10_000_000
  /// The longest pause, in microseconds, by number of tries. The mean pause is three quarters of it.
  private static func maximumPause(_ tries: Int32) -> Int64 {
    switch tries {
    case ..<4: 200
    case ..<100: 1_000
    default: 4_000
    }
  }

  static func install(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { _, tries in
        guard BusyHandler.waited(tries) < BusyHandler.busyTimeout else { return 0 }
        let longest = BusyHandler.maximumPause(tries)
        usleep(UInt32(Int64.random(in: longest / 2...longest)))
        return 1
      }, nil)
  }

  static func uninstall(on handle: OpaquePointer) {
    sqlite3_busy_handler(handle, nil, nil)
  }

  /// The approximate time that a statement has waited after a number of tries, in microseconds. Time by which a sleep
  /// exceeds the requested pause isn't counted.
  private static func waited(_ tries: Int32) -> Int64 {
    let tries = Int64(tries)
    let short = min(tries, 4) * 150
    let middle = max(0, min(tries, 100) - 4) * 750
    return short + middle + max(0, tries - 100) * 3_000
  }
}
