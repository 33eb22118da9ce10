/// The values of one model as a structure: safe to hand to another actor, and JSON by `Codable`.
///
/// `@Snapshotable` writes one for a model, as its nested type `Snapshot`. It has the model's stored attributes under
/// their names and types, and the identifiers of what its to-one relationships lead to. Relationships to many aren't
/// in it, nor is anything transient, `.ephemeral`, `.transformable` or marked `@SnapshotIgnored`.
///
/// Its JSON has the properties' names as keys; a property that is nil has none. ``persistentModelID`` and the
/// destinations of relationships are coded as every ``PersistentIdentifier`` is. Dates, data and numbers follow the
/// strategies of the coder that is used. An extension that declares `CodingKeys` isn't looked at; a type of one's own
/// round the snapshot is the way to another form.
public protocol ModelSnapshot: Codable, Hashable, Sendable {
  /// The model that the values are from; nil for values that were never a model's, such as those of another program.
  var persistentModelID: PersistentIdentifier? { get set }

  /// Takes the values of the row that `row` stands at. Written by `@Snapshotable`.
  init(_row row: inout _SnapshotReader) throws
}

/// A model whose values can be had as a structure. `@Snapshotable` beside `@Model` writes the conformance.
///
/// ```swift
/// @Model @Snapshotable
/// final class Quake {
///   var place: String
///   var magnitude: Double
///   var region: Region?
/// }
///
/// let strong: [Quake.Snapshot] = try container.snapshots(FetchDescriptor(predicate: #Predicate { $0.magnitude > 6 }))
/// ```
///
/// A subclass has its superclass's `Snapshot`, with the properties that both have.
public protocol SnapshotableModel: PersistentModel {
  /// The values of a model; `@Snapshotable` writes it.
  associatedtype Snapshot: ModelSnapshot

  func _$makeSnapshot() -> Snapshot
  func _$apply(_ snapshot: Snapshot, to values: inout _SnapshotApplication) throws
}

extension SnapshotableModel {
  /// The model's values now, unsaved changes included. They are read as the properties are, so that a model whose row
  /// isn't loaded loads it.
  public var snapshot: Snapshot { _$makeSnapshot() }

  /// Sets the properties whose values differ from the snapshot's, and only those: an equal snapshot leaves a model
  /// without changes. The snapshot's own ``ModelSnapshot/persistentModelID`` isn't looked at.
  ///
  /// Destinations of to-one relationships are looked up in the model's context. nil ends a relationship, and means
  /// nothing for one that isn't optional.
  ///
  /// - Parameter snapshot: The values.
  /// - Throws: ``SwiftDataError/missingModelContext`` when a relationship changes and the model is in no context, and
  ///   ``SwiftDataError/modelValidationFailure`` when the context knows no such destination. Nothing is set then.
  public func apply(_ snapshot: Snapshot) throws {
    // All destinations first, so that a missing one leaves the model as it is.
    var search = _SnapshotApplication(step: .search)
    try _$apply(snapshot, to: &search)
    var change = _SnapshotApplication(step: .change)
    change.destinations = search.destinations
    try _$apply(snapshot, to: &change)
  }
}

/// The first values of a model that is made from a snapshot: what `@Snapshotable`'s initialiser does. Relationships
/// stay empty, because their destinations are in a context and the model isn't.
public func _start<Model: SnapshotableModel>(_ model: Model, with snapshot: Model.Snapshot) {
  var start = _SnapshotApplication(step: .start)
  // Only destinations can be missing, and this step doesn't ask for them.
  do { try model._$apply(snapshot, to: &start) } catch {
    SwiftDataLog.report(
      .error, "\(Model.self)", "the values of a snapshot can't be set", error)
  }
}
