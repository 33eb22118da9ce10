import SwiftDataCore

/// The columns that key paths lead to.
package enum ColumnNames {
  /// The column of a property, of a member of a composite, or of a to-one relationship; nil where there isn't exactly
  /// one.
  package static func name(of keyPath: AnyKeyPath, in plan: EntityPlan) -> String? {
    if let index = plan.property(for: keyPath) {
      let columns = plan.properties[index].columns
      return columns.count == 1 ? plan.columns[columns.lowerBound].name : nil
    }
    for (index, property) in plan.properties.enumerated() {
      guard case .composite = property.shape,
        let members = KeyPathNames.names(of: keyPath, below: property.keyPath),
        let column = plan.column(property: index, members: members)
      else { continue }
      return plan.columns[column].name
    }
    return nil
  }
}
