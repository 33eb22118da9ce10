extension _RowReader {
  /// A reader that gives the relationship at `property` of a model the destinations `links`.
  init(_ links: ResolvedLinks, for property: Int, of plan: EntityPlan, _ state: _ModelState) {
    cells = UnsafeBufferPointer(start: nil, count: 0)
    planReference = .passUnretained(plan)
    fields = state.fields
    self.property = property
    resolved = links
  }

  public mutating func read<Value: PersistentModel>(_ stored: inout _Stored<Value?>) throws {
    defer { property += 1 }
    if resolved == nil {
      stored.value = try nextIsEmpty(of: Value.self) ? .some(nil) : nil
    } else {
      stored.value = .some(resolved?.one as? Value)
    }
  }

  public mutating func read<Value: PersistentModel>(_ stored: inout _Stored<Value>) throws {
    defer { property += 1 }
    if resolved == nil {
      _ = try nextIsEmpty(of: Value.self)
      stored.value = nil
    } else {
      stored.value = resolved?.one as? Value
    }
  }

  /// Keeps the key of a to-one relationship; true when the column says that there is no destination.
  private mutating func nextIsEmpty(of type: any PersistentModel.Type) throws -> Bool {
    guard !plan.columnRanges[property].isEmpty else { return false }
    let cell = try next()
    switch cell.kind {
    case .null:
      fields?.pointee.setReference(nil, at: property)
      return true
    case .integer:
      fields?.pointee.setReference(cell.bits, at: property)
      return false
    default: throw mismatch(expected: "row id of \(type)", cell)
    }
  }

  public mutating func read<Value: PersistentModel>(_ stored: inout _Stored<[Value]>) throws {
    stored.value = resolved?.list(of: Value.self)
    property += 1
  }

  public mutating func read<Value: PersistentModel>(_ stored: inout _Stored<[Value]?>) throws {
    stored.value = resolved.map { .some($0.list(of: Value.self)) }
    property += 1
  }
}
