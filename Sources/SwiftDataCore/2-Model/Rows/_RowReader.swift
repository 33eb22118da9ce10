import Foundation

/// Reads the cells of one row in order while a model's generated code reads its properties.
///
/// The cells and the bytes they point to belong to the store and are valid only during the call.
public struct _RowReader {
  @usableFromInline package var cells: UnsafeBufferPointer<_Cell>
  /// The position of the column that is read next.
  @usableFromInline package var column = 0
  /// The position of the property that is read next.
  public var property = 0
  // The caller that lets a model read its row keeps the plan and the state alive.
  @usableFromInline let planReference: PlanReference
  @usableFromInline var plan: EntityPlan { planReference.plan }
  /// The state of the model that reads; nil when only values are read.
  @usableFromInline let fields: UnsafeMutablePointer<ModelFields>?
  /// The cache of short texts. It belongs to the store, and is valid as long as the cells are.
  @usableFromInline var texts: UnsafeMutablePointer<ShortStringCache>?
  /// The destinations of the relationship that is read, when they don't come from a row.
  package var resolved: ResolvedLinks?

  /// Makes a reader over one row. It doesn't keep `plan` and `state` alive.
  package init(cells: UnsafeBufferPointer<_Cell>, plan: EntityPlan, state: _ModelState?) {
    self.cells = cells
    planReference = PlanReference(plan)
    fields = state?.fields
  }

  /// Makes a reader over one row for the model whose state is at `place`.
  init(_ row: RowView, _ place: _ModelPlace) {
    cells = row.cells
    planReference = row.planReference
    texts = row.texts
    fields = place.fields
  }

  /// Reads the next cell.
  @inlinable
  @inline(__always)
  public mutating func next() throws -> _Cell {
    guard column < cells.count else { throw rowTooShort() }
    let cell = cells[column]
    column += 1
    return cell
  }

  @usableFromInline
  func rowTooShort() -> RowDecodingError {
    RowDecodingError(
      entity: plan.name, column: "#\(column)", expected: "a column", found: "the end of the row")
  }

  /// The error for the column just read, which doesn't hold what was `expected`.
  @usableFromInline
  func mismatch(expected: String, _ cell: _Cell) -> RowDecodingError {
    let index = column - 1
    let name = plan.columns.indices.contains(index) ? plan.columns[index].name : "#\(index)"
    return RowDecodingError(
      entity: plan.name, column: name, expected: expected, found: "\(cell.kind)")
  }

  @inlinable
  @inline(__always)
  public mutating func nextInteger() throws -> Int64 {
    let cell = try next()
    guard cell.kind == .integer else { throw mismatch(expected: "integer", cell) }
    return cell.bits
  }

  /// Reads a real; integers are accepted too, because other tools write `5` where this framework writes `5.0`.
  @inlinable
  @inline(__always)
  public mutating func nextReal() throws -> Double {
    let cell = try next()
    if cell.kind == .real { return Double(bitPattern: UInt64(bitPattern: cell.bits)) }
    return try real(of: cell)
  }

  @usableFromInline
  func real(of cell: _Cell) throws -> Double {
    switch cell.kind {
    case .real: return Double(bitPattern: UInt64(bitPattern: cell.bits))
    case .integer: return Double(cell.bits)
    case .text where cell.count == 3 && text(of: cell) == "NaN": return .nan
    default: throw mismatch(expected: "real", cell)
    }
  }

  @inlinable
  public mutating func nextText() throws -> String {
    let cell = try next()
    guard cell.kind == .text else { throw mismatch(expected: "text", cell) }
    if let texts, cell.count > 0, cell.count <= ShortStringCache.maximumBytes,
      let bytes = UnsafeRawPointer(bitPattern: Int(cell.bits))
    {
      return texts.pointee.text(bytes, cell.count, of: column - 1)
    }
    return text(of: cell)
  }

  @inlinable
  public mutating func nextBlob() throws -> UnsafeRawBufferPointer {
    let cell = try next()
    guard cell.kind == .blob else { throw mismatch(expected: "blob", cell) }
    return bytes(of: cell)
  }

  /// The bytes of a text or blob cell; valid until the row ends.
  @inlinable
  @inline(__always)
  public func bytes(of cell: _Cell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count)
  }

  @inlinable
  @inline(__always)
  public func text(of cell: _Cell) -> String { String(decoding: bytes(of: cell), as: UTF8.self) }

  /// Whether the next cell is NULL; the cell isn't consumed.
  @inlinable
  @inline(__always)
  public var isNextNull: Bool { column < cells.count && cells[column].kind == .null }
}

// MARK: - Methods that generated code calls, one overload for each kind of property

extension _RowReader {
  @inlinable
  public mutating func read<Value: _ColumnValue>() throws -> _Stored<Value> {
    let value = try Value._decode(from: &self)
    property += 1
    return _Stored(value)
  }

  @inlinable
  public mutating func read<Value: RawRepresentable & Codable>() throws -> _Stored<Value>
  where Value.RawValue: _ColumnValue {
    let raw = try Value.RawValue._decode(from: &self)
    guard let value = Value(rawValue: raw) else { throw noCase(Value.self, "\(raw)") }
    property += 1
    return _Stored(value)
  }

  @inlinable
  public mutating func read<Value: RawRepresentable & Codable>() throws -> _Stored<Value?>
  where Value.RawValue: _ColumnValue {
    var found: Value?
    if isNextNull {
      column += 1
    } else {
      let raw = try Value.RawValue._decode(from: &self)
      guard let value = Value(rawValue: raw) else { throw noCase(Value.self, "\(raw)") }
      found = value
    }
    property += 1
    return _Stored(found)
  }

  @usableFromInline
  func noCase(_ type: Any.Type, _ raw: String) -> RowDecodingError {
    let name = plan.columns.indices.contains(column - 1) ? plan.columns[column - 1].name : "?"
    return RowDecodingError(
      entity: plan.name, column: name, expected: "a raw value of \(type)", found: raw)
  }

  /// Reads what `_RowWriter.write(_:)` wrote for a `Codable` value.
  @_disfavoredOverload
  public mutating func read<Value: Codable>() throws -> _Stored<Value> {
    let shape = plan.properties[property].shape
    let value =
      if case .scalar = shape { try nextScalar(Value.self) } else {
        try shape.decode(Value.self, from: &self)
      }
    property += 1
    return _Stored(value)
  }

  /// Chosen when no other overload fits. `_RowWriter.write(_:)` rejects such a property at compile time, so that the
  /// compiler reports it for the writing side only.
  @_disfavoredOverload
  public mutating func read<Value>() throws -> _Stored<Value> { _Stored() }
}
