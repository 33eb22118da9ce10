import SwiftDataCore

/// One unpacked change.
package struct PackedChange: Sendable {
  package var kind: HistoryKind
  package var rowID: Int64
  /// The changed properties, sorted: each once.
  package var properties: [Int] = []
  package var values: HistoryValues?
}

/// Changes of one kind to rows with consecutive IDs.
package struct PackedRun: Sendable {
  package let kind: HistoryKind
  package let rowIDs: ClosedRange<Int64>
  /// The changed properties, sorted: each once.
  package let properties: [Int]
  package let values: HistoryValues?
}

/// Reads the output of ``HistoryPacker``. The bytes come from a file that others can write, so every number is
/// checked.
package struct HistoryUnpacker: Sendable {
  /// The bytes were not written by this library.
  package struct Damaged: Error {}
  /// There are more changes than can be read.
  package struct TooMany: Error {}

  private let bytes: [UInt8]
  /// The property at each position of the layout; nil for one that no longer exists.
  private let properties: [Int?]
  private var offset = 0

  /// - Parameters:
  ///   - bytes: The packed changes.
  ///   - properties: The property at each position of their layout, see ``StoredLayouts/Layout``.
  package init(_ bytes: [UInt8], properties: [Int?]) {
    self.bytes = bytes
    self.properties = properties
  }

  /// More rows than any run has: an ID space of 2^48 rows.
  private static let maximumRun: UInt64 = 1 << 48
  /// The maximum number of changes of an entity in a transaction that are read.
  package static let maximumChanges = 10_000_000
  /// The number of rows in runs that are accepted without checking the table.
  private static let believedRows = 100_000

  /// - Parameters:
  ///   - changes: The array to which the changes are appended.
  ///   - maximumRowCount: Returns an upper bound for the number of rows that the table can have had. A few bytes can
  ///     claim any number of insertions; only the table shows whether that is possible.
  /// - Throws: ``Damaged``, ``TooMany``, and the errors of `maximumRowCount`.
  package mutating func read(
    into changes: inout [PackedChange], maximumRowCount: () throws -> Int64
  ) throws {
    var extra = 0
    var bound: Int64?
    try forEachRun { run in
      extra += run.rowIDs.count - 1
      if extra > Self.believedRows {
        let most = try bound ?? maximumRowCount()
        bound = most
        // Rows may have been inserted, deleted and inserted again.
        guard Int64(extra) / 4 <= most else { throw Damaged() }
      }
      guard changes.count + run.rowIDs.count <= Self.maximumChanges else { throw TooMany() }
      for rowID in run.rowIDs {
        changes.append(
          PackedChange(
            kind: run.kind, rowID: rowID, properties: run.properties, values: run.values))
      }
    }
  }

  /// Calls `body` with each run in turn.
  package mutating func forEachRun(_ body: (PackedRun) throws -> Void) throws {
    var lastRowID: Int64 = 0
    var mask: [Int] = []
    while offset < bytes.count {
      let header = try variable()
      guard let kind = HistoryKind(rawValue: UInt8(header & 3)) else { throw Damaged() }
      let extra = header >> 3
      let first = lastRowID &+ (try signed())
      guard extra < Self.maximumRun, first <= first &+ Int64(extra) else { throw Damaged() }
      let hasFlag = header & 4 != 0
      if kind == .update, !hasFlag { mask = try changedProperties() }
      var values: HistoryValues?
      if kind == .delete, !hasFlag {
        guard extra == 0 else { throw Damaged() }
        values = try HistoryValues(from: &self)
      }
      lastRowID = first &+ Int64(extra)
      try body(
        PackedRun(
          kind: kind, rowIDs: first...lastRowID, properties: kind == .update ? mask : [],
          values: values))
    }
  }

  /// The properties at the positions that follow. Two bytes can repeat them for a further row, so that there are no
  /// more than the model has, however many positions there are.
  private mutating func changedProperties() throws -> [Int] {
    let count = try variable()
    guard count <= UInt64(bytes.count) else { throw Damaged() }
    var found: [Int] = []
    var isSorted = true
    for _ in 0..<count {
      let position = Int(truncatingIfNeeded: try variable() & 0xFFFF_FFFF)
      guard position < properties.count, let property = properties[position] else { continue }
      if let last = found.last, last >= property { isSorted = false }
      found.append(property)
    }
    return isSorted ? found : Set(found).sorted()
  }

  mutating func variable() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard offset < bytes.count else { throw Damaged() }
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw Damaged()
  }

  mutating func signed() throws -> Int64 {
    let folded = try variable()
    return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  mutating func bytes(_ count: UInt64) throws -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.count - offset) else { throw Damaged() }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  /// One change for each row that a transaction leaves changed: an insertion with a later update is an insertion, with
  /// a later deletion nothing; two updates are one. A row ID that is used again after a deletion has two changes.
  /// Updates of a deleted row are those of its links, which are removed after it, and don't count.
  package static func merged(_ changes: [PackedChange]) -> [PackedChange] {
    guard !zip(changes, changes.dropFirst()).allSatisfy({ $0.rowID < $1.rowID }) else {
      return changes
    }
    var merged: [PackedChange?] = []
    var places: [Int64: Int] = [:]
    for change in changes {
      let place = places[change.rowID]
      guard let place, let earlier = merged[place] else {
        // A row that was inserted and deleted.
        if place != nil, change.kind == .update { continue }
        places[change.rowID] = merged.count
        merged.append(change)
        continue
      }
      switch (earlier.kind, change.kind) {
      case (.insert, .update), (.delete, .update): continue
      case (.insert, .delete): merged[place] = nil
      case (.update, .update):
        guard earlier.properties != change.properties else { continue }
        merged[place]?.properties = union(earlier.properties, change.properties)
      case (.update, .delete):
        merged[place] = nil
        places[change.rowID] = merged.count
        merged.append(change)
      case (.delete, _), (.insert, .insert), (.update, .insert):
        places[change.rowID] = merged.count
        merged.append(change)
      }
    }
    return merged.compactMap(\.self)
  }

  /// The union of two sorted lists without repetitions.
  private static func union(_ first: [Int], _ second: [Int]) -> [Int] {
    var union: [Int] = []
    union.reserveCapacity(first.count + second.count)
    var rest = first[...]
    for property in second {
      while let next = rest.first, next <= property {
        if next < property { union.append(next) }
        rest.removeFirst()
      }
      union.append(property)
    }
    return union + rest
  }
}
