import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The values that a batch update assigns to the properties of each model.
///
/// ```swift
/// try container.batchUpdate(Quake.self, where: #Predicate { $0.status == "automatic" }) { changes in
///   changes.set(\.status, to: "reviewed")
///   changes.set(\.views, to: #Expression { $0.views + 1 })
/// }
/// ```
///
/// All expressions see the values from before the update, including those of properties that the same update sets.
public struct BatchChanges<Model: PersistentModel> {
  var assignments: [BatchAssignment<Model>] = []

  /// Sets the same value for all models.
  ///
  /// - Parameters:
  ///   - property: A property, or a member of a structure.
  ///   - value: The value. A model, as the destination of a relationship, must already be stored.
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value>, to value: Value
  ) {
    assignments.append(BatchAssignment(property, value))
  }

  /// Sets a value for each model that is computed from the model's own values.
  ///
  /// - Parameters:
  ///   - property: A property, or a member of a structure.
  ///   - expression: The value, computed from the stored model. Where it has no result, such as for an integer that
  ///     overflows, the whole update fails.
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value>, to expression: Expression<Model, Value>
  ) {
    assignments.append(BatchAssignment(property, expression))
  }
}

/// One property of a batch update.
struct BatchAssignment<Model: PersistentModel> {
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
  let change: (Model, ModelContext) throws -> () -> Void

  init<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) {
    self.keyPath = keyPath
    columns = { store, plan in try Self.columns(of: keyPath, value, store, plan) }
    change = { model, context in
      let value = try Self.value(value, in: context)
      return { model[keyPath: keyPath] = value }
    }
  }

  init<Value>(
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
