import SwiftDataCore

/// The kind of a change to a row.
package enum HistoryKind: UInt8, Sendable {
  case insert = 0
  case update = 1
  case delete = 2
}

/// Packs the changes of one entity in one transaction into bytes.
///
/// The bytes are runs: changes of one kind (and, for updates, of the same properties) to rows with consecutive IDs. A
/// run is a header, the distance of its first row ID from the last one of the previous run, and further data that
/// depends on its kind. All numbers have variable length, seven bits per byte, low bits first; signed ones fold the
/// sign into the lowest bit.
///
/// - header: (rows − 1) · 8 + flag · 4 + kind
/// - update without flag: the number of changed properties and their positions; with it, the same as before
/// - delete without flag (one row): the preserved values, see ``HistoryValues``; with it, none
///
/// An import of new rows takes a few bytes in total, scattered updates about three bytes per row.
package struct HistoryPacker: Sendable {
  package private(set) var bytes: [UInt8] = []
  @usableFromInline var run: Run?
  private var lastRowID: Int64 = 0
  private var lastMask: ChangeMask?

  @usableFromInline
  struct Run: Sendable {
    @usableFromInline let kind: HistoryKind
    @usableFromInline let first: Int64
    @usableFromInline var last: Int64
    @usableFromInline var mask: ChangeMask

    @inlinable
    init(kind: HistoryKind, first: Int64, mask: ChangeMask) {
      self.kind = kind
      self.first = first
      last = first
      self.mask = mask
    }
  }

  package init() {}

  package var isEmpty: Bool { run == nil && bytes.isEmpty }

  /// Records an insertion, an update of the properties in `mask`, or a deletion without preserved values.
  @inlinable
  package mutating func append(
    _ kind: HistoryKind, _ rowID: Int64, _ mask: ChangeMask = ChangeMask()
  ) {
    if let current = run {
      if current.kind == kind, rowID == current.last &+ 1, current.mask.isSame(as: mask) {
        run?.last = rowID
        return
      }
      // A new row that is completed immediately, for example by a link that had to wait for its destination.
      if kind == .update, current.kind == .insert, rowID == current.last { return }
      closeRun()
    }
    run = Run(kind: kind, first: rowID, mask: mask)
  }

  /// Records a deletion with preserved values.
  package mutating func append(deletionOf rowID: Int64, values: HistoryValues) {
    closeRun()
    bytes.append(variable: UInt64(HistoryKind.delete.rawValue))
    bytes.append(signed: rowID &- lastRowID)
    lastRowID = rowID
    bytes += values.bytes
  }

  /// Returns the bytes of all changes so far; the next change starts a new packing.
  package mutating func finish() -> [UInt8] {
    closeRun()
    let taken = bytes
    self = HistoryPacker()
    return taken
  }

  @usableFromInline
  mutating func closeRun() {
    guard let run else { return }
    self.run = nil
    let isShort = run.kind == .delete || (run.kind == .update && run.mask == lastMask)
    bytes.append(
      variable: UInt64(run.last - run.first) << 3 | (isShort ? 4 : 0) | UInt64(run.kind.rawValue))
    bytes.append(signed: run.first &- lastRowID)
    lastRowID = run.last
    guard run.kind == .update, !isShort else { return }
    lastMask = run.mask
    bytes.append(variable: UInt64(run.mask.count))
    for position in run.mask.indices { bytes.append(variable: UInt64(position)) }
  }
}

extension [UInt8] {
  @inlinable
  package mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  @inlinable
  package mutating func append(signed value: Int64) {
    append(variable: UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}
