import Foundation
import SwiftDataCore

/// Turns the values that a batch update assigns to properties into SQL values of columns.
package struct AssignmentTranslator: Sendable {
  private let names: EntityNames
  private let plans: [ObjectIdentifier: EntityPlan]
  private let storeIdentifier: String
  private let dialect: any SQLDialect

  /// - Parameters:
  ///   - plan: The plan of the updated entity.
  ///   - plans: The plans of the whole schema, by model type.
  ///   - storeIdentifier: The store that the SQL is for.
  ///   - dialect: The database's SQL.
  package init(
    plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], storeIdentifier: String,
    dialect: any SQLDialect
  ) {
    names = EntityNames.names(of: plan)
    self.plans = plans
    self.storeIdentifier = storeIdentifier
    self.dialect = dialect
  }

  /// The column of a plain property or of a member of a structure; nil for a property that takes several columns or is
  /// stored in a special form.
  package func column(of keyPath: AnyKeyPath) -> Int? {
    let plan = names.plan
    if let index = plan.property(for: keyPath) {
      let property = plan.properties[index]
      guard case .scalar = property.shape, property.storage.isComparable else { return nil }
      return property.columns.lowerBound
    }
    for (index, property) in plan.properties.enumerated() where property.storage.isComparable {
      guard case .composite = property.shape,
        let members = KeyPathNames.names(of: keyPath, below: property.keyPath)
      else { continue }
      return plan.column(property: index, members: members)
    }
    return nil
  }

  /// The value of an expression on the row under the alias `t0`, as the column at `column` holds it.
  ///
  /// - Returns: nil when SQL can't compute it.
  package func translate<Model: PersistentModel, Value>(
    _ expression: Expression<Model, Value>, for column: Int
  ) -> SQLFragment? {
    var translation = Translation(
      names: names, plans: plans, storeIdentifier: storeIdentifier, changed: [],
      root: expression.variable.key, dialect: dialect)
    translation.approximation = .none
    let kind = TermKind(encoding: names.plan.columns[column].kind, type: Value.self)
    do {
      switch try translation.operand(PredicateLowering.node(of: expression.expression)) {
      case .constant(let value):
        return SQLFragment(binding: try ConstantEncoding.encode(value, as: kind))
      case .term(let term):
        guard term.kind == kind, term.entity == nil else { return nil }
        return term.fragment
      case .condition(let condition): return kind == .boolean ? condition.value : nil
      case .model, .composite, .range, .elements: return nil
      }
    } catch {
      // The caller changes the models in memory instead, and evaluation reports a failure.
      return nil
    }
  }

  /// A captured value as the column at `column` holds it.
  ///
  /// - Returns: nil when the column doesn't store such values directly.
  package func encode<Value>(_ value: Value, for column: Int) -> SQLValue? {
    let kind = TermKind(encoding: names.plan.columns[column].kind, type: Value.self)
    do { return try ConstantEncoding.encode(value, as: kind) } catch { return nil }
  }
}
