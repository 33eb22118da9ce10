import SwiftDataCore
import SwiftDataStore
import Synchronization

/// The packed changes of a store's own last small transactions, by number. The contexts of a process that save at the
/// same time take each other's changes from here instead of asking the server after each save.
final class RecentTransactions: Sendable {
  /// The number of transactions that are kept.
  static let capacity: Int64 = 256
  /// The number of packed bytes from which a transaction isn't kept.
  static let maximumSize = 4_096

  private struct Slot {
    let number: Int64
    let parts: [HistoryPart]
  }

  private struct State {
    var slots: [Slot?] = []
    var last = Int64.min
  }

  private let state = Mutex(State())

  /// Keeps a committed transaction. Transactions come about in the order of their numbers.
  func insert(_ number: Int64, _ parts: [HistoryPart]) {
    guard number > 0, parts.reduce(0, { $0 + $1.bytes.count }) < Self.maximumSize else { return }
    state.withLock { state in
      // The server was restored from an older copy, and gives numbers again.
      if state.last > Self.capacity, number < state.last - Self.capacity / 2 { state = State() }
      if state.slots.isEmpty { state.slots = Array(repeating: nil, count: Int(Self.capacity)) }
      state.last = max(state.last, number)
      state.slots[Int(number % Self.capacity)] = Slot(number: number, parts: parts)
    }
  }

  /// The transactions that follow a number without a gap; empty when the next one isn't kept.
  func transactions(after number: Int64) -> [(number: Int64, parts: [HistoryPart])] {
    state.withLock { state in
      guard !state.slots.isEmpty, number >= 0, number < state.last else { return [] }
      var found: [(Int64, [HistoryPart])] = []
      for next in (number + 1)...state.last {
        guard let slot = state.slots[Int(next % Self.capacity)], slot.number == next else { break }
        found.append((next, slot.parts))
      }
      return found
    }
  }
}
