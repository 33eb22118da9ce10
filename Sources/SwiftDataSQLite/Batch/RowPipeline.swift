import Dispatch
import Foundation
import SwiftDataCore

/// Encoded rows that are written together.
struct RowParcel {
  /// Some groups of ``RowGrouping``; large enough that handing over costs nothing beside the rows.
  static let capacity = 256

  var row: _RowWriter
  private(set) var count = 0
  private var room = HeapRoom()

  init(plan: EntityPlan) { row = _RowWriter(plan: plan) }

  /// Adds a model's row.
  ///
  /// - Returns: The relationships whose destination has no row yet; then the row isn't added.
  mutating func add(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    room.next()
    let unresolved = try RowUpserting.encode(
      model, into: &row, behind: count * row.plan.columns.count)
    if unresolved.isEmpty { count += 1 }
    return unresolved
  }

  mutating func removeAll() {
    count = 0
    row.begin(nil)
  }
}

/// Writes rows on a thread of its own, while the caller makes and encodes the next ones: a good part of a batch's time is
/// spent before SQLite has the rows.
///
/// Parcels go around in a ring, so that the writing thread has the next one when it is done with one. One thread at a
/// time has the connection: the writing one from ``put()`` on until ``wait()`` or ``drain()`` returns, else the caller's.
/// The semaphores hand it over together with the parcels.
final class RowPipeline: @unchecked Sendable {
  private final class Slot {
    var parcel: RowParcel
    /// What became of the rows that were in it.
    var outcomes: Result<[RowUpserting.Outcome], any Error> = .success([])

    init(plan: EntityPlan) { parcel = RowParcel(plan: plan) }

    func take() throws -> [RowUpserting.Outcome] {
      defer { outcomes = .success([]) }
      return try outcomes.get()
    }
  }

  /// What rows are written with; nil after ``end()``, because the thread lets go of the pipeline somewhat later, and a
  /// connection is to be closed when the one who has it says so.
  private var writing: (rows: RowUpserting, connection: Connection)?
  private let needsRowIDs: Bool
  private let slots: [Slot]
  /// The slot that the caller fills.
  private var filled = 0
  /// The slot that the thread empties next.
  private var emptied = 0
  /// Whether the thread has nothing to do.
  private var isIdle = true
  private var isEnding = false
  /// How many slots wait for the thread.
  private let full = DispatchSemaphore(value: 0)
  /// How many the caller may fill, beside that which it fills.
  private let free = DispatchSemaphore(value: 0)

  /// After how many rows another thread is worth its while.
  static let start = 512

  /// Whether another thread would get a processor, and `rows` can be written together.
  static func isWorthwhile(for rows: RowUpserting) -> Bool {
    rows.grouping.size > 1 && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  /// - Parameter needsRowIDs: Whether the ids of rows that existed are wanted.
  init(_ rows: RowUpserting, on connection: Connection, needsRowIDs: Bool = false) {
    writing = (rows, connection)
    self.needsRowIDs = needsRowIDs
    slots = (0..<4).map { _ in Slot(plan: rows.plan) }
    let thread = Thread { [self] in run() }
    thread.name = "SwiftData batch"
    thread.start()
  }

  /// Takes in a model's row.
  ///
  /// - Returns: The relationships whose destination has no row yet; then the row isn't taken in.
  func encode(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    try slots[filled].parcel.add(model)
  }

  /// Has the rows written once there are enough.
  ///
  /// - Returns: What became of rows that were taken in before, in their order.
  func put() throws -> [RowUpserting.Outcome] {
    guard slots[filled].parcel.count == RowParcel.capacity else { return [] }
    send()
    free.wait()
    return try slots[filled].take()
  }

  /// Has all rows written.
  ///
  /// - Returns: What became of those that haven't been told of.
  func drain() throws -> [RowUpserting.Outcome] {
    var outcomes = try slots[filled].take()
    if slots[filled].parcel.count > 0 {
      send()
      free.wait()
    }
    wait()
    for step in slots.indices { outcomes += try slots[(filled + step) % slots.count].take() }
    return outcomes
  }

  /// Returns when the thread has done what it was given.
  func wait() {
    guard !isIdle else { return }
    for _ in 1..<slots.count { free.wait() }
    isIdle = true
  }

  /// Ends the thread; rows that it hasn't been given are dropped.
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
      let written = try rows.write(&slot.parcel, needsRowID: needsRowIDs)
      try connection.recorder?.flush()
      return written
    }
  }
}
