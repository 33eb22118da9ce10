import Foundation

/// Collects the cells of one row while a model's generated code writes its properties in order.
///
/// Bytes are copied once into an arena that is reused from row to row: a store binds them by address
/// without asking its database to copy them again.
public struct _RowWriter {
  public var cells: [_Cell] = []
  public var arena: [UInt8] = []
  /// The position of the property that is written next.
  public var property = 0
  /// The entity's plan: composites and relationships need it, plain columns don't.
  @usableFromInline package let plan: EntityPlan
  /// The state of the model being written, used only during the write: it has the keys of relationships that were never
  /// loaded.
  @usableFromInline var fields: UnsafeMutablePointer<ModelFields>?
  /// The first error; writing continues, so that generated code needs no `try`.
  package var failure: (any Error)?
  /// Relationship columns whose destination has no row yet: (property, destination).
  package var unresolved: [(property: Int, destination: any PersistentModel)] = []
  /// Whether a relationship is only inspected: nothing is written, and ``links`` receives its content.
  @usableFromInline package var isCollecting = false
  package var links = LoadedLinks.notLoaded
  /// Whether the row is requested as it is stored: it refers to a destination until that model's deletion is saved.
  package var keepsLinksToDeleted = false

  package init(plan: EntityPlan) {
    self.plan = plan
    cells.reserveCapacity(plan.columns.count)
  }

  /// Makes a writer that inspects the relationship at `property` instead of writing it.
  init(collecting property: Int, of plan: EntityPlan) {
    self.plan = plan
    self.property = property
    isCollecting = true
  }

  /// Prepares the writer for another row, keeping its memory.
  package mutating func begin(_ state: _ModelState?, property: Int = 0) {
    // Most of the arrays are empty, and checking that is cheaper than emptying them again.
    if cells.count == 1 {
      cells.removeLast()
    } else if !cells.isEmpty {
      cells.removeAll(keepingCapacity: true)
    }
    if !arena.isEmpty { arena.removeAll(keepingCapacity: true) }
    if !unresolved.isEmpty { unresolved.removeAll(keepingCapacity: true) }
    if failure != nil { failure = nil }
    self.property = property
    fields = state?.fields
  }

  /// Prepares the writer for another row behind those that it already has.
  ///
  /// - Parameter count: The number of cells of these rows; any cells behind them are dropped.
  package mutating func begin(_ state: _ModelState?, behind count: Int) {
    if cells.count > count { cells.removeLast(cells.count - count) }
    if !unresolved.isEmpty { unresolved.removeAll(keepingCapacity: true) }
    if failure != nil { failure = nil }
    property = 0
    fields = state?.fields
  }

  /// Copies the writer's cells, which are those of one property, into `former`.
  mutating func record(
    _ property: Int, in former: inout CommittedCells, behind first: inout Int32
  ) {
    cells.withUnsafeBufferPointer { cells in
      arena.withUnsafeBufferPointer { arena in
        former.record(cells, arena, of: property, behind: &first)
      }
    }
  }

  /// Whether a property, whose cells are the last ones from `start` on, has the value of the model's last committed
  /// row; nil when that isn't known. Mutating, so that no part of a writer stored in an object is retained for the
  /// call.
  package mutating func isAsCommitted(_ property: Int, _ state: _ModelState, at start: Int) -> Bool?
  {
    cells.withUnsafeBufferPointer { cells in
      arena.withUnsafeBufferPointer { arena in
        state.withLink {
          $0.committedCells.isEqual(
            property, to: UnsafeBufferPointer(rebasing: cells[start...]), arena,
            from: state.fields.pointee.firstCommittedCell)
        } ?? nil
      }
    }
  }

  /// Removes the first rows; the rows behind them stay.
  ///
  /// - Parameters:
  ///   - count: The number of cells of the removed rows.
  ///   - bytes: The number of their bytes in the arena.
  package mutating func removeFirst(_ count: Int, bytes: Int) {
    cells.removeFirst(count)
    guard bytes > 0 else { return }
    arena.removeFirst(bytes)
    cells.moveBytes(by: -Int64(bytes))
  }

