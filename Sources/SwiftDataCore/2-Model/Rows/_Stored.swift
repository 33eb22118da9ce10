/// The storage of one persisted property in its model: a value, or nothing if it has not been loaded.
@frozen
public struct _Stored<Value> {
  /// The value; nil when the property has not been set or has not been loaded from the store yet.
  public var value: Value?

  /// Storage without a value.
  @inlinable
  public init() { value = nil }

  /// Storage that holds `value`.
  @inlinable
  public init(_ value: Value) { self.value = value }

  /// Storage without a value, for a property whose type is known only from its initial value; `value` is not evaluated.
  @inlinable
  public static func unset(of value: @autoclosure () -> Value) -> _Stored<Value> { _Stored() }
}

/// Marks the initialiser with which a fetch makes an instance that is then filled from its row.
@frozen
public struct _HollowModel: Sendable {
  @inlinable
  public init() {}
}
