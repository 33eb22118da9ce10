import Dispatch
import Foundation
import SwiftDataCore

/// Encoded rows that are written together.
struct RowBatch {
  /// The capacity in rows: several groups of ``RowGroupingPolicy``, so that handing over a batch costs nothing
  /// compared with its rows.
  static let capacity = 256

  var row: _RowWriter
  private(set) var count = 0
  private var heapReservation = HeapReservation()

  init(plan: EntityPlan) { row = _RowWriter(plan: plan) }

  /// Adds a model's row.
  ///
  /// - Returns: The relationships whose destination has no row yet; if there are any, the row isn't added.
  mutating func add(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    heapReservation.next()
    let unresolved = try RowUpserter.encode(
      model, into: &row, behind: count * row.plan.columns.count)
    if unresolved.isEmpty { count += 1 }
    return unresolved
  }

  mutating func removeAll() {
    count = 0
    row.begin(nil)
  }
}

/// Writes rows on a separate thread, while the caller creates and encodes the next ones: a good part of a batch's time
/// is spent before SQLite has the rows.
///
/// Row batches circulate in a ring, so that the writing thread has the next one when it has finished one. Only one
/// thread at a time uses the connection: the writing thread from ``put()`` until ``wait()`` or ``drain()`` returns,
/// otherwise the caller's. The semaphores hand the connection over together with the batches.
final class RowPipeline: @unchecked Sendable {
  private final class Slot {
    var batch: RowBatch
    /// The outcomes of the rows of the last batch.
    var outcomes: Result<[WriteOutcome], any Error> = .success([])

    init(plan: EntityPlan) { batch = RowBatch(plan: plan) }

    func collectOutcomes() throws -> [WriteOutcome] {
      defer { outcomes = .success([]) }
      return try outcomes.get()
    }
  }

  /// The objects that write the rows; nil after ``end()``, because the thread releases the pipeline somewhat later, and
  /// a connection is to be closed when its owner says so.
  private var writing: (rows: RowUpserter, connection: Connection)?
  private let needsRowIDs: Bool
  private let slots: [Slot]
  /// The slot that the caller is filling.
  private var filled = 0
  /// The slot that the thread empties next.
  private var emptied = 0
  /// Whether the thread has nothing to do.
  private var isIdle = true
  private var isEnding = false
  /// Counts the slots that wait for the thread.
  private let full = DispatchSemaphore(value: 0)
  /// Counts the slots that the caller may fill next, besides the current one.
  private let free = DispatchSemaphore(value: 0)

  /// The number of rows after which another thread is worthwhile.
  static let start = 512

  /// Whether another thread would get a processor, and `rows` can be written together.
  static func isWorthwhile(for rows: RowUpserter) -> Bool {
    SpeedSwitches.writesOnSecondThread && rows.grouping.size > 1
      && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  /// - Parameter needsRowIDs: Whether the IDs of rows that existed are needed.
  init(_ rows: RowUpserter, on connection: Connection, needsRowIDs: Bool = false) {
    writing = (rows, connection)
    self.needsRowIDs = needsRowIDs
    slots = (0..<4).map { _ in Slot(plan: rows.plan) }
    let thread = Thread { [self] in run() }
    thread.name = "SwiftData batch"
    thread.start()
  }

  /// Adds a model's row.
  ///
  /// - Returns: The relationships whose destination has no row yet; if there are any, the row isn't added.
  func encode(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    try slots[filled].batch.add(model)
  }

  /// Hands the rows over for writing once there are enough.
  ///
  /// - Returns: The outcomes of rows that were added before, in their order.
  func put() throws -> [WriteOutcome] {
    guard slots[filled].batch.count == RowBatch.capacity else { return [] }
    send()
    free.wait()
    return try slots[filled].collectOutcomes()
  }

  /// Writes all rows.
  ///
  /// - Returns: The outcomes that haven't been returned yet.
  func drain() throws -> [WriteOutcome] {
    var outcomes = try slots[filled].collectOutcomes()
    if slots[filled].batch.count > 0 {
      send()
      free.wait()
    }
    wait()
    for step in slots.indices {
      outcomes += try slots[(filled + step) % slots.count].collectOutcomes()
    }
    return outcomes
  }

  /// Returns when the thread has written all batches handed to it.
  func wait() {
    guard !isIdle else { return }
    for _ in 1..<slots.count { free.wait() }
    isIdle = true
  }

  /// Ends the thread; rows that weren't handed over are dropped.
  func end() {
    wait()
    guard !isEnding else { return }
    isEnding = true
    writing = nil
    full.signal()
  }

  private func send() {
    if isIdle { for _ in 1..<slots.count { free.signal() } }
    isIdle = false
    filled = (filled + 1) % slots.count
    full.signal()
  }

  private func run() {
    while true {
      full.wait()
      if isEnding { return }
      write(slots[emptied])
      emptied = (emptied + 1) % slots.count
      free.signal()
    }
  }

  private func write(_ slot: Slot) {
    guard let (rows, connection) = writing else { return }
    slot.outcomes = Result {
      let written = try rows.write(&slot.batch, needsRowID: needsRowIDs)
      try connection.recorder?.flush()
      return written
    }
  }
}
