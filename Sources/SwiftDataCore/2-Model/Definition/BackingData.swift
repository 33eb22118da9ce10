/// A model's values as seen by code that works with key paths instead of properties.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Creates the data of a new model, with the declared initial values.
  init(for modelType: Model.Type)
  /// The identifier of the model; nil before its insertion.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The framework's own data.
  var metadata: Any { get }

  /// Returns the value of an attribute.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// Returns the model that a relationship leads to.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// Returns the model that an optional relationship leads to.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// Returns the models that a relationship leads to.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Returns the models that a relationship leads to, for a list that is `Decodable`.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Value: Decodable, OtherModel == Value.PersistentElement
  /// Returns the value of an attribute that a transformer encodes.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets the value of an attribute.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Sets the model that a relationship leads to.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel
  /// Sets the model that an optional relationship leads to.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel
  /// Sets the models that a relationship leads to.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets the models that a relationship leads to, for a list that is `Encodable`.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Value: Encodable, OtherModel == Value.PersistentElement
  /// Sets the value of an attribute that a transformer encodes.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// The members that both kinds of backing data in this module share: a value by key path, or the type's empty value.
protocol KeyPathValues: BackingData {
  func value(at keyPath: AnyKeyPath) -> Any?
  func setValue(_ value: Any, at keyPath: AnyKeyPath)
}

extension KeyPathValues {
  private func existing<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    if let value = value(at: keyPath) as? Value { return value }
    return ZeroValue.makeOrStop(
      "\(Model.self) has no value for \(keyPath) yet, and \(Value.self) has no empty value."
        + " Set the property before reading it.")
  }

  public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    existing(key)
  }
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    (value(at: key) as? Value) ?? Value(_hollow: _HollowModel())
  }
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    value(at: key) as? Value
  }
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { existing(key) }
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Value: Decodable, OtherModel == Value.PersistentElement {
    existing(key)
  }
  public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    existing(key)
  }
  public func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    setValue(newValue as Any, at: key)
  }
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) {
    setValue(newValue as Any, at: key)
  }
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value?>, to newValue: Value?
  ) {
    setValue(newValue as Any, at: key)
  }
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    setValue(newValue as Any, at: key)
  }
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Value: Encodable, OtherModel == Value.PersistentElement {
    setValue(newValue as Any, at: key)
  }
  public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    setValue(newValue as Any, at: key)
  }
}

/// Values for a model that doesn't exist yet: `T(backingData: T.createBackingData())`.
final class _DetachedBackingData<Model: PersistentModel>: KeyPathValues {
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { Schema.entityName(for: Model.self) }
  private(set) var values: [AnyKeyPath: Any] = [:]

  init(for modelType: Model.Type) {}

  func value(at keyPath: AnyKeyPath) -> Any? { values[keyPath] }
  func setValue(_ value: Any, at keyPath: AnyKeyPath) { values[keyPath] = value }
  func removeValue(at keyPath: AnyKeyPath) { values[keyPath] = nil }
}

/// The values of an existing model: a view, nothing is copied.
public struct _ModelBackingData<Model: PersistentModel>: KeyPathValues {
  let model: Model

  public init(_ model: Model) { self.model = model }

  public init(for modelType: Model.Type) { model = Model(_hollow: _HollowModel()) }

  public var persistentModelID: PersistentIdentifier? {
    get { model.persistentModelID }
    set {}  // Only the store assigns a model's identity.
  }

  public var metadata: Any { Schema.entityName(for: Model.self) }

  func value(at keyPath: AnyKeyPath) -> Any? { model[keyPath: keyPath] }

  func setValue(_ value: Any, at keyPath: AnyKeyPath) {
    Self.set(value, at: keyPath, of: model)
  }

  /// Takes over the values of `backingData`; a new model gets the declared initial values of the others.
  public static func adopt(_ backingData: any BackingData<Model>, into model: Model) {
    if let detached = backingData as? _DetachedBackingData<Model> {
      adopt(detached.values, into: model)
    } else if let other = backingData as? _ModelBackingData<Model>, other.model !== model {
      for property in Model.schemaMetadata {
        if let value = other.model[keyPath: property.keypath] {
          set(value, at: property.keypath, of: model)
        }
      }
    }
  }

  /// Assigns the declared initial values of the attributes to a model that no context has had, then the given values.
  /// Without a value, a property of any other model isn't loaded.
  ///
  /// Observers may read every attribute meanwhile: one without a value yet has the one that it is about to get.
  private static func adopt(_ given: [AnyKeyPath: Any], into model: Model) {
    let state = model._$modelState
    let isNew = state.link == nil && state.plan == nil && state.rowID == 0
    let attributes = (isNew ? type(of: model).schemaMetadata : [])
      .filter { !($0.metadata is any PropertyPaths) }.enumerated()
      .filter { Schema.destination(of: type(of: $0.element.keypath).valueType) == nil }
    var expected: [Int: Any] = [:]
    var indices: [AnyKeyPath: Int] = [:]
    for (index, property) in attributes {
      // A property of a superclass has several key paths.
      if let key = given.keys.first(where: { KeyPathIdentity.isSame($0, property.keypath) }) {
        indices[key] = index
        expected[index] = given[key]
      } else {
        expected[index] = property.defaultValue
      }
    }
    state.expectedValues = expected
    defer { state.expectedValues = [:] }
    // As at a declaration, observers that the class declares don't run; those that a subclass declares do.
    for (index, property) in attributes {
      guard let initial = property.defaultValue else { continue }
      state.expectedValues[index] = nil
      state.restoring(initial, at: index) { set(initial, at: property.keypath, of: model) }
    }
    for (keyPath, value) in given {
      if let index = indices[keyPath] { state.expectedValues[index] = nil }
      set(value, at: keyPath, of: model)
    }
  }

  /// Assigns a value through the property's setter; does nothing when the property has none.
  package static func set(_ value: Any, at keyPath: AnyKeyPath, of model: Model) {
    func assign<Root, Value>(_ root: Root.Type, _ type: Value.Type) {
      guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value>,
        let model = model as? Root, let value = value as? Value
      else { return }
      AssignedValue.$current.withValue(AssignedValue(value: value)) {
        model[keyPath: writable] = value
      }
    }
    // The property may be a superclass's or a subclass's.
    func open<Root>(_ root: Root.Type) {
      func openValue<Value>(_ value: Value.Type) { assign(root, value) }
      _openExistential(type(of: keyPath).valueType, do: openValue)
    }
    _openExistential(type(of: keyPath).rootType, do: open)
  }
}

/// The value that a key path is about to write. The key path reads before it writes; where nothing was set yet and the
/// type has no empty value, the read returns this value.
package struct AssignedValue: @unchecked Sendable {
  // Unchecked: the value stays in the call that makes it.
  let value: Any

  @TaskLocal package static var current: AssignedValue?

  package init(value: Any) { self.value = value }
}
