import BenchmarkSupport
import Foundation
import Synchronization

/// Small saves on several connections at once.
enum Saves {
  /// The number of saves of each connection: all together one for each fifty rows.
  static func count(_ rows: Int, connections: Int) -> Int { max(1, rows / 50 / connections) }

  /// Runs `body` on threads of their own, since every call waits for the server.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        do { try body(number) } catch { failure.withLock { $0 = error } }
        group.leave()
      }
      thread.start()
    }
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// The number and the values of all stores' readings.
  static func checksum(_ schemas: [String], table: String) throws -> UInt64 {
    var sum: Int64 = 0
    for schema in schemas {
      sum += try RawPostgres(schema: schema).integer(
        "SELECT (count(*) * 1000003 + sum(value) + sum(length(label)))::bigint FROM \"\(table)\"")
    }
    return UInt64(bitPattern: sum)
  }
}
