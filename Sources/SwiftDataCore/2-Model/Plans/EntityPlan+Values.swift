extension EntityPlan {
  /// The columns of a property's default value, as rows have them; nil when it has none.
  ///
  /// - Throws: The error from encoding the value.
  package func defaultRow(of property: Int) throws -> _RowWriter? {
    guard let value = PropertyShape.content(of: properties[property].defaultValue) else {
      return nil
    }
    var writer = _RowWriter(plan: self)
    writer.property = property
    writer.write(erased: value)
    if let failure = writer.failure { throw failure }
    writer.composeUniqueTexts(ofColumns: properties[property].columns, at: 0)
    return writer
  }

  /// Whether the columns of a row hold a value of a property's type and nothing more: encoding the value again gives
  /// the same columns. Values stored as JSON or by a transformer only have to be readable.
  package func holds(_ property: Int, in cells: UnsafeBufferPointer<_Cell>) -> Bool {
    let value: (any Sendable)?
    do { value = try self.value(of: property, in: cells) } catch { return false }
    let planned = properties[property]
    guard let value else {
      return planned.isOptional && planned.columns.allSatisfy { cells[$0].kind == .null }
    }
    if case .json = planned.shape { return true }
    if planned.storage.transformerName != nil { return true }
    var writer = _RowWriter(plan: self)
    writer.property = property
    writer.write(erased: value)
    guard writer.failure == nil, writer.cells.count == planned.columns.count else { return false }
    return writer.isEqual(
      to: UnsafeBufferPointer(rebasing: cells[planned.columns]), in: 0..<writer.cells.count)
  }
}
