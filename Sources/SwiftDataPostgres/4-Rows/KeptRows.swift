import SwiftDataCore

/// Copies of rows whose cells are valid only while a statement gives them.
struct KeptRows {
  private var cells: [_Cell] = []
  /// The bytes of texts and data, to whose positions the cells lead. The first byte is none of them, so that there is
  /// an address for empty ones.
  private var arena: [UInt8] = [0]
  /// The end of each row among the cells.
  private var ends: [Int] = []

  var count: Int { ends.count }
  /// The number of bytes of texts and data.
  var byteCount: Int { arena.count }

  mutating func append(_ row: UnsafeBufferPointer<_Cell>) {
    for var cell in row {
      if cell.kind == .text || cell.kind == .blob {
        let bytes = UnsafeRawBufferPointer(
          start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count)
        cell.bits = Int64(arena.count)
        arena += bytes
      }
      cells.append(cell)
    }
    ends.append(cells.count)
  }

  /// Calls `body` with the cells of each row, which are valid during the call.
  func forEach(_ body: (UnsafeBufferPointer<_Cell>) throws -> Void) rethrows {
    var row: [_Cell] = []
    try arena.withUnsafeBytes { arena in
      var start = 0
      for end in ends {
        row.removeAll(keepingCapacity: true)
        for var cell in cells[start..<end] {
          if cell.kind == .text || cell.kind == .blob {
            cell.bits += Int64(Int(bitPattern: arena.baseAddress))
          }
          row.append(cell)
        }
        start = end
        try row.withUnsafeBufferPointer(body)
      }
    }
  }
}
