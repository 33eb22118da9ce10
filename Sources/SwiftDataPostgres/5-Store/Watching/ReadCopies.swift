import Foundation
import SwiftDataCore
import Synchronization

/// The connections to streaming copies of a server, which may be behind it.
final class ReadCopies: Sendable {
  /// The seconds for which a read waits for a copy that is behind, and between two looks.
  private static let patience = 0.05
  private static let pause = 0.002
  /// The seconds for which a copy isn't tried again after it couldn't be used.
  private static let restTime = 1.0

  private let pool: PostgresConnectionPool
  private let nextTry = Mutex(ContinuousClock.now)

  init(_ options: PostgresConnectionOptions, maximumCount: Int, idleTimeout: Double) {
    // Whoever finds all connections in use reads from the server.
    pool = PostgresConnectionPool(
      options, maximumCount: maximumCount, acquisitionTimeout: 0, idleTimeout: idleTimeout)
  }

  /// Returns a connection to a copy that contains some commits, until ``giveBack(_:)``; nil when there is none.
  ///
  /// - Parameters:
  ///   - prepare: Called with a connection before its first statement.
  ///   - state: Returns the state of the store on a connection; nil when another store is there.
  func take(
    containing progress: CommitProgress, _ prepare: (PostgresConnection) throws -> Void,
    _ state: (PostgresConnection) throws -> StoreState?
  ) -> PostgresConnection? {
    guard !isResting else { return nil }
    do {
      let connection = try pool.take()
      do {
        try prepare(connection)
        if try contains(progress, connection, state) { return connection }
      } catch {
        pool.giveBack(connection)
        throw error
      }
      pool.giveBack(connection)
    } catch let error as StoreError
      where error.code == .tooManyConnections && error.sqlState == nil
    {
      // All of the pool's connections are in use.
      return nil
    } catch {
      rest(after: error)
      return nil
    }
    rest()
    return nil
  }

  /// Leaves the copy alone for a while, because it couldn't be read.
  func rest(after error: any Error) {
    SwiftDataLog.report(.warning, "Postgres", "a copy of the server can't be read", error)
    rest()
  }

  /// Whether the copy isn't tried at present.
  var isResting: Bool { nextTry.withLock { $0 } > .now }

  private func rest() { nextTry.withLock { $0 = .now + .seconds(Self.restTime) } }

  private func contains(
    _ progress: CommitProgress, _ connection: PostgresConnection,
    _ state: (PostgresConnection) throws -> StoreState?
  ) throws -> Bool {
    if let reached = connection.reached, reached.contains(progress) { return true }
    let end = ContinuousClock.now + .seconds(Self.patience)
    while true {
      guard let found = try state(connection) else { return false }
      connection.reached = found.progress
      if found.progress.contains(progress) { return true }
      guard .now < end else { return false }
      Thread.sleep(forTimeInterval: Self.pause)
    }
  }

  func giveBack(_ connection: PostgresConnection) { pool.giveBack(connection) }

  func close() { pool.close() }
}

extension PostgresStore {
  /// Returns a connection to a copy of the server that has all commits that are known here, and the generation of these
  /// commits; nil to read from the server.
  func connectionToCopy(
    _ copies: ReadCopies
  ) throws -> (connection: PostgresConnection, generation: UInt64)? {
    // A copy doesn't tell of the commits that it lacks.
    if checks.isDue() { try checkForCommits() }
    let generation = generation
    let known = CommitProgress(
      transaction: monitor.position.transaction, foreign: checks.foreign)
    let connection = copies.take(
      containing: known, { try use($0) },
      { connection in
        let state = try connection.reading { StoreState(try connection.run(stateStatement)) }
        return state.flatMap { $0.isOf(identifierBytes) ? $0 : nil }
      })
    return connection.map { ($0, generation) }
  }
}
