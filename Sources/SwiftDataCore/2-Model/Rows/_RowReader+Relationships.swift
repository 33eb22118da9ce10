extension _RowReader {
  /// Makes a reader that sets the destinations of the relationship at `property` of a model to `links`.
  init(_ links: ResolvedLinks, for property: Int, of plan: EntityPlan, _ state: _ModelState) {
    cells = UnsafeBufferPointer(start: nil, count: 0)
    planReference = PlanReference(plan)
    fields = state.fields
    self.property = property
    resolved = links
  }

  // A model's code compiles these row readers for its own types. Otherwise storage is made through the type's metadata,
  // which is looked up for each row.

  @inlinable
  public mutating func read<Value: PersistentModel>() throws -> _Stored<Value?> {
    if isResolved { return nextResolved() }
    let isEmpty = try nextIsEmpty(of: Value.self)
    property += 1
    return isEmpty ? _Stored(nil) : _Stored()
  }

  @inlinable
  public mutating func read<Value: PersistentModel>() throws -> _Stored<Value> {
    if isResolved { return nextResolved() }
    _ = try nextIsEmpty(of: Value.self)
    property += 1
    return _Stored()
  }

  @inlinable
  public mutating func read<Value: PersistentModel>() throws -> _Stored<[Value]> {
    if isResolved { return nextResolved() }
    property += 1
    return _Stored()
  }

  @inlinable
  public mutating func read<Value: PersistentModel>() throws -> _Stored<[Value]?> {
    if isResolved { return nextResolved() }
    property += 1
    return _Stored()
  }

  /// Stores the key of a to-one relationship in the state; returns true when the column is NULL: there is no
  /// destination.
  @usableFromInline
  mutating func nextIsEmpty(of type: any PersistentModel.Type) throws -> Bool {
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

  // MARK: Destinations

  /// Whether the reader supplies the destinations of a relationship.
  @usableFromInline
  var isResolved: Bool { resolved != nil }

  @usableFromInline
  mutating func nextResolved<Value: PersistentModel>() -> _Stored<Value?> {
    property += 1
    return _Stored(resolved?.one as? Value)
  }

  @usableFromInline
  mutating func nextResolved<Value: PersistentModel>() -> _Stored<Value> {
    property += 1
    return (resolved?.one as? Value).map { _Stored($0) } ?? _Stored()
  }

  @usableFromInline
  mutating func nextResolved<Value: PersistentModel>() -> _Stored<[Value]> {
    property += 1
    return resolved.map { _Stored($0.list(of: Value.self)) } ?? _Stored()
  }

  @usableFromInline
  mutating func nextResolved<Value: PersistentModel>() -> _Stored<[Value]?> {
    property += 1
    return resolved.map { _Stored($0.list(of: Value.self)) } ?? _Stored()
  }
}
