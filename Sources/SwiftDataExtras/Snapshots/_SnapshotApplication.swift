import SwiftDataCore

/// Moves a snapshot's values into a model. The code that `@Snapshotable` writes calls it once for each property.
public struct _SnapshotApplication {
  enum Step {
    /// Sets all attributes of a new model.
    case start
    /// Looks up the destinations.
    case search
    /// Sets the values that differ.
    case change
  }

  let step: Step
  /// The destinations that the search found, by property.
  var destinations: [AnyKeyPath: any PersistentModel] = [:]

  init(step: Step) { self.step = step }

  // MARK: Attributes

  public mutating func set<Model: PersistentModel, Value: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model, to value: Value
  ) throws {
    if step == .search || step == .change && model[keyPath: keyPath] == value { return }
    assign(keyPath, of: model, value)
  }

  @_disfavoredOverload
  public mutating func set<Model: PersistentModel, Value: Codable>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model, to value: Value
  ) throws {
    if step == .search || step == .change && _isEqual(model[keyPath: keyPath], value) { return }
    assign(keyPath, of: model, value)
  }

  /// Sets a property that isn't in snapshots: a new model starts with its declared initial value.
  public mutating func start<Model: PersistentModel, Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model,
    with value: @autoclosure () -> Value
  ) {
    if step == .start { assign(keyPath, of: model, value()) }
  }

  private func assign<Model: PersistentModel, Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model, _ value: Value
  ) {
    // A key path reads before it writes, and a new model has no value yet.
    AssignedValue.$current.withValue(AssignedValue(value: value)) {
      model[keyPath: keyPath] = value
    }
  }

  // MARK: Relationships

  public mutating func set<Model: PersistentModel, Destination: PersistentModel>(
    _ keyPath: ReferenceWritableKeyPath<Model, Destination?>, of model: Model,
    to identifier: PersistentIdentifier?
  ) throws {
    switch step {
    case .start: break
    case .search:
      guard let identifier, model[keyPath: keyPath]?.persistentModelID != identifier else { return }
      destinations[keyPath] = try destination(identifier, of: model) as Destination
    case .change:
      if let found = destinations[keyPath] as? Destination {
        model[keyPath: keyPath] = found
      } else if identifier == nil, model[keyPath: keyPath] != nil {
        model[keyPath: keyPath] = nil
      }
    }
  }

  public mutating func set<Model: PersistentModel, Destination: PersistentModel>(
    _ keyPath: ReferenceWritableKeyPath<Model, Destination>, of model: Model,
    to identifier: PersistentIdentifier?
  ) throws {
    switch step {
    case .start: break
    case .search:
      guard let identifier, model[keyPath: keyPath].persistentModelID != identifier else { return }
      destinations[keyPath] = try destination(identifier, of: model) as Destination
    case .change:
      if let found = destinations[keyPath] as? Destination { model[keyPath: keyPath] = found }
    }
  }

  private func destination<Model: PersistentModel, Destination: PersistentModel>(
    _ identifier: PersistentIdentifier, of model: Model
  ) throws -> Destination {
    guard let context = model.modelContext else {
      throw SwiftDataError.missingModelContext.explained(
        "A snapshot of \(Model.self) leads to \(identifier.entityName), and the model is in no"
          + " context where that could be looked up. Insert the model, then apply the snapshot.")
    }
    let found = context.model(for: identifier)
    guard let destination = found as? Destination, !destination.isDeleted else {
      throw SwiftDataError.modelValidationFailure.explained(
        "A snapshot of \(Model.self) leads to a \(Destination.self) that the context doesn't have:"
          + " \(identifier). It was deleted, or is another store's.")
    }
    return destination
  }
}
