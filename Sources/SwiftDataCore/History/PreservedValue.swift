extension RowSnapshot {
  /// What the columns of one attribute, which are all that this row has, say.
  ///
  /// - Returns: The value without its optional; nil when it was nil.
  /// - Throws: ``RowDecodingError`` or the property's own error when the columns don't fit its type.
  package func value(of property: Int, plan: EntityPlan) throws -> (any Sendable)? {
    let planned = plan.properties[property]
    var row = [_Cell](repeating: _Cell(kind: .null), count: plan.columns.count)
    guard planned.columns.count == cells.count else { return nil }
    row.replaceSubrange(planned.columns, with: cells)
    let whole = RowSnapshot(cells: row, arena: arena)
    let value = try whole.read(plan: plan, state: _ModelState(), property: property) { reader in
      try reader.nextUntyped()
    }
    // Sendable is a promise without a table of functions, so both existentials look alike; and nobody else has
    // a value that was decoded just now.
    return PropertyShape.content(of: value).map {
      unsafeBitCast($0 as Any, to: (any Sendable).self)
    }
  }
}

extension AnyKeyPath {
  /// The key path as a property of `Model`, for passing on; nil when it is none.
  package func sendable<Model: PersistentModel>(
    of type: Model.Type
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let keyPath = self as? PartialKeyPath<Model> else { return nil }
    // Sendable is a promise without a table of functions. Key paths of schemas are written by the macro and capture
    // nothing.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}
