import Foundation
import SwiftDataCore

extension ModelReference {
  /// The destination of a to-one relationship.
  func destination(
    of property: PropertyPlan, in translation: Translation
  ) throws(Untranslatable) -> ModelReference {
    let (relationship, destination) = try relationship(property, in: translation)
    let target = EntityNames.names(of: destination)
    let key: SQLFragment
    switch relationship.storage {
    case .column:
      let column = column(property.columns.lowerBound)
      // Without a foreign key, the referenced row may have been deleted.
      key = canDangle(relationship, in: destination) ? existing(column, target) : column
    case .inverseColumn:
      key = try first(
        "\(target.table) AS \(keyAlias)", "\(keyAlias).\(SQLIdentifier.rowID)",
        "\(keyAlias).\(inverse(of: relationship, target))")
    case .joinTable(let join):
      key = try first(
        "\(SQLIdentifier.quoted(join.name)) AS \(keyAlias)",
        "\(keyAlias).\(SQLIdentifier.quoted(join.destinationColumn))",
        "\(keyAlias).\(SQLIdentifier.quoted(join.ownerColumn))")
    }
    let isSure = relationship.storage == .column && !canDangle(relationship, in: destination)
    if !property.isOptional, !isSure {
      throw Untranslatable("\(names.plan.name).\(property.name) may lead to no row")
    }
    return ModelReference(target, rowID: key, depth: depth + 1, isOptional: property.isOptional)
  }

  /// The destinations of a to-many relationship.
  func list(
    _ property: PropertyPlan, in translation: inout Translation
  ) throws(Untranslatable) -> ElementRows {
    let (relationship, destination) = try relationship(property, in: translation)
    let target = EntityNames.names(of: destination)
    let alias = translation.nextAlias()
    let row = Operand.model(ModelReference(target, row: alias))
    switch relationship.storage {
    case .column: throw Untranslatable("a relationship to many has no column")
    case .inverseColumn:
      let link = "\(alias).\(try inverse(of: relationship, target)) = "
      return ElementRows(
        source: SQLFragment("\(target.table) AS \(alias)"),
        link: SQLFragment(link).appending("", rowID), element: row, in: translation.dialect)
    case .joinTable(let join):
      // Pairs first: an owner has few of them.
      let pair = alias + "p"
      let source = translation.dialect.join(
        "\(SQLIdentifier.quoted(join.name)) AS \(pair)", "\(target.table) AS \(alias)",
        on: "\(alias).\(SQLIdentifier.rowID)"
          + " = \(pair).\(SQLIdentifier.quoted(join.destinationColumn))")
      let link = "\(pair).\(SQLIdentifier.quoted(join.ownerColumn)) = "
      return ElementRows(
        source: SQLFragment(source), link: SQLFragment(link).appending("", rowID), element: row,
        in: translation.dialect)
    }
  }

  private func relationship(
    _ property: PropertyPlan, in translation: Translation
  ) throws(Untranslatable) -> (RelationshipPlan, EntityPlan) {
    guard let relationship = property.relationship,
      let destination = translation.plans[ObjectIdentifier(relationship.destination)]
    else {
      throw Untranslatable("\(names.plan.name).\(property.name) leads out of the schema")
    }
    if translation.changed.contains(ObjectIdentifier(relationship.destination)) {
      throw Untranslatable("\(destination.name) has unsaved changes, which the rows don't show")
    }
    return (relationship, destination)
  }

  /// The alias of the row in which the key of the next model is looked up. Such a subquery refers
  /// only to the row it starts from, so the depth makes its alias unique.
  private var keyAlias: String { "k\(depth)" }

  /// The first destination, by row ID, as a to-one relationship is read from rows.
  private func first(
    _ source: String, _ key: String, _ owner: String
  ) throws(Untranslatable) -> SQLFragment {
    SQLFragment("(SELECT \(key) FROM \(source) WHERE \(owner) = ")
      .appending("", rowID, " ORDER BY \(key) LIMIT 1)")
  }

  private func existing(_ key: SQLFragment, _ target: EntityNames) -> SQLFragment {
    key.enclosed(
      "(SELECT \(keyAlias).\(SQLIdentifier.rowID) FROM \(target.table) AS \(keyAlias)"
        + " WHERE \(keyAlias).\(SQLIdentifier.rowID) = ", ")")
  }

  private func inverse(
    of relationship: RelationshipPlan, _ target: EntityNames
  ) throws(Untranslatable) -> String {
    guard let inverse = relationship.inverse,
      let column = target.plan.properties[inverse].columns.first
    else { throw Untranslatable("a relationship has neither a column nor a table") }
    return target.columns[column]
  }

  private func canDangle(_ relationship: RelationshipPlan, in destination: EntityPlan) -> Bool {
    guard let inverse = relationship.inverse else { return false }
    return destination.properties[inverse].relationship?.deleteRule == .noAction
  }
}
