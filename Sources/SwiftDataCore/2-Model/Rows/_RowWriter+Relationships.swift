extension _RowWriter {
  public mutating func write<Value: PersistentModel>(_ stored: borrowing _Stored<Value?>) {
    defer { property += 1 }
    switch stored.value {
    case .some(let destination):
      if isCollecting { links = .one(destination) } else { append(reference: destination) }
    case nil: if !isCollecting { appendReferenceNotLoaded() }
    }
  }

  public mutating func write<Value: PersistentModel>(_ stored: borrowing _Stored<Value>) {
    defer { property += 1 }
    if let destination = stored.value {
      if isCollecting { links = .one(destination) } else { append(reference: destination) }
    } else if !isCollecting {
      appendReferenceNotLoaded()
    }
  }

  /// To-many relationships have no column: their links are written separately from the row.
  public mutating func write<Value: PersistentModel>(_ stored: borrowing _Stored<[Value]>) {
    if isCollecting, let list = stored.value { links = .many(list) }
    property += 1
  }

  public mutating func write<Value: PersistentModel>(_ stored: borrowing _Stored<[Value]?>) {
    if isCollecting, case .some(let list) = stored.value { links = .many(list ?? []) }
    property += 1
  }

  private mutating func append(reference destination: (any PersistentModel)?) {
    guard !plan.columnRanges[property].isEmpty else { return }
    guard let destination else { return appendEmptyReference() }
    // A row doesn't refer to a destination that is being deleted.
    guard
      !destination._$modelState.isDeleted
        || keepsLinksToDeleted && !destination._$modelState.flags.contains(.rowDeleted)
    else { return appendNull() }
    let rowID = destination._$modelState.rowID
    if rowID != 0 {
      append(integer: rowID)
    } else {
      unresolved.append((property, destination))
      appendNull()
    }
  }

  /// Appends the reference of a model without a destination: the row may have kept the key of one that was deleted.
  private mutating func appendEmptyReference() {
    guard let fields, fields.pointee.rowID != 0,
      let rowID = fields.pointee.reference(at: property),
      plan.properties[property].relationship?.keepsKeys == true
    else { return appendNull() }
    append(integer: rowID)
  }

  private mutating func appendReferenceNotLoaded() {
    guard !plan.columnRanges[property].isEmpty else { return }
    if let rowID = fields?.pointee.reference(at: property) {
      append(integer: rowID)
    } else {
      appendNull()
    }
  }
}
