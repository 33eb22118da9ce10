/// An actor that works with models in its own context. `@ModelActor` writes the conformance.
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's jobs and has its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    if let serial = modelExecutor as? any SerialModelExecutor {
      return serial.asUnownedSerialExecutor()
    }
    SubstituteExecutor.shared.report(type(of: modelExecutor))
    return SubstituteExecutor.shared.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The model with the identifier; nil when there is none, and when it is deleted.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as as: T.Type) -> T? {
    if let registered: T = modelContext.registeredModel(for: id) {
      return registered.isDeleted ? nil : registered
    }
    let model = modelContext.model(for: id)
    return model.isDeleted ? nil : model as? T
  }
}

/// An executor with a context.
public protocol ModelExecutor: Executor {
  /// The context that the executor's jobs use.
  var modelContext: ModelContext { get }
}

/// A ``ModelExecutor`` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
