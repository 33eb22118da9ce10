import CSQLite
import Foundation

/// How a connection waits while another one writes.
///
/// SQLite's own time-out waits longer from try to try, up to 100 ms, so among many writers those that have waited
/// longest look least often, and one may get nothing for the whole ten seconds. Here everybody looks again after about
/// the same time, drawn anew for each try, so all have the same chance, and a lock that is free is taken soon.
enum WriterQueue {
  /// Microseconds after which a waiting statement fails.
  private static let patience: Int64 = 10_000_000
  /// The longest pause, in microseconds, by number of tries. The mean pause is three quarters of it.
  private static func longestPause(_ tries: Int32) -> Int64 {
    switch tries {
    case ..<4: 200
    case ..<100: 1_000
    default: 4_000
    }
  }

  static func wait(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { _, tries in
        guard WriterQueue.waited(tries) < WriterQueue.patience else { return 0 }
        let longest = WriterQueue.longestPause(tries)
        usleep(UInt32(Int64.random(in: longest / 2...longest)))
        return 1
      }, nil)
  }

  static func dontWait(on handle: OpaquePointer) { sqlite3_busy_handler(handle, nil, nil) }

  /// About how long a statement has waited after so many tries, in microseconds: what a sleep takes longer than asked
  /// for counts for the one who waits.
  private static func waited(_ tries: Int32) -> Int64 {
    let tries = Int64(tries)
    let short = min(tries, 4) * 150
    let middle = max(0, min(tries, 100) - 4) * 750
    return short + middle + max(0, tries - 100) * 3_000
  }
}
