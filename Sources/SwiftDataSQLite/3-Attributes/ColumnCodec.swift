import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The columns of an entity that are stored in another form than its models write: encrypted, or as files beside the
/// store when they are large.
///
/// A row is sealed after its model has been encoded and before it is bound, and opened before its model reads it, so
/// all other code handles plain values.
struct ColumnCodec: Sendable {
  struct Column: Sendable {
    /// The position in a whole row.
    let index: Int
    /// `Entity.column`, for errors.
    let name: String
    /// The name under which values are encrypted; renaming the property doesn't change it.
    let sealedName: String
    let cipher: ColumnCipher?
    let files: ExternalFiles?
    /// The kind of a value stored in the row itself. A reference to a file has the other kind of text and blob.
    let inlineKind: _Cell.Kind
  }

  private let columns: [Int: Column]
  private let order: [Column]
  private let path: String

  /// - Returns: nil when no column is stored in another form.
  init?(_ plan: EntityPlan, cipher: ColumnCipher?, files: ExternalFiles?, path: String) {
    var order: [Column] = []
    for (index, column) in plan.columns.enumerated() {
      let property = plan.properties[column.property]
      let cipher = property.storage.isEncrypted ? cipher : nil
      let kind = ExternalStorage.inlineKind(of: column, property)
      guard cipher != nil || (kind != nil && files != nil) else { continue }
      order.append(
        Column(
          index: index, name: "\(plan.name).\(column.name)",
          sealedName: ColumnCipher.name(
            table: plan.table, originalName: property.originalName, members: column.members),
          cipher: cipher, files: kind == nil ? nil : files, inlineKind: kind ?? .blob))
    }
    guard !order.isEmpty else { return nil }
    self.order = order
    columns = Dictionary(uniqueKeysWithValues: order.map { ($0.index, $0) })
    self.path = path
  }

  /// A codec for single columns of any entities.
  init(_ order: [Column], path: String) {
    self.order = order
    columns = Dictionary(order.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    self.path = path
  }

  // MARK: Writing

  /// Seals a whole row.
  func seal(_ row: inout _RowWriter, on connection: Connection) throws {
    for column in order { try seal(&row, cell: column.index, column, connection) }
  }

  /// Seals a row that has only the cells of `positions`.
  func seal(_ row: inout _RowWriter, columns positions: [Int], on connection: Connection) throws {
    for (cell, position) in positions.enumerated() {
      if let column = columns[position] { try seal(&row, cell: cell, column, connection) }
    }
  }

  /// Encrypts a row that has only the cells of `positions`, and keeps large values in the row.
  func encrypt(_ row: inout _RowWriter, columns positions: [Int]) throws {
    for (cell, position) in positions.enumerated() {
      if let column = columns[position] { try encrypt(&row, cell: cell, column) }
    }
  }

  private func encrypt(_ row: inout _RowWriter, cell index: Int, _ column: Column) throws {
    let cell = row.cells[index]
    guard cell.kind != .null, let cipher = column.cipher else { return }
    let plain = CellBytes.encode(cell, bytes: cell.isBytes ? row.bytes(of: cell) : [])
    row.replace(index, .blob, cipher.seal(plain, column: column.sealedName))
  }

  private func seal(
    _ row: inout _RowWriter, cell index: Int, _ column: Column, _ connection: Connection
  ) throws {
    guard row.cells[index].kind != .null else { return }
    try encrypt(&row, cell: index, column)
    let sealed = row.cells[index]
    guard let files = column.files, sealed.isBytes, sealed.count > ExternalFiles.threshold else {
      return
    }
    let name = try files.write(row.bytes(of: sealed), on: connection)
    row.replace(index, column.inlineKind == .text ? .blob : .text, Array(name.utf8))
  }

  // MARK: Reading

  /// Calls `body` with the opened cells of a whole row.
  func open<Result>(
    _ cells: UnsafeBufferPointer<_Cell>,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    var opened = Array(cells)
    var buffers: [UnsafeMutableRawBufferPointer] = []
    defer { for buffer in buffers { buffer.deallocate() } }
    for column in order where column.index < opened.count {
      let cell = opened[column.index]
      guard cell.kind != .null else { continue }
      if let value = try open(cell, column) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
          byteCount: value.bytes.count, alignment: 1)
        buffer.copyBytes(from: value.bytes)
        buffers.append(buffer)
        opened[column.index] = _Cell(
          kind: value.kind, bits: value.bits ?? Int64(Int(bitPattern: buffer.baseAddress)),
          count: value.bytes.count)
      }
    }
    return try opened.withUnsafeBufferPointer(body)
  }

  private struct Opened {
    var kind: _Cell.Kind
    var bytes: [UInt8]
    /// The value of a number.
    var bits: Int64?
  }

  /// - Returns: nil for a cell that is already plain.
  private func open(_ cell: _Cell, _ column: Column) throws -> Opened? {
    var stored: [UInt8]?
    if let files = column.files, cell.isBytes, cell.kind != column.inlineKind {
      stored = try files.read(String(decoding: cell.addressedBytes, as: UTF8.self), column.name)
    }
    guard let cipher = column.cipher else {
      return stored.map { Opened(kind: column.inlineKind, bytes: $0) }
    }
    guard cell.kind == .blob || stored != nil,
      let plain = cipher.open(stored ?? Array(cell.addressedBytes), column: column.sealedName),
      let value = CellBytes.decode(plain)
    else {
      throw StoreError(
        .damaged, path: path,
        explanation:
          "a value of \(column.name) isn't what this store encrypted: it was changed by another"
          + " program; restore it from a copy")
    }
    return Opened(kind: value.kind, bytes: value.bytes, bits: value.bits)
  }
}

extension _Cell {
  /// The bytes of a text or blob cell in a row read from the store, whose `bits` are an address.
  fileprivate var addressedBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: Int(bits)), count: count)
  }
}

extension _RowWriter {
  fileprivate mutating func replace(_ index: Int, _ kind: _Cell.Kind, _ bytes: [UInt8]) {
    cells[index] = _Cell(kind: kind, bits: Int64(arena.count), count: bytes.count)
    arena += bytes
  }
}
