import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Rows that are held to be updated by one statement: beginning and ending a statement costs as much as updating a row.
struct RowUpdateBuffer {
  /// The number of rows from which a statement for several rows pays.
  static let minimumCount = 16
  /// The maximum number of rows written together.
  static let maximumCount = 256
  /// The maximum number of bytes of text and data in held rows.
  static let maximumBytes = 1 << 20

  private(set) var rows: [RowValueBuffer.Row] = []
  /// The rows' models, by position in the save.
  private(set) var models: [Int] = []
  /// The kind of the rows; nil without rows.
  private(set) var kind: RowUpdater.Kind?
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
  var isFull: Bool { rows.count == Self.maximumCount }

  /// Sets the kind of the rows that follow.
  mutating func begin(_ kind: RowUpdater.Kind, _ allDiffer: Bool) {
    self.kind = kind
    self.allDiffer = allDiffer
    properties = kind.properties
    width = kind.columns.count
    isAscending = true
  }

  @inline(__always)
  mutating func append(_ rowID: Int64, _ model: Int) {
    if let last = rows.last, last.rowID >= rowID { isAscending = false }
    rows.append(RowValueBuffer.Row(rowID: rowID, index: rows.count))
    models.append(model)
  }

  /// Sorts the rows by ID.
  mutating func sort() {
    guard !isAscending else { return }
    rows.sort { $0.rowID < $1.rowID }
    isAscending = true
  }

  mutating func setVisited(_ position: Int, isVisited: Bool) {
    rows[position].isVisited = isVisited
  }

  mutating func withRows<Result>(
    _ range: Range<Int>,
    _ body: (UnsafeMutableBufferPointer<RowValueBuffer.Row>) throws -> Result
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

extension RowUpdater {
  /// The numbers of rows in statements with a list, largest first. Each size has its own statement.
  private static let listSizes = [RowUpdateBuffer.maximumCount, 64, RowUpdateBuffer.minimumCount]

  /// Writes the held rows.
  ///
  /// - Returns: The models of the save whose rows no longer exist; nil if there are none.
  func flushBuffer() throws -> [Int]? {
    guard let kind = buffer.kind else { return nil }
    let bufferedCells = buffer.cells
    defer {
      buffer.removeAll()
      // Keeps the properties just recorded, if they are of another kind.
      if row.cells.count == bufferedCells {
        row.begin(nil)
      } else {
        row.removeFirst(bufferedCells, bytes: recorded.bytes)
      }
    }
    return try report(kind.properties, buffer.allDiffer) {
      let isTogether = try buffer.rows.count >= RowUpdateBuffer.minimumCount && allowsGroups()
      if isTogether {
        buffer.sort()
        try writeGroup(kind)
      } else {
        for (position, row) in buffer.rows.enumerated() { try writeSingly(position, row, kind) }
      }
      return buffer.rows.contains { !$0.isVisited }
        ? buffer.rows.filter { !$0.isVisited }.map { buffer.models[$0.index] } : nil
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

  private func writeSingly(_ position: Int, _ row: RowValueBuffer.Row, _ kind: Kind) throws {
    let width = kind.columns.count
    let cells = self.row.cells[row.index * width..<(row.index + 1) * width]
    buffer.setVisited(position, isVisited: try write(cells, to: row.rowID, kind))
  }

  /// Writes rows with consecutive IDs as a range, which needs no lookup for each; the others are listed.
  private func writeGroup(_ kind: Kind) throws {
    var listed = 0
    var first = 0
    while first < buffer.rows.count {
      var end = first + 1
      while end < buffer.rows.count, buffer.rows[end].rowID == buffer.rows[end - 1].rowID + 1 {
        end += 1
      }
      if end - first >= RowUpdateBuffer.minimumCount {
        try writeList(listed..<first, kind)
        try write(first..<end, kind, kind.ranges) { rows, statement in
          try statement.bind(.integer(rows[0].rowID), at: 1)
          try statement.bind(.integer(rows[rows.count - 1].rowID), at: 2)
        }
        listed = end
      }
      first = end
    }
    try writeList(listed..<buffer.rows.count, kind)
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
      try writeSingly(position, buffer.rows[position], kind)
    }
  }

  private func write(
    _ range: Range<Int>, _ kind: Kind, _ text: StatementText,
    _ bind: (UnsafeMutableBufferPointer<RowValueBuffer.Row>, Statement) throws -> Void
  ) throws {
    // Makes room for the changed pages, which the writer's cache keeps.
    HeapReservation.reserve()
    let values = try connection.valuesOfRows()
    let statement = try connection.statement(text)
    try buffer.withRows(range) { rows in
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
