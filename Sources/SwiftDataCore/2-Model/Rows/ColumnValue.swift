/// The value of one column, with the fundamental types that cells have.
package enum ColumnValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension ColumnValue {
  /// The value of a cell of a row that a store has read, whose bytes are at an address.
  package init(_ cell: _Cell) {
    let hasBytes = cell.kind == .text || cell.kind == .blob
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: hasBytes ? cell.count : 0)
    self.init(cell, Array(bytes))
  }

  /// The value of a cell of a writer.
  package init(_ cell: _Cell, bytes writer: borrowing _RowWriter) {
    let hasBytes = cell.kind == .text || cell.kind == .blob
    self.init(cell, hasBytes ? Array(writer.bytes(of: cell)) : [])
  }

  /// - Parameter bytes: The bytes of a text or a blob.
  package init(_ cell: _Cell, _ bytes: [UInt8]) {
    switch cell.kind {
    case .null: self = .null
    case .integer: self = .integer(cell.bits)
    case .real: self = .real(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text: self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob: self = .blob(bytes)
    }
  }

  /// An integer, or NULL for nil.
  package init(integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
  /// A text, or NULL for nil.
  package init(text: String?) { self = text.map { .text($0) } ?? .null }

  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var bytes: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}
