/// A value that a snapshot can hold.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one model at one moment, independent of any context.
///
/// Contexts and stores exchange models as snapshots. A snapshot of a custom type is read through its `Codable` form,
/// which must have the keys of ``DataStoreSnapshotCodingKey``: `persistentIdentifier`, and one per property with the
/// property's name. Relationships are identifiers: `PersistentIdentifier?` or `[PersistentIdentifier]`.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identity of the model; temporary while the model is in no store.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot with the values of a model.
  ///
  /// - Parameters:
  ///   - backingData: The model's values.
  ///   - relatedBackingDatas: The values of models that are saved together with this one, by identifier; models that
  ///     this model reaches and that were never saved are added.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns the same values under another identity.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identity of the copy.
  ///   - remappedIdentifiers: The new identifiers for relationships, by the current ones.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot's encoded form.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identity: `persistentIdentifier`.
  case persistentIdentifier
  /// A property of the model, by its name.
  case modeledProperty(String)

  private static let identifierName = "persistentIdentifier"

  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  public init?(stringValue: String) {
    self =
      stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Always nil: the keys are names.
  public var intValue: Int? { nil }

  /// Always nil: the keys are names.
  public init?(intValue: Int) { nil }
}
