import Foundation
import SwiftDataCore

/// The store and the entity that a batch update is for.
package struct AssignmentTarget {
  package let plan: EntityPlan
  let storeIdentifier: String
  let translator: AssignmentTranslator

  package init(
    _ plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], storeIdentifier: String,
    dialect: any SQLDialect
  ) {
    self.plan = plan
    self.storeIdentifier = storeIdentifier
    translator = AssignmentTranslator(
      plan: plan, plans: plans, storeIdentifier: storeIdentifier, dialect: dialect)
  }
}

/// One property of a batch update.
package struct BatchAssignment<Model: PersistentModel> {
  /// The columns and their new values.
  package enum Columns {
    /// A whole property as its models write it, not yet sealed.
    case row([Int], _RowWriter)
    case value(Int, SQLFragment)

    package var positions: [Int] {
      switch self {
      case .row(let positions, _): positions
      case .value(let position, _): [position]
      }
    }
  }

  package let keyPath: AnyKeyPath
  /// The assignment in SQL; nil where models have to be changed one by one.
  let columns: (AssignmentTarget) throws -> Columns?
  /// Computes the value for a model and returns a closure that sets it.
  package let change: (Model, ModelContext) throws -> () -> Void

  package init<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) {
    self.keyPath = keyPath
    columns = { target in try Self.columns(of: keyPath, value, target) }
    let mayFail = ForcedPath.mayFail(keyPath)
    change = { model, context in
      if mayFail?(model) == true { throw SwiftDataError.forcedUnwrap(of: Model.self) }
      let value = try Self.value(value, in: context)
      return { model[keyPath: keyPath] = value }
    }
  }

  package init<Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Value>
  ) {
    self.keyPath = keyPath
    columns = { target in
      let translator = target.translator
      guard let column = translator.column(of: keyPath) else { return nil }
      return translator.translate(expression, for: column).map { .value(column, $0) }
    }
    let evaluate = ExpressionEvaluation(expression)
    let mayFail = ForcedPath.mayFail(keyPath)
    change = { model, _ in
      if mayFail?(model) == true { throw SwiftDataError.forcedUnwrap(of: Model.self) }
      let value = try evaluate(model)
      return { model[keyPath: keyPath] = value }
    }
  }

  // MARK: Constants

  private static func columns<Value>(
    of keyPath: AnyKeyPath, _ value: Value, _ target: AssignmentTarget
  ) throws -> Columns? {
    let plan = target.plan
    guard let index = plan.property(for: keyPath) else {
      let translator = target.translator
      guard let column = translator.column(of: keyPath) else { return nil }
      return translator.encode(value, for: column).map { .value(column, SQLFragment(binding: $0)) }
    }
    let property = plan.properties[index]
    guard !property.columns.isEmpty else { return nil }
    if property.relationship != nil {
      // A model that joins an ordered list needs a position at the list's end.
      guard plan.orderColumn(of: index) == nil else { return nil }
      let rowID = try destination(value, of: property, target)
      return .value(
        property.columns.lowerBound, SQLFragment(binding: rowID.map { .integer($0) } ?? .null))
    }
    var row = _RowWriter(plan: plan)
    row.begin(nil, property: index)
    row.write(erased: value)
    if let failure = row.failure { throw failure }
    guard row.cells.count == property.columns.count else { return nil }
    return .row(Array(property.columns), row)
  }

  private static func destination(
    _ value: Any, of property: PropertyPlan, _ target: AssignmentTarget
  ) throws -> Int64? {
    guard let model = ConstantEncoding.unwrap(value) as? any PersistentModel else { return nil }
    let identifier = model.persistentModelID
    guard let rowID = identifier.rowID, identifier.storeIdentifier == target.storeIdentifier else {
      throw notStored("\(target.plan.name).\(property.name)")
    }
    return rowID
  }

  // MARK: Models of another context

  /// A value with its models replaced by those of `context`.
  private static func value<Value>(_ value: Value, in context: ModelContext) throws -> Value {
    func local(_ model: any PersistentModel) throws -> any PersistentModel {
      let own = context.model(for: model.persistentModelID)
      guard model._$modelState.rowID != 0, !own.isDeleted else {
        throw notStored(String(describing: Model.self))
      }
      return own
    }
    if let model = (value as Any) as? any PersistentModel {
      guard let own = try local(model) as? Value else { throw notStored("\(Value.self)") }
      return own
    }
    guard let models = (value as Any) as? [any PersistentModel], !models.isEmpty else {
      return value
    }
    guard let own = try models.map(local) as? Value else { throw notStored("\(Value.self)") }
    return own
  }

  private static func notStored(_ what: String) -> SwiftDataError {
    .missingModelContext.explained(
      "\(what) would lead to a model that isn't stored there. Save the destination before the batch."
    )
  }
}

/// An update of all rows that match a condition.
package struct PreparedUpdate<Model: PersistentModel> {
  package let plan: EntityPlan
  package let columns: [BatchAssignment<Model>.Columns]

  /// - Returns: nil when SQL can't express all assignments.
  package init?(_ assignments: [BatchAssignment<Model>], in target: AssignmentTarget) throws {
    plan = target.plan
    var columns: [BatchAssignment<Model>.Columns] = []
    var taken: Set<Int> = []
    for assignment in assignments {
      guard var next = try assignment.columns(target) else { return nil }
      switch next {
      case .row(let positions, var row):
        row.composeUniqueTexts(ofColumns: positions, at: 0)
        next = .row(positions, row)
      // The text that an expression yields isn't known here.
      case .value(let position, _): if plan.uniqueTexts.contains(position) { return nil }
      }
      // In memory the assignments are made in turn; in SQL they are simultaneous, where the last one should win.
      guard taken.isDisjoint(with: next.positions) else { return nil }
      taken.formUnion(next.positions)
      columns.append(next)
    }
    self.columns = columns
  }
}

/// A store that updates rows by a predicate with statements.
package protocol BatchUpdating: RowStore {
  /// Updates the rows that match a predicate; nil means all.
  ///
  /// - Returns: The number of changed rows; nil when SQL can't express all assignments, and nothing was changed.
  func update<Model: PersistentModel>(
    _ assignments: [BatchAssignment<Model>], of plan: EntityPlan, _ predicate: Predicate<Model>?,
    author: String?, progress: ((Int) -> Void)?
  ) throws -> Int?
}
