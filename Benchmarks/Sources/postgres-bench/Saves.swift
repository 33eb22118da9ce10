import BenchmarkSupport
import Foundation
import Synchronization

/// Small saves on several connections at once.
enum Saves {
  /// The saves of a connection before those that are measured: it is opened, and the server has planned its statements.
  static let warmUp = 0..<8

  /// The measured saves of each connection: all together one for each twenty rows.
  static func measured(_ rows: Int, connections: Int) -> Range<Int> {
    warmUp.upperBound..<warmUp.upperBound + max(1, rows / 20 / connections)
  }

  /// The run of saves on connections of their own. Those of the warm-up are made before it.
  ///
  /// - Parameters:
  ///   - save: Makes the saves of a connection with the numbers in a range.
  ///   - checksum: The checksum of what is stored after all of them.
  static func run(
    _ rows: Int, connections: Int, checksum: @escaping () throws -> UInt64,
    _ save: @escaping @Sendable (_ connection: Int, _ numbers: Range<Int>) throws -> Void
  ) throws -> Run {
    try onThreads(connections) { try save($0, warmUp) }
    let measured = measured(rows, connections: connections)
    return Run(
      work: { try onThreads(connections) { try save($0, measured) } }, checksum: checksum)
  }

  /// Runs `body` on threads of their own, since every call waits for the server.
  private static func onThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
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
