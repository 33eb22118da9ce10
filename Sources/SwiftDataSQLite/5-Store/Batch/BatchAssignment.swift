import Foundation
import SwiftDataCore
import SwiftDataSQL

/// One property of a batch update.
package struct BatchAssignment<Model: PersistentModel> {
  /// The columns and their new values.
  enum Columns {
    /// A whole property as its models write it, not yet sealed.
    case row([Int], _RowWriter)
    case value(Int, SQLFragment)

    var positions: [Int] {
      switch self {
      case .row(let positions, _): positions
      case .value(let position, _): [position]
      }
    }
  }

  let keyPath: AnyKeyPath
  /// The assignment in SQL; nil where models have to be changed one by one.
  let columns: (DefaultStore, EntityPlan) throws -> Columns?
  /// Computes the value for a model and returns a closure that sets it.
  package let change: (Model, ModelContext) throws -> () -> Void

  package init<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) {
    self.keyPath = keyPath
    columns = { store, plan in try Self.columns(of: keyPath, value, store, plan) }
    change = { model, context in
      let value = try Self.value(value, in: context)
      return { model[keyPath: keyPath] = value }
    }
  }

  package init<Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Value>
  ) {
    self.keyPath = keyPath
    columns = { store, plan in
      let translator = store.assignments(to: plan)
      guard let column = translator.column(of: keyPath) else { return nil }
      return translator.translate(expression, for: column).map { .value(column, $0) }
    }
    let evaluate = ExpressionEvaluation(expression)
    change = { model, _ in
      let value = try evaluate(model)
      return { model[keyPath: keyPath] = value }
    }
  }

  // MARK: Constants

  private static func columns<Value>(
    of keyPath: AnyKeyPath, _ value: Value, _ store: DefaultStore, _ plan: EntityPlan
  ) throws -> Columns? {
    guard let index = plan.property(for: keyPath) else {
      let translator = store.assignments(to: plan)
      guard let column = translator.column(of: keyPath) else { return nil }
      return translator.encode(value, for: column).map { .value(column, SQLFragment(binding: $0)) }
    }
    let property = plan.properties[index]
    guard !property.columns.isEmpty else { return nil }
    if property.relationship != nil {
      // A model that joins an ordered list needs a position at the list's end.
      guard plan.orderColumn(of: index) == nil else { return nil }
      let rowID = try destination(value, of: property, plan, store)
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
    _ value: Any, of property: PropertyPlan, _ plan: EntityPlan, _ store: DefaultStore
  ) throws -> Int64? {
    guard let model = ConstantEncoding.unwrap(value) as? any PersistentModel else { return nil }
    let identifier = model.persistentModelID
    guard let rowID = identifier.rowID, identifier.storeIdentifier == store.identifier else {
      throw notStored("\(plan.name).\(property.name)")
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
