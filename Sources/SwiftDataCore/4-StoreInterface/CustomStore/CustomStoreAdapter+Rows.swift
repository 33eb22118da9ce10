extension CustomStoreAdapter {
  /// Returns the row form of a snapshot: identifiers become row IDs.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a snapshot that isn't this store's.
  func row(for snapshot: Store.Snapshot, _ identities: RowIDAssignment) throws -> EntityRow {
    let identifier = snapshot.persistentIdentifier
    guard let plan = plansByName[identifier.entityName] else {
      throw SwiftDataError.modelValidationFailure.explained(
        "The store \(configurationName) answered with a snapshot of \(identifier.entityName),"
          + " which isn't part of its schema.")
    }
    let values = try DefaultSnapshot(snapshot, plan: plan)
    var cells = values.row.cells
    for (index, reference) in values.references {
      // To-one relationships have a column; to-many relationships are looked up by the destinations' keys.
      guard case .toOne(let destination?) = reference,
        let column = plan.properties[index].columns.first
      else { continue }
      cells[column] = _Cell(
        kind: .integer, bits: try number(of: destination, in: identities, plan))
    }
    return EntityRow(
      plan: plan, rowID: try number(of: identifier, in: identities, plan),
      cells: RowCopy(cells: cells, arena: values.row.arena))
  }

  private func number(
    of identifier: PersistentIdentifier, in identities: RowIDAssignment, _ plan: EntityPlan
  ) throws -> Int64 {
    guard !identifier.isTemporary, identifier.storeIdentifier == self.identifier else {
      throw SwiftDataError.modelValidationFailure.explained(
        "A snapshot of \(plan.name) in the store \(configurationName) has an identifier that"
          + " isn't the store's: \(identifier). Temporary ones have to be replaced by a save.")
    }
    return identities.number(of: identifier).rowID
  }
}
