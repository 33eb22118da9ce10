/// The cells that changed properties of a context's models had in their rows before the change, and no other cells.
/// They are stored side by side; each model has the index of its first cell, and each cell the index of the model's
/// next one, so that changing a number needs no separate allocation.
///
/// The context keeps a model with cells in this storage alive until they are forgotten, unless the context is released
/// first.
package struct CommittedCells: ~Copyable {
  private struct Entry {
    /// The cell; for a text or blob it has the address of a separate allocation.
    var cell: _Cell
    var property: Int32
    /// The index of the model's next entry; negative in the last one.
    var next: Int32
  }

  /// The number of entries in a piece. Entries are allocated in pieces, so that none of them moves when more are
  /// needed.
  private static let pieceSize = 512

  private var pieces: [UnsafeMutablePointer<Entry>] = []
  /// The number of entries that have ever been used.
  private var used: Int32 = 0
  /// The index of the first entry that is free again; negative when there is none.
  private var free: Int32 = -1
  /// The number of entries in use.
  package private(set) var count = 0

  package init() {}

  deinit { for piece in pieces { piece.deallocate() } }

  private subscript(_ index: Int32) -> Entry {
    get { pieces[Int(index) / Self.pieceSize][Int(index) % Self.pieceSize] }
    nonmutating set { pieces[Int(index) / Self.pieceSize][Int(index) % Self.pieceSize] = newValue }
    nonmutating _modify {
      yield &pieces[Int(index) / Self.pieceSize][Int(index) % Self.pieceSize]
    }
  }

  package func contains(_ property: Int, from first: Int32) -> Bool {
    var index = first
    while index >= 0 {
      if Int(self[index].property) == property { return true }
      index = self[index].next
    }
    return false
  }

  /// Appends the cells of a property to those that a model already has.
  ///
  /// - Parameters:
  ///   - cells: The cells of the property; texts and blobs are in `arena`.
  ///   - first: The index of the model's first entry; negative when it has none.
  mutating func record(
    _ cells: UnsafeBufferPointer<_Cell>, _ arena: UnsafeBufferPointer<UInt8>, of property: Int,
    behind first: inout Int32
  ) {
    var last: Int32 = -1
    var index = first
    while index >= 0 {
      // The user's code that encoded the property has changed it, so its cells are already kept.
      if Int(self[index].property) == property { return }
      last = index
      index = self[index].next
    }
    for cell in cells {
      let made = allocate()
      self[made] = Entry(
        cell: Self.copy(cell, arena), property: Int32(truncatingIfNeeded: property), next: -1)
      if last < 0 { first = made } else { self[last].next = made }
      last = made
    }
  }

  private mutating func allocate() -> Int32 {
    count += 1
    if free >= 0 {
      let index = free
      free = self[index].next
      return index
    }
    if Int(used) == pieces.count * Self.pieceSize {
      pieces.append(.allocate(capacity: Self.pieceSize))
    }
    defer { used += 1 }
    return used
  }

  private static func copy(_ cell: _Cell, _ arena: UnsafeBufferPointer<UInt8>) -> _Cell {
    guard cell.kind == .text || cell.kind == .blob, cell.count > 0 else { return cell }
    var cell = cell
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: cell.count, alignment: 1)
    let start = Int(cell.bits)
    bytes.copyBytes(from: arena[start..<start + cell.count])
    cell.bits = Int64(Int(bitPattern: bytes.baseAddress))
    return cell
  }

  /// The bytes of a text or blob in this storage.
  private static func bytes(of cell: _Cell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: cell.count > 0 ? UnsafeRawPointer(bitPattern: Int(cell.bits)) : nil, count: cell.count)
  }

  /// Whether the kept cells of a property are equal to the first cells of `others`, the property's cells in a row; nil
  /// when the property wasn't kept.
  func isEqual(
    _ property: Int, to others: UnsafeBufferPointer<_Cell>, _ arena: UnsafeBufferPointer<UInt8>,
    from first: Int32
  ) -> Bool? {
    var column = 0
    var index = first
    while index >= 0 {
      let entry = self[index]
      index = entry.next
      guard Int(entry.property) == property else { continue }
      guard column < others.count, Self.isEqual(entry.cell, others[column], arena) else {
        return false
      }
      column += 1
    }
    return column > 0 ? true : nil
  }

  @inline(__always)
  private static func isEqual(
    _ mine: _Cell, _ other: _Cell, _ arena: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard mine.kind == other.kind else { return false }
    switch mine.kind {
    case .null: return true
    case .integer, .real: return mine.bits == other.bits
    case .text, .blob:
      guard mine.count == other.count else { return false }
      guard mine.count > 0 else { return true }
      let start = Int(other.bits)
      return bytes(of: mine).elementsEqual(arena[start..<start + other.count])
    }
  }

  /// The kept cells of a property as a separate row; nil when the property wasn't kept.
  func row(of property: Int, from first: Int32) -> RowCopy? {
    var cells: [_Cell] = []
    var arena: [UInt8] = []
    return append(property, from: first, to: &cells, &arena)
      ? RowCopy(cells: cells, arena: arena) : nil
  }

  /// Appends the kept cells of a property to a row; returns false when it wasn't kept.
  func append(
    _ property: Int, from first: Int32, to cells: inout [_Cell], _ arena: inout [UInt8]
  ) -> Bool {
    var isThere = false
    var index = first
    while index >= 0 {
      let entry = self[index]
      index = entry.next
      guard Int(entry.property) == property else { continue }
      isThere = true
      var cell = entry.cell
      if cell.kind == .text || cell.kind == .blob {
        cell.bits = Int64(arena.count)
        arena += Self.bytes(of: entry.cell)
      }
      cells.append(cell)
    }
    return isThere
  }

  /// Releases a model's cells after its changes were committed or discarded.
  mutating func discard(from first: Int32) {
    var index = first
    while index >= 0 {
      let next = self[index].next
      Self.release(self[index].cell)
      self[index].next = free
      free = index
      count -= 1
      index = next
    }
    if count == 0 { removeAll() }
  }

  private mutating func removeAll() {
    used = 0
    free = -1
    while pieces.count > 1 { pieces.removeLast().deallocate() }
  }

  /// Releases the texts and blobs of a model that outlived its context. The model's last owner may be on any thread, so
  /// no entry is changed.
  func abandon(from first: Int32) {
    var index = first
    while index >= 0 {
      Self.release(self[index].cell)
      index = self[index].next
    }
  }

  private static func release(_ cell: _Cell) {
    if cell.kind == .text || cell.kind == .blob { bytes(of: cell).deallocate() }
  }
}

/// Encodes properties before they are changed, reusing one row.
final class CommittedCellEncoder {
  let plan: EntityPlan
  @exclusivity(unchecked) private var row: _RowWriter
  @exclusivity(unchecked) private var isBusy = false

  init(_ plan: EntityPlan) {
    self.plan = plan
    row = _RowWriter(plan: plan)
    row.keepsLinksToDeleted = true
  }

  /// Keeps the current value of `property`.
  func record<Model: PersistentModel>(
    _ property: Int, of model: Model, _ state: _ModelState, in link: ContextLink
  ) {
    // The encoding of a user's own type may in turn change a property.
    guard !isBusy else {
      return CommittedCellEncoder(plan).record(property, of: model, state, in: link)
    }
    isBusy = true
    row.begin(state, property: property)
    model._$encode(property, into: &row)
    isBusy = false
    row.record(property, in: &link.committedCells, behind: &state.fields.pointee.firstCommittedCell)
  }
}
