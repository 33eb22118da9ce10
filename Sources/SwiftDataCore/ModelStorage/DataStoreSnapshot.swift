/// A value that a snapshot can hold.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one model at one moment, apart from any context.
///
/// Contexts and stores exchange models as snapshots. A snapshot of a type of your own is read by
/// its `Codable` form, which has to have the keys of ``DataStoreSnapshotCodingKey``:
/// `persistentIdentifier`, and one a property with the property's name. Relationships are
/// identifiers: `PersistentIdentifier?` or `[PersistentIdentifier]`.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identity of the model; temporary while the model is in no store.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model.
  ///
  /// - Parameters:
  ///   - backingData: The model's values.
  ///   - relatedBackingDatas: The values of models that are saved together with this one, by
  ///     identifier; those that the model reaches and that were never saved are added.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identity.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identity of the copy.
  ///   - remappedIdentifiers: What relationships to the keys become.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot's coded form.
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
