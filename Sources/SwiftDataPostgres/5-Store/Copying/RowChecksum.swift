import Foundation
import SwiftDataCore

/// A checksum of a row's values, or of a value under a key, that is the same in every kind of store (FNV-1a, 64 bits,
/// http://www.isthe.com/chongo/tech/comp/fnv/).
struct RowChecksum {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ row: RowView) {
    add(row.rowID)
    for (cell, column) in zip(row.cells, row.plan.columns) { add(cell, column.kind) }
  }

  init(key: String, value: [UInt8]) {
    Array(key.utf8).withUnsafeBytes { add(bytes: $0, mark: 3) }
    value.withUnsafeBytes { add(bytes: $0, mark: 4) }
  }

  private mutating func add(_ cell: _Cell, _ kind: ColumnKind) {
    switch cell.kind {
    case .null: add(byte: 0)
    case .integer where kind == .real || kind == .date: add(Double(cell.bits))
    case .integer:
      add(byte: 1)
      add(cell.bits)
    case .real: add(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text where kind == .decimal: add(decimal: cell)
    case .text: add(bytes: bytes(of: cell), mark: 3)
    case .blob: add(bytes: bytes(of: cell), mark: 4)
    }
  }

  private mutating func add(_ number: Double) {
    add(byte: 2)
    // Both zeros are equal to a database.
    add(Int64(bitPattern: (number == 0 ? 0 : number).bitPattern))
  }

  /// A number may have several texts.
  private mutating func add(decimal cell: _Cell) {
    let text = String(decoding: bytes(of: cell), as: UTF8.self)
    let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    add(bytes: UnsafeRawBufferPointer(start: nil, count: 0), mark: 5)
    for byte in (number?.description ?? text).utf8 { add(byte: byte) }
  }

  private func bytes(of cell: _Cell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count)
  }

  private mutating func add(bytes: UnsafeRawBufferPointer, mark: UInt8) {
    add(byte: mark)
    add(Int64(bytes.count))
    for byte in bytes { add(byte: byte) }
  }

  private mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { bytes in
      for byte in bytes { add(byte: byte) }
    }
  }

  private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
