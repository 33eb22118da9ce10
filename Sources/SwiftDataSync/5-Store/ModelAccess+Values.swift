import SwiftData
import SwiftDataSQL

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
        try store.readSideTables { try readRows(of: members, form, &found, $0) }
      } else {
        try readModels(of: members, form, &found)
      }
    }
    var values = found.values
    try store.readSideTables { tables in
      for reference in found.references {
        let object = try object(inRow: reference.row, of: reference.destination, tables)
        guard let object else { continue }
        values[reference.object]?[reference.property] = .text(object.key)
      }
      for (object, row) in found.rows where values[object] != nil {
        for list in forms[object.entity]?.lists ?? [] {
          let keys = try members(of: list, row: row, tables).map { SyncValue.text($0.key) }
          values[object]?[list.name] = list.isOrdered ? .list(keys) : ListMerge.sorted(keys)
        }
      }
    }
    for object in objects where values[object] == nil {
      if let waiting = try rowless(object) { values[object] = waiting }
    }
    return values
  }

  /// Reads rows without creating models, if the store keeps the rows as the models write them.
  private func readRows(
    of objects: [SyncObjectID], _ form: ModelForm, _ found: inout Found, _ tables: SideTables
  ) throws {
    let columns = form.plan.columns.map { ", " + SQLIdentifier.quoted($0.name) }.joined()
    let keyColumn = form.plan.properties[form.key].columns.lowerBound
    try tables.forEachRow(
      "SELECT \"_id\"\(columns) FROM \(form.table) WHERE \(form.isOwn)"
        + " AND \(SQLIdentifier.quoted(form.keyColumn.name)) IN",
      in: objects.compactMap { form.binding(ofKey: $0.key) }
    ) { cells in
      let snapshot = RowCopy(copying: UnsafeBufferPointer(rebasing: cells.dropFirst()))
      guard let key = form.key(of: snapshot.value(at: keyColumn)) else { return }
      take(snapshot, of: SyncObjectID(form.entity, key), row: cells[0].bits, form, &found)
    }
  }

  private func readModels(
    of objects: [SyncObjectID], _ form: ModelForm, _ found: inout Found
  ) throws {
    let rows = Array(try store.readSideTables { try self.rows(of: objects, $0) })
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
