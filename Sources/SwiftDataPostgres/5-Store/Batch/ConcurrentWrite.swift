import Foundation
import SwiftDataCore

/// Rows that are written on a thread of their own, while the program makes the next ones. Until ``finish()`` returns,
/// nothing else uses the connection or the merge.
final class ConcurrentWrite {
  /// The number of rows from which a thread of their own is worthwhile.
  static let minimumCount = 2_000

  /// Whether another thread would get a processor.
  static var isWorthwhile: Bool { ProcessInfo.processInfo.activeProcessorCount > 1 }

  /// The exchanged values: the thread's until it signals the end, the caller's from then on.
  private final class Exchange: @unchecked Sendable {
    var merge: RowMerge
    var rows: [_RowWriter]
    var lookups: [PostgresCommand]?
    let connection: PostgresConnection
    var outcomes: Result<[WriteOutcome], any Error> = .success([])
    let end = DispatchSemaphore(value: 0)

    init(
      _ merge: RowMerge, _ rows: [_RowWriter], _ lookups: [PostgresCommand]?,
      _ connection: PostgresConnection
    ) {
      self.merge = merge
      self.rows = rows
      self.lookups = lookups
      self.connection = connection
    }

    func run() {
      let (rows, lookups) = (self.rows, self.lookups)
      self.rows = []
      self.lookups = nil
      outcomes = Result { try merge.write(rows, lookups: lookups, on: connection) }
      end.signal()
      // They are released here, which takes milliseconds, and not by the caller, for whose next rows the server waits.
      withExtendedLifetime((rows, lookups)) {}
    }
  }

  private let exchange: Exchange

  /// Begins to write rows with different unique values.
  ///
  /// - Parameter lookups: The rows' ``RowMerge/lookups(of:)``, where they were made before.
  init(
    _ rows: [_RowWriter], lookups: [PostgresCommand]?, with merge: RowMerge,
    on connection: PostgresConnection
  ) {
    let exchange = Exchange(merge, rows, lookups, connection)
    self.exchange = exchange
    let thread = Thread { exchange.run() }
    thread.name = "SwiftData batch"
    thread.start()
  }

  /// Waits for the end. It is called once.
  ///
  /// - Returns: The outcomes of the rows, or the error that ended the transaction, and the merge for the next rows.
  func finish() -> (outcomes: Result<[WriteOutcome], any Error>, merge: RowMerge) {
    exchange.end.wait()
    return (exchange.outcomes, exchange.merge)
  }
}
