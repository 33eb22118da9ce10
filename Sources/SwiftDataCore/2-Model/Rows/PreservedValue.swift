extension RowCopy {
  /// Returns a whole row in which the columns of one attribute have the cells of this row, and all others are NULL. nil
  /// when the number of cells differs.
  package func expand(over property: Int, of plan: EntityPlan) -> RowCopy? {
    let columns = plan.properties[property].columns
    guard columns.count == cells.count else { return nil }
    var row = [_Cell](repeating: _Cell(kind: .null), count: plan.columns.count)
    row.replaceSubrange(columns, with: cells)
    return RowCopy(cells: row, arena: arena)
  }
}

extension EntityPlan {
  /// Returns the value of one attribute from the columns of a row.
  ///
  /// - Returns: The value without its optional; nil when it was nil.
  /// - Throws: ``RowDecodingError`` or the property's own error when the columns don't fit its type.
  package func value(
    of property: Int, in cells: UnsafeBufferPointer<_Cell>
  ) throws -> (any Sendable)? {
    var reader = _RowReader(cells: cells, plan: self, state: nil)
    reader.property = property
    reader.column = properties[property].columns.lowerBound
    let value = try reader.nextUntyped()
    // Sendable is a marker protocol without a witness table, so both existentials have the same layout; and a value
    // that was just decoded has no other owner.
    return PropertyShape.content(of: value).map {
      unsafeBitCast($0 as Any, to: (any Sendable).self)
    }
  }
}

extension AnyKeyPath {
  /// Returns the key path as one of `Model` that can be passed on; nil when `Model` has no such property.
  package func sendable<Model: PersistentModel>(
    of type: Model.Type
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let keyPath = self as? PartialKeyPath<Model> ?? inherited(by: type) else { return nil }
    // Sendable is a marker protocol without a witness table. Key paths of schemas are written by the macro and capture
    // nothing.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// Returns the key path of a superclass's property, as one of `Model`.
  private func inherited<Model: PersistentModel>(by type: Model.Type) -> PartialKeyPath<Model>? {
    guard let root = Swift.type(of: self).rootType as? any PersistentModel.Type else { return nil }
    func open<Base: PersistentModel>(_ base: Base.Type) -> PartialKeyPath<Model>? {
      guard type is Base.Type else { return nil }
      let superclass: PartialKeyPath<Model> = \Model[Superclass<Base>()]
      return superclass.appending(path: self)
    }
    return open(root)
  }
}

/// Names a superclass in a key path.
private struct Superclass<Base: PersistentModel>: Hashable {}

extension PersistentModel {
  /// The model as one of a superclass.
  fileprivate subscript<Base: PersistentModel>(_ superclass: Superclass<Base>) -> Base {
    // Key paths with it are created only where the type is known to be a subclass.
    unsafeDowncast(self, to: Base.self)
  }
}
