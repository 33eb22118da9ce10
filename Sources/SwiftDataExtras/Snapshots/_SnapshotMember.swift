import SwiftDataCore

/// Determines the type of a model's property in its snapshot. A macro sees how a type is written and not what it is, so
/// for types that may be models the compiler decides: it selects the overload of
/// ``_snapshotType(of:)-(Destination?.Type)`` that fits, and infers `Value` from it.
public protocol _SnapshotMember {
  associatedtype Value
  static var type: _SnapshotType<Value> { get }
}

/// The type of a member of a snapshot.
@frozen
public struct _SnapshotType<Value>: Sendable {
  @inlinable
  public init() {}
}

public func _snapshotType<Destination: PersistentModel>(
  of type: Destination.Type
) -> _SnapshotType<PersistentIdentifier?> { _SnapshotType() }

public func _snapshotType<Destination: PersistentModel>(
  of type: Destination?.Type
) -> _SnapshotType<PersistentIdentifier?> { _SnapshotType() }

@available(
  *, unavailable,
  message:
    "this is a relationship to many: write @Relationship in front of it, so that @Snapshotable leaves it out"
)
public func _snapshotType<Destination: PersistentModel>(
  of type: [Destination].Type
) -> _SnapshotType<PersistentIdentifier?> { _SnapshotType() }

@available(
  *, unavailable,
  message:
    "this is a relationship to many: write @Relationship in front of it, so that @Snapshotable leaves it out"
)
public func _snapshotType<Destination: PersistentModel>(
  of type: [Destination]?.Type
) -> _SnapshotType<PersistentIdentifier?> { _SnapshotType() }

// `Codable`, because an unavailable overload is chosen only where no other fits.
@_disfavoredOverload
public func _snapshotType<Value: Codable>(of type: Value.Type) -> _SnapshotType<Value> {
  _SnapshotType()
}

/// Infers the type of an initial value, which isn't evaluated.
public func _snapshotType<Value>(ofValue value: @autoclosure () -> Value) -> _SnapshotType<Value> {
  _SnapshotType()
}

// MARK: - From a model's property to a snapshot's

@inlinable
public func _snapshotValue<Value>(_ value: Value) -> Value { value }

public func _snapshotValue(_ value: some PersistentModel) -> PersistentIdentifier? {
  value.isDeleted ? nil : value.persistentModelID
}

public func _snapshotValue(_ value: (some PersistentModel)?) -> PersistentIdentifier? {
  value.flatMap { _snapshotValue($0) }
}

// MARK: - Equality of values whose types may lack it

@inlinable
public func _isEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

/// Compares values of a type without `==`: they are equal when their stored forms are or, if neither can be encoded,
/// their members.
@_disfavoredOverload
public func _isEqual<Value: Encodable>(_ left: Value, _ right: Value) -> Bool {
  switch (_storedForm(left), _storedForm(right)) {
  case (let one?, let other?): one == other
  case (nil, nil): MemberEquality.holds(left, right)
  default: false
  }
}

@inlinable
public func _hash<Value: Hashable>(_ value: Value, into hasher: inout Hasher) {
  value.hash(into: &hasher)
}

@_disfavoredOverload
public func _hash<Value: Encodable>(_ value: Value, into hasher: inout Hasher) {
  _storedForm(value)?.hash(into: &hasher)
}

/// The stored form of a value; nil for a value that can't be encoded.
private func _storedForm(_ value: some Encodable) -> String? {
  do { return try JSONColumn.encode(value) } catch {
    SwiftDataLog.report(
      .error, "\(type(of: value))", "a value in a snapshot can't be encoded", error)
    return nil
  }
}

// MARK: - Classes that can't have a snapshot of their own

/// Called for a class that may have a superclass: the compiler selects the overload that fits.
public func _requireTopmostModel<Model: PersistentModel>(_ type: Model.Type)
where Model.Root == Model {}

@available(
  *, unavailable,
  message:
    "@Snapshotable belongs to the topmost model class: a subclass has the Snapshot of its superclass"
)
@_disfavoredOverload
public func _requireTopmostModel<Model: PersistentModel>(_ type: Model.Type) {}
