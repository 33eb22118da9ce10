import SwiftDataCore

/// Reads the values of models.
extension ModelAccess {
  /// A relationship whose destination's key hasn't been looked up yet.
  private struct Reference {
    let object: SyncObjectID
    let property: String
    let destination: String
    let row: Int64
  }

  private struct Found {
    var rows: [SyncObjectID: Int64] = [:]
    var values: [SyncObjectID: SyncValues] = [:]
    var references: [Reference] = []
  }

  /// Returns the values of the objects that exist.
  func values(of objects: [SyncObjectID]) throws -> [SyncObjectID: SyncValues] {
    var found = Found()
    found.rows.reserveCapacity(objects.count)
    found.values.reserveCapacity(objects.count)
    for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
      guard let form = forms[entity] else { continue }
      if store.keepsPlainRows(of: form.plan) {
        try store.readRows { try readRows(of: members, form, &found, $0) }
      } else {
        try readModels(of: members, form, &found)
      }
    }
    var values = found.values
    try store.readRows { transaction in
      try readReferences(found, into: &values, transaction)
      try readLists(found, into: &values, transaction)
    }
    for (object, waiting) in try rowless(objects.filter { values[$0] == nil }) {
      values[object] = waiting
    }
    return values
  }

  /// Reads the keys of the destinations of to-one relationships.
  private func readReferences(
    _ found: Found, into values: inout [SyncObjectID: SyncValues],
    _ transaction: any RowReadTransaction
  ) throws {
    for (destination, references) in Dictionary(grouping: found.references, by: \.destination) {
      let objects = try objects(inRows: Set(references.map(\.row)), of: destination, transaction)
      for reference in references {
        guard let object = objects[reference.row] else { continue }
        values[reference.object]?[reference.property] = .text(object.key)
      }
    }
  }

  /// Reads the keys of the destinations of lists.
  private func readLists(
    _ found: Found, into values: inout [SyncObjectID: SyncValues],
    _ transaction: any RowReadTransaction
  ) throws {
    for form in forms.values where !form.lists.isEmpty {
      let owners = found.rows.filter { $0.key.entity == form.entity && values[$0.key] != nil }
      guard !owners.isEmpty else { continue }
      for list in form.lists {
        let members = try members(
          of: list, in: form, owners: owners.values.sorted(), transaction)
        for (object, row) in owners {
          let keys = (members[row] ?? []).map { SyncValue.text($0.key) }
          values[object]?[list.name] = list.isOrdered ? .list(keys) : ListMerge.sorted(keys)
        }
      }
    }
  }

  /// Reads rows without creating models, if the store keeps the rows as the models write them.
  private func readRows(
    of objects: [SyncObjectID], _ form: ModelForm, _ found: inout Found,
    _ transaction: any RowReadTransaction
  ) throws {
    let columns = form.plan.columns.indices.map { RowColumn.column($0) }
    try transaction.forEachRow(
      RowRequest(form.plan, [.rowID] + columns, isExact: true), where: .column(form.keyPosition),
      in: objects.compactMap { form.binding(ofKey: $0.key) }
    ) { cells in
      let row = RowCopy(copying: UnsafeBufferPointer(rebasing: cells.dropFirst()))
      guard let key = form.key(of: row.value(at: form.keyPosition)) else { return }
      take(row, of: SyncObjectID(form.entity, key), row: cells[0].bits, form, &found)
    }
  }

  private func readModels(
    of objects: [SyncObjectID], _ form: ModelForm, _ found: inout Found
  ) throws {
    let rows = Array(try store.readRows { try self.rows(of: objects, $0) })
    // Attachments stay in memory as long as their models do.
    let length = form.attachments.isEmpty ? max(1, rows.count) : 8
    for start in stride(from: 0, to: rows.count, by: length) {
      let part = rows[start..<min(start + length, rows.count)]
      let models = try models(of: form.entity, rows: part.lazy.map(\.value), in: context())
      for (object, row) in part {
        guard let model = models[row] else { continue }
        var writer = _RowWriter(plan: form.plan)
        writer.begin(model._$modelState)
        model._$encode(into: &writer)
        if let failure = writer.failure { throw failure }
        take(writer.rowCopy, of: object, row: row, form, &found)
      }
    }
  }

  private func take(
    _ snapshot: RowCopy, of object: SyncObjectID, row: Int64, _ form: ModelForm,
    _ found: inout Found
  ) {
    var taken: SyncValues = [:]
    taken.reserveCapacity(form.attributes.count + form.relationships.count + form.lists.count)
    for index in form.attributes {
      taken[form.plan.properties[index].name] = form.value(of: index, in: snapshot)
    }
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      let cell = snapshot.cells[form.plan.properties[index].columns.lowerBound]
      taken[name] = .null
      if cell.kind == .integer {
        found.references.append(
          Reference(object: object, property: name, destination: destination, row: cell.bits))
      }
    }
    for list in form.lists { taken[list.name] = .list([]) }
    found.rows[object] = row
    found.values[object] = taken
  }
}
