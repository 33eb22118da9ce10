/// Gives a model a nested structure `Snapshot` with its values, for other actors and for JSON. An addition to Apple's
/// interface.
///
/// It stands beside `@Model`. See ``ModelSnapshot`` for what a snapshot has, and ``SnapshotableModel`` for what the
/// model can do with it.
@attached(
  member, conformances: SnapshotableModel,
  names: named(Snapshot), named(init), named(_$makeSnapshot), named(_$apply))
@attached(extension, conformances: SnapshotableModel)
public macro Snapshotable() =
  #externalMacro(module: "SwiftDataMacros", type: "SnapshotableMacro")

/// Leaves a stored property out of the model's `Snapshot`: a password, a large blob. A model that is made from a
/// snapshot has the property's initial value.
@attached(peer)
public macro SnapshotIgnored() =
  #externalMacro(module: "SwiftDataMacros", type: "SnapshotIgnoredMacro")
