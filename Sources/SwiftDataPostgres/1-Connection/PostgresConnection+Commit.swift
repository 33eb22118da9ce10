import CPostgres
import SwiftDataCore

/// The connection was lost while COMMIT was sent, or before its answer: it isn't known whether the transaction is
/// stored.
package struct UncertainCommit: Error {
  package let cause: StoreError
}

extension PostgresConnection {
  /// Runs the last statements of a transaction and commits it, with one wait. A part of another transaction only ends,
  /// and nobody is notified.
  ///
  /// - Parameter notice: A statement in a transaction of its own that follows the commit. Its failure is no failure of
  ///   the transaction.
  /// - Returns: The results of the statements.
  /// - Throws: ``UncertainCommit``, or the error of a transaction that isn't stored.
  package func commit(
    after commands: [PostgresCommand] = [], then notice: PostgresCommand? = nil
  ) throws -> [PostgresResult] {
    guard !isPart else {
      let results = try run(commands)
      try commit()
      return results
    }
    let end = PostgresCommand("COMMIT", isFrequent: true)
    let earlier = try takeDeferred(before: commands)
    let all = earlier + commands + [end] + (notice.map { [$0] } ?? [])
    do {
      return try exclusively {
        let forms = try forms(of: all)
        let runs = zip(earlier, forms).map { ($0, beginCounting($0, $1)) }
        return try sendingInPipeline(all, forms) {
          depth = 0
          for (command, run) in runs {
            endCounting(run, command, try pipelineResult(command).rowCount)
          }
          let results = try commands.map { try pipelineResult($0) }
          guard try pipelineResult(end).command == "COMMIT" else { throw failedTransaction }
          if let notice { ignoringFailure { try pipelineResult(notice) } }
          return results
        }
      }
    } catch let error as StoreError where error.leavesCommitUnknown {
      throw UncertainCommit(cause: error)
    }
  }

  /// Runs the announcement of a commit. Its failure is no failure of the transaction, and is reported only.
  func ignoringFailure(_ body: () throws -> PostgresResult) {
    do { _ = try body() } catch {
      SwiftDataLog.report(.notice, "Postgres", "others couldn't be notified of a commit", error)
    }
  }

  /// Begins a transaction with statements whose results aren't needed: they are sent with the next statement that is
  /// waited for.
  package func beginLater(_ transaction: Transaction, with commands: [PostgresCommand]) throws {
    guard depth == 0 else {
      _ = try begin(transaction, with: commands)
      return
    }
    deferred = beginning(of: transaction) + commands
    depth = 1
  }

  /// Begins a transaction, and runs statements in it with the same wait.
  ///
  /// - Returns: The results of the statements.
  package func begin(_ transaction: Transaction, with commands: [PostgresCommand]) throws
    -> [PostgresResult]
  {
    let beginning = beginning(of: transaction)
    // When a statement fails, the transaction is open nevertheless.
    depth += 1
    do {
      return Array(try run(beginning + commands).dropFirst(beginning.count))
    } catch {
      if !isInTransaction { depth = 0 } else if commands.isEmpty { depth -= 1 }
      throw error
    }
  }
}

extension StoreError {
  /// Whether an error in place of the answer to COMMIT leaves open whether the transaction is stored: the connection
  /// was lost, or the server ended it, which may also happen directly after the commit.
  fileprivate var leavesCommitUnknown: Bool {
    code == .connectionLost || sqlState?.hasPrefix("57P") ?? false
  }
}
