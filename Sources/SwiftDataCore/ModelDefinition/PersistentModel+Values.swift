/// Access to properties by key path, as hand-written accessors and tools use it.
extension PersistentModel {
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    self[keyPath: key]
  }
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    self[keyPath: key]
  }
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    self[keyPath: key]
  }
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    self[keyPath: key]
  }
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, Value: Decodable, OtherModel == Value.PersistentElement {
    self[keyPath: key]
  }
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    self[keyPath: key]
  }

  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    assign(newValue, at: key)
  }
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) {
    assign(newValue, at: key)
  }
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value?>, to newValue: Value?
  ) {
    assign(newValue, at: key)
  }
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    assign(newValue, at: key)
  }
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, Value: Encodable, OtherModel == Value.PersistentElement {
    assign(newValue, at: key)
  }
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    assign(newValue, at: key)
  }

  /// A key path to a `let` or to a computed property without setter changes nothing.
  private func assign<Value>(_ value: Value, at key: KeyPath<Self, Value>) {
    guard let writable = key as? ReferenceWritableKeyPath<Self, Value> else { return }
    self[keyPath: writable] = value
  }
}