  @inlinable
  public mutating func appendNull() { cells.append(_Cell(kind: .null)) }

  @inlinable
  public mutating func append(integer: Int64) { cells.append(_Cell(kind: .integer, bits: integer)) }

  /// Appends a real. SQLite turns NaN into NULL, so NaN is the text `NaN`, which sorts after every number.
  @inlinable
  public mutating func append(real: Double) {
    if real.isNaN {
      append(text: "NaN")
    } else {
      cells.append(_Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern)))
    }
  }

  @inlinable
  public mutating func append(text: String) {
    let start = arena.count
    var text = text
    text.withUTF8 { arena.append(contentsOf: $0) }
    cells.append(_Cell(kind: .text, bits: Int64(start), count: arena.count - start))
  }

  @inlinable
  public mutating func append(blob: some Collection<UInt8>) {
    let start = arena.count
    arena.append(contentsOf: blob)
    cells.append(_Cell(kind: .blob, bits: Int64(start), count: arena.count - start))
  }

  /// The names of the entity and of the next property, for errors.
  var propertyName: String {
    let isKnown = plan.properties.indices.contains(property)
    return "\(plan.name).\(isKnown ? plan.properties[property].name : "?")"
  }

  /// Appends NULL for every column of the next property, which has no value yet.
  @usableFromInline
  mutating func appendUnset() {
    for _ in plan.columnRanges[property] { appendNull() }
  }
}

// MARK: - Methods that generated code calls, one overload for each kind of property

extension _RowWriter {
  @inlinable
  public mutating func write<Value: _ColumnValue>(_ stored: borrowing _Stored<Value>) {
    if let value = stored.value { value._encode(into: &self) } else { appendUnset() }
    property += 1
  }

  @inlinable
  public mutating func write<Value: RawRepresentable & Codable>(
    _ stored: borrowing _Stored<Value>
  ) where Value.RawValue: _ColumnValue {
    if let value = stored.value { append(rawValueOf: value) } else { appendUnset() }
    property += 1
  }

  @inlinable
  public mutating func write<Value: RawRepresentable & Codable>(
    _ stored: borrowing _Stored<Value?>
  ) where Value.RawValue: _ColumnValue {
    if case .some(.some(let value)) = stored.value {
      append(rawValueOf: value)
    } else {
      appendUnset()
    }
    property += 1
  }

  /// Writes a `Codable` value: composites are flattened into columns, all other values become JSON text.
  ///
  /// A generic class's code has this overload for a value of its parameter's type, whatever that type is.
  @_disfavoredOverload
  public mutating func write<Value: Codable>(_ stored: borrowing _Stored<Value>) {
    let property = plan.properties[property]
    if let value = stored.value {
      if case .scalar = property.shape { return write(scalar: value) }
      do {
        try property.shape.encode(value, into: &self)
      } catch {
        failure = failure ?? error
        appendUnset()
      }
    } else {
      appendUnset()
    }
    self.property += 1
  }

  /// Chosen when no other overload fits, for its message.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a persisted property must be Codable, a model, an array of models, or marked '@Transient'"
  )
  public mutating func write<Value>(_ stored: borrowing _Stored<Value>) {}
}

extension _RowWriter {
  /// The bytes of a text or blob cell of this row.
  package func bytes(of cell: _Cell) -> ArraySlice<UInt8> {
    arena[Int(cell.bits)..<Int(cell.bits) + cell.count]
  }

  /// The row as a separate value.
  package var rowCopy: RowCopy { RowCopy(cells: cells, arena: arena) }
}

extension _RowWriter {
  /// Whether the columns in `range` of this row hold the same values as those that a store's cells point to.
  package func isEqual(to other: UnsafeBufferPointer<_Cell>, in range: Range<Int>) -> Bool {
    range.allSatisfy { column in
      column >= cells.count || column >= other.count || isEqual(cells[column], to: other[column])
    }
  }

  /// - Parameter theirs: A cell that points to its bytes.
  private func isEqual(_ mine: _Cell, to theirs: _Cell) -> Bool {
    arena.withUnsafeBytes { mine.isEqual(to: theirs, $0) }
  }
}
