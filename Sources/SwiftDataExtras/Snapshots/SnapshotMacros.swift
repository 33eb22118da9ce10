import SwiftDataCore

/// Gives a model a nested structure `Snapshot` with its values, for other actors and for JSON. An addition to Apple's
/// interface.
///
/// It is written beside `@Model`. See ``ModelSnapshot`` for the content of a snapshot, and ``SnapshotableModel`` for
/// the model's operations with it.
@attached(
  member, conformances: SnapshotableModel,
  names: named(Snapshot), named(init), named(_$makeSnapshot), named(_$apply))
@attached(extension, conformances: SnapshotableModel)
public macro Snapshotable() =
  #externalMacro(module: "SwiftDataMacros", type: "SnapshotableMacro")

/// Leaves a stored property, such as a password or a large blob, out of the model's `Snapshot`. A model that is made
/// from a snapshot has the property's initial value.
@attached(peer)
public macro SnapshotIgnored() =
  #externalMacro(module: "SwiftDataMacros", type: "SnapshotIgnoredMacro")
