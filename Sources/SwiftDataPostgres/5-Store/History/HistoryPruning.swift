import Foundation
import SwiftDataCore
import SwiftDataStore
import Synchronization

/// Deletes the transactions that exceed the bounds of a history, after each save, in a transaction of its own. The
/// bounds are compared in memory; the server is asked only when one may be exceeded.
///
/// A save deletes one portion at most, and none while another thread or program deletes some: so its time is bounded,
/// and one connection of a store is enough. What is left goes with the saves that follow.
final class HistoryPruning: Sendable {
  /// The oldest transaction as it was found last.
  private struct Beginning {
    let time: Double
    let total: Int64
  }

  /// The seconds between two removals of old keys, and the age of such a key. No save is tried for so long.
  private static let keyInterval = 300.0
  private static let keyAge = 1800
  /// About the number of transactions that a save deletes at most.
  static let portion: Int64 = 10_000

  private let retention: HistoryRetention
  private let beginning = Mutex<Beginning?>(nil)
  /// Whether a thread is deleting.
  private let isAtWork = Atomic(false)
  /// Whether the row exists that deletions lock.
  private let isPrepared = Atomic(false)
  private let nextKeyRemoval = Mutex(ContinuousClock.now)

  init(_ retention: HistoryRetention) { self.retention = retention }

  /// Deletes what a save has pushed beyond the bounds. The save is stored, so a failure is only reported.
  func apply(after written: HistoryRecording.Recorded, _ store: PostgresStore) {
    removeKeys(store)
    guard retention.isBounded else { return }
    let now = Date.now
    if let beginning = beginning.withLock({ $0 }), !exceeds(beginning, now, written.total) {
      return
    }
    guard
      isAtWork.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
        .exchanged
    else { return }
    defer { isAtWork.store(false, ordering: .releasing) }
    do {
      try store.withConnection { connection in
        let history = HistoryMetadata(connection: connection, address: store.address)
        var found = try connection.reading { try history.beginning() }
        if let first = found,
          exceeds(Beginning(time: first.time, total: first.total), now, written.total)
        {
          if !isPrepared.load(ordering: .relaxed) {
            try history.prepareDeletion()
            isPrepared.store(true, ordering: .relaxed)
          }
          guard try deletePortion(of: history, now, written) else { return }
          found = try connection.reading { try history.beginning() }
        }
        beginning.withLock { $0 = found.map { Beginning(time: $0.time, total: $0.total) } }
      }
    } catch {
      SwiftDataLog.report(.warning, "Postgres", "old history couldn't be deleted", error)
    }
  }

  /// Deletes the oldest transactions that exceed a bound.
  ///
  /// - Returns: Whether no other deletion was in the way.
  private func deletePortion(
    of history: HistoryMetadata, _ now: Date, _ written: HistoryRecording.Recorded
  ) throws -> Bool {
    try history.connection.transaction {
      let first = try history.oldest() ?? written.number
      let end = min(written.number, first + Self.portion)
      let last = try retention.lastExceeding(
        now: now, number: end, total: written.total, in: history)
      guard let last else { return true }
      guard try history.excludesDeletionsAtOnce() else { return false }
      try history.delete(through: last)
      return true
    }
  }

  /// Removes the keys of transactions that nobody asks for any more.
  private func removeKeys(_ store: PostgresStore) {
    let isDue = nextKeyRemoval.withLock { next in
      let now = ContinuousClock.now
      guard now >= next else { return false }
      next = now + .seconds(Self.keyInterval)
      return true
    }
    guard isDue else { return }
    do {
      try store.withConnection { connection in
        try connection.transaction {
          try connection.run(
            "DELETE FROM \"_history_key\""
              + " WHERE at < extract(epoch FROM clock_timestamp()) - \(Self.keyAge)")
        }
      }
    } catch {
      SwiftDataLog.report(.warning, "Postgres", "old keys couldn't be deleted", error)
    }
  }

  private func exceeds(_ beginning: Beginning, _ now: Date, _ total: Int64) -> Bool {
    if let age = retention.maximumAge, beginning.time < now.timeIntervalSinceReferenceDate - age {
      return true
    }
    if let size = retention.maximumSize, total - beginning.total > max(size, 0) { return true }
    return false
  }
}
