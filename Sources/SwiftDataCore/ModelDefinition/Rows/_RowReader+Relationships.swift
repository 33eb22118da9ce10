extension _RowReader {
  /// A reader that gives the relationship at `property` of a model the destinations `links`.
  init(_ links: ResolvedLinks, for property: Int, of plan: EntityPlan, _ state: _ModelState) {
    cells = UnsafeBufferPointer(start: nil, count: 0)
    planReference = .passUnretained(plan)
    fields = state.fields
    self.property = property
    resolved = links
  }

  public mutating func read<Value: PersistentModel>() throws -> _Stored<Value?> {
    defer { property += 1 }
    guard let resolved else {
      return try nextIsEmpty(of: Value.self) ? _Stored(nil) : _Stored()
    }
    return _Stored(resolved.one as? Value)
  }

  public mutating func read<Value: PersistentModel>() throws -> _Stored<Value> {
    defer { property += 1 }
    guard let resolved else {
      _ = try nextIsEmpty(of: Value.self)
      return _Stored()
    }
    return (resolved.one as? Value).map { _Stored($0) } ?? _Stored()
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

  public mutating func read<Value: PersistentModel>() throws -> _Stored<[Value]> {
    defer { property += 1 }
    return resolved.map { _Stored($0.list(of: Value.self)) } ?? _Stored()
  }

  public mutating func read<Value: PersistentModel>() throws -> _Stored<[Value]?> {
    defer { property += 1 }
    return resolved.map { _Stored($0.list(of: Value.self)) } ?? _Stored()
  }
}
