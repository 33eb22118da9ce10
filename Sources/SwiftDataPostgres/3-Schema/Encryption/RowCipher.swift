import SwiftDataCore
import SwiftDataSQL

/// The encrypted columns of an entity. A row is sealed after its model has been encoded, and opened before its model
/// reads it, so all other code handles plain values.
struct RowCipher: Sendable {
  private struct Column {
    /// The position in a whole row.
    let index: Int
    /// `Entity.column`, for errors.
    let name: String
    /// The name under which values are encrypted.
    let sealedName: String
  }

  private let columns: [Column]
  private let cipher: ColumnCipher

  /// - Returns: nil when no column is encrypted, and without a key.
  init?(_ plan: EntityPlan, _ cipher: ColumnCipher?) {
    guard let cipher else { return nil }
    self.cipher = cipher
    columns = plan.columns.enumerated().compactMap { index, column in
      let property = plan.properties[column.property]
      guard property.storage.isEncrypted else { return nil }
      return Column(
        index: index, name: "\(plan.name).\(column.name)",
        sealedName: ColumnCipher.name(
          table: plan.table, originalName: property.originalName, members: column.members))
    }
    if columns.isEmpty { return nil }
  }

  // MARK: - Writing

  /// Seals a whole row.
  func seal(_ row: inout _RowWriter) throws {
    for column in columns { try seal(&row, cell: column.index, column) }
  }

  /// Seals a row that has the cells of `positions` from `start` on.
  func seal(_ row: inout _RowWriter, columns positions: [Int], at start: Int = 0) throws {
    for (offset, position) in positions.enumerated() {
      guard let column = columns.first(where: { $0.index == position }) else { continue }
      try seal(&row, cell: start + offset, column)
    }
  }

  private func seal(_ row: inout _RowWriter, cell index: Int, _ column: Column) throws {
    let cell = row.cells[index]
    guard cell.kind != .null else { return }
    let plain = CellBytes.encode(cell, bytes: cell.isBytes ? row.bytes(of: cell) : [])
    let sealed = cipher.seal(plain, column: column.sealedName)
    row.cells[index] = _Cell(kind: .blob, bits: Int64(row.arena.count), count: sealed.count)
    row.arena += sealed
  }

  // MARK: - Reading

  /// Calls `body` with the opened cells of a whole row.
  func open<Result>(
    _ cells: UnsafeBufferPointer<_Cell>, address: String,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    var opened = Array(cells)
    var buffers: [UnsafeMutableRawBufferPointer] = []
    defer { for buffer in buffers { buffer.deallocate() } }
    for column in columns where column.index < opened.count {
      let cell = opened[column.index]
      guard cell.kind != .null else { continue }
      let value = try open(cell, column, address)
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: value.bytes.count, alignment: 1)
      buffer.copyBytes(from: value.bytes)
      buffers.append(buffer)
      opened[column.index] = _Cell(
        kind: value.kind, bits: value.bits ?? Int64(Int(bitPattern: buffer.baseAddress)),
        count: value.bytes.count)
    }
    return try opened.withUnsafeBufferPointer(body)
  }

  private func open(
    _ cell: _Cell, _ column: Column, _ address: String
  ) throws -> (kind: _Cell.Kind, bytes: [UInt8], bits: Int64?) {
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.isBytes ? cell.count : 0)
    guard cell.kind == .blob,
      let plain = cipher.open(Array(bytes), column: column.sealedName),
      let value = CellBytes.decode(plain)
    else {
      throw StoreError(
        .damaged, path: address,
        explanation:
          "a value of \(column.name) isn't what this store encrypted: it was changed by another"
          + " program; restore it from a copy")
    }
    return value
  }
}
