import SwiftDataCore

/// The values of one model as a structure, which can be sent to another actor and is JSON through `Codable`.
///
/// `@Snapshotable` writes one for a model, as its nested type `Snapshot`. It has the model's stored attributes under
/// their names and types, and the identifiers of the destinations of its to-one relationships. To-many relationships
/// aren't in it, nor are properties that are transient, `.ephemeral`, `.transformable` or marked `@SnapshotIgnored`.
///
/// Its JSON has the properties' names as keys; a property that is nil has no key. ``persistentModelID`` and the
/// destinations of relationships are coded like every ``PersistentIdentifier``. Dates, data and numbers follow the
/// strategies of the coder that is used. `CodingKeys` that an extension declares are ignored; for another form, wrap
/// the snapshot in a type of your own.
public protocol ModelSnapshot: Codable, Hashable, Sendable {
  /// The identifier of the model that the values are from; nil for values that never belonged to a model, such as those
  /// of another program.
  var persistentModelID: PersistentIdentifier? { get set }

  /// Reads the values of the current row of `row`. Written by `@Snapshotable`.
  init(_row row: inout _SnapshotReader) throws
}

/// A model whose values are available as a structure. `@Snapshotable` beside `@Model` writes the conformance.
///
/// ```swift
/// @Model @Snapshotable
/// final class Quake {
///   var place: String
///   var magnitude: Double
///   var region: Region?
/// }
///
/// let strong: [Quake.Snapshot] = try container.snapshots(
///   FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 6 }))
/// ```
///
/// A subclass has its superclass's `Snapshot`, with the properties that both have.
public protocol SnapshotableModel: PersistentModel {
  /// The structure with a model's values; `@Snapshotable` writes it.
  associatedtype Snapshot: ModelSnapshot

  func _$makeSnapshot() -> Snapshot
  func _$apply(_ snapshot: Snapshot, to values: inout _SnapshotApplication) throws
}

extension SnapshotableModel {
  /// The model's current values, including unsaved changes. They are read like the properties, so a model whose row
  /// isn't loaded loads it.
  public var snapshot: Snapshot { _$makeSnapshot() }

  /// Sets the properties whose values differ from the snapshot's, and only those: an equal snapshot leaves a model
  /// without changes. The snapshot's own ``ModelSnapshot/persistentModelID`` is ignored.
  ///
  /// Destinations of to-one relationships are looked up in the model's context. nil ends a relationship, and is ignored
  /// for one that isn't optional.
  ///
  /// - Parameter snapshot: The values.
  /// - Throws: ``SwiftDataError/missingModelContext`` when a relationship changes and the model is in no context, and
  ///   ``SwiftDataError/modelValidationFailure`` when the context has no such destination. Nothing is set then.
  public func apply(_ snapshot: Snapshot) throws {
    // All destinations first, so that a missing one leaves the model as it is.
    var search = _SnapshotApplication(step: .search)
    try _$apply(snapshot, to: &search)
    var change = _SnapshotApplication(step: .change)
    change.destinations = search.destinations
    try _$apply(snapshot, to: &change)
  }
}

/// Sets the first values of a model that is made from a snapshot: the initialiser that `@Snapshotable` writes calls it.
/// Relationships stay empty, because their destinations are in a context and the model isn't.
public func _start<Model: SnapshotableModel>(_ model: Model, with snapshot: Model.Snapshot) {
  var start = _SnapshotApplication(step: .start)
  // Only destinations can be missing, and this step doesn't look for them.
  do { try model._$apply(snapshot, to: &start) } catch {
    SwiftDataLog.report(
      .error, "\(Model.self)", "the values of a snapshot can't be set", error)
  }
}
