import SwiftData
import SwiftDataSQL

/// Finds the objects that are deleted together with an object.
extension ModelAccess {
  /// Returns the objects that the delete rule `cascade` deletes together with an object.
  func dependents(of object: SyncObjectID) throws -> [SyncObjectID] {
    try store.readSideTables { tables in
      var found: [SyncObjectID] = []
      var seen: Set<SyncObjectID> = [object]
      var next = [object]
      while let owner = next.popLast() {
        guard let form = forms[owner.entity], let row = try row(of: owner, tables) else { continue }
        for index in form.plan.relationships {
          guard let relationship = form.plan.properties[index].relationship,
            relationship.deleteRule == .cascade
          else { continue }
          for member in families.members(of: relationship.destinationEntity) {
            guard let destination = forms[member],
              let condition = Self.condition(relationship, form, index, destination)
            else { continue }
            try tables.forEach(
              "SELECT \(SQLIdentifier.quoted(destination.keyColumn.name)) FROM \(destination.table)"
                + " WHERE \(condition) AND \(destination.isOwn)", [.integer(row)]
            ) { columns in
              guard let key = destination.key(of: columns[0]) else { return }
              let dependent = SyncObjectID(destination.entity, key)
              guard seen.insert(dependent).inserted else { return }
              found.append(dependent)
              next.append(dependent)
            }
          }
        }
      }
      return found
    }
  }

  private static func condition(
    _ relationship: RelationshipPlan, _ form: ModelForm, _ index: Int, _ destination: ModelForm
  ) -> String? {
    switch relationship.storage {
    case .inverseColumn:
      guard let inverse = relationship.inverse,
        let column = destination.plan.properties[inverse].columns.first
      else { return nil }
      return "\(SQLIdentifier.quoted(destination.plan.columns[column].name)) = ?"
    case .column:
      guard let column = form.plan.properties[index].columns.first else { return nil }
      let name = SQLIdentifier.quoted(form.plan.columns[column].name)
      return "\"_id\" = (SELECT \(name) FROM \(form.table) WHERE \"_id\" = ?)"
    case .joinTable(let table):
      return "\"_id\" IN (SELECT \(SQLIdentifier.quoted(table.destinationColumn)) FROM"
        + " \(SQLIdentifier.quoted(table.name)) WHERE \(SQLIdentifier.quoted(table.ownerColumn)) = ?)"
    }
  }
}
