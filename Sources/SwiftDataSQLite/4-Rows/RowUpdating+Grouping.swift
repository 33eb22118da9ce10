import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Rows that are held to be updated by one statement: beginning and ending a statement costs as much as updating a row.
struct HeldRows {
  /// The number of rows from which a statement for several rows pays.
  static let least = 16
  /// The maximum number of rows written together.
  static let most = 256
  /// The maximum number of bytes of text and data in held rows.
  static let mostBytes = 1 << 20

  private(set) var rows: [HeldValues.Row] = []
  /// The rows' models, by position in the save.
  private(set) var models: [Int] = []
  /// The kind of the rows; nil without rows.
  private(set) var kind: RowUpdating.Kind?
  private(set) var allDiffer = false
  private var properties = ChangeMask()
  private var isAscending = true
  private var width = 0

  /// The number of cells of all rows.
  var cells: Int { width * rows.count }

  /// Whether there are rows, and a row with changes of `properties` may join them.
  @inline(__always)
  func admits(_ properties: ChangeMask, _ allDiffer: Bool) -> Bool {
    !rows.isEmpty && self.allDiffer == allDiffer && self.properties.isSame(as: properties)
  }

  /// Whether the rows have to be written.
  var isFull: Bool { rows.count == Self.most }

  /// Sets the kind of the rows that follow.
  mutating func begin(_ kind: RowUpdating.Kind, _ allDiffer: Bool) {
    self.kind = kind
    self.allDiffer = allDiffer
    properties = kind.properties
    width = kind.columns.count
    isAscending = true
  }

  @inline(__always)
  mutating func append(_ rowID: Int64, _ model: Int) {
    if let last = rows.last, last.rowID >= rowID { isAscending = false }
    rows.append(HeldValues.Row(rowID: rowID, place: rows.count))
    models.append(model)
  }

  /// Sorts the rows by ID.
  mutating func sort() {
    guard !isAscending else { return }
    rows.sort { $0.rowID < $1.rowID }
    isAscending = true
  }

  mutating func note(_ position: Int, isMet: Bool) { rows[position].isMet = isMet }

  mutating func withRows<Result>(
    _ range: Range<Int>,
    _ body: (UnsafeMutableBufferPointer<HeldValues.Row>) throws -> Result
  ) rethrows -> Result {
    try rows.withUnsafeMutableBufferPointer {
      try body(UnsafeMutableBufferPointer(rebasing: $0[range]))
    }
  }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    models.removeAll(keepingCapacity: true)
    kind = nil
  }
}

extension RowUpdating {
  /// The numbers of rows in statements with a list, largest first. Each size has its own statement.
  private static let listSizes = [HeldRows.most, 64, HeldRows.least]

  /// Writes the held rows.
  ///
  /// - Returns: The models of the save whose rows no longer exist; nil if there are none.
  func writeHeld() throws -> [Int]? {
    guard let kind = held.kind else { return nil }
    let noted = held.cells
    defer {
      held.removeAll()
      // Keeps the properties just recorded, if they are of another kind.
      if row.cells.count == noted { row.begin(nil) } else { row.removeFirst(noted, bytes: bytes) }
    }
    return try report(kind.properties, held.allDiffer) {
      let isTogether = try held.rows.count >= HeldRows.least && allowsGroups()
      if isTogether {
        held.sort()
        try writeTogether(kind)
      } else {
        for (position, row) in held.rows.enumerated() { try writeAlone(position, row, kind) }
      }
      return held.rows.contains { !$0.isMet }
        ? held.rows.filter { !$0.isMet }.map { held.models[$0.place] } : nil
    }
  }

  /// Whether no trigger fires for updated rows: the statement's conflict handling would apply to the trigger, too
  /// (https://sqlite.org/lang_createtrigger.html).
  private func allowsGroups() throws -> Bool {
    if let isGrouped { return isGrouped }
    let allows = try !statements.hasOtherTriggers(on: connection)
    isGrouped = allows
    return allows
  }

  private func writeAlone(_ position: Int, _ row: HeldValues.Row, _ kind: Kind) throws {
    let width = kind.columns.count
    let cells = self.row.cells[row.place * width..<(row.place + 1) * width]
    held.note(position, isMet: try write(cells, to: row.rowID, kind))
  }

  /// Writes rows with consecutive IDs as a range, which needs no lookup for each; the others are listed.
  private func writeTogether(_ kind: Kind) throws {
    var listed = 0
    var first = 0
    while first < held.rows.count {
      var end = first + 1
      while end < held.rows.count, held.rows[end].rowID == held.rows[end - 1].rowID + 1 { end += 1 }
      if end - first >= HeldRows.least {
        try writeList(listed..<first, kind)
        try write(first..<end, kind, kind.ranges) { rows, statement in
          try statement.bind(.integer(rows[0].rowID), at: 1)
          try statement.bind(.integer(rows[rows.count - 1].rowID), at: 2)
        }
        listed = end
      }
      first = end
    }
    try writeList(listed..<held.rows.count, kind)
  }

  private func writeList(_ range: Range<Int>, _ kind: Kind) throws {
    var first = range.lowerBound
    for size in Self.listSizes {
      while range.upperBound - first >= size {
        try write(first..<first + size, kind, kind.lists(of: size)) { rows, statement in
          for (index, row) in rows.enumerated() {
            try statement.bind(.integer(row.rowID), at: Int32(index + 1))
          }
        }
        first += size
      }
    }
    for position in first..<range.upperBound {
      try writeAlone(position, held.rows[position], kind)
    }
  }

  private func write(
    _ range: Range<Int>, _ kind: Kind, _ text: StatementText,
    _ bind: (UnsafeMutableBufferPointer<HeldValues.Row>, Statement) throws -> Void
  ) throws {
    // Makes room for the changed pages, which the writer's cache keeps.
    HeapReservation.reserve()
    let values = try connection.valuesOfRows()
    let statement = try connection.statement(text)
    try held.withRows(range) { rows in
      try bind(rows, statement)
      try row.cells.withUnsafeBufferPointer { cells in
        try row.arena.withUnsafeBufferPointer { arena in
          try values.withRows(rows, cells, arena.baseAddress, width: kind.columns.count) {
            try statement.run()
          }
        }
      }
    }
  }
}
