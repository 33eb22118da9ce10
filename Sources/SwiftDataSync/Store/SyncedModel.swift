import SwiftData

/// A class of models that takes part, and how.
///
/// ```swift
/// SyncedModel(StoredReservation.self, key: \.remoteID, policy: .latestWins(property: "updated"))
/// ```
///
/// All attributes and all relationships to one go to the server, but those that are left out. Relationships to many
/// follow from their other ends; one between many and many, or without an inverse, is a list of keys at one of its ends.
public struct SyncedModel: Sendable {
  /// An attribute that holds the sync key of another model, where there is no relationship.
  public struct Reference: @unchecked Sendable {
    // Unchecked: key paths that capture nothing can go anywhere, but `AnyKeyPath` doesn't say so.
    let keyPath: AnyKeyPath
    let destination: any PersistentModel.Type

    /// - Parameters:
    ///   - property: The attribute.
    ///   - destination: The class whose sync key it holds.
    public init<Model: PersistentModel, Value>(
      _ property: KeyPath<Model, Value>, to destination: any PersistentModel.Type
    ) {
      keyPath = property
      self.destination = destination
    }
  }

  private struct Paths: @unchecked Sendable {
    // Unchecked for the reason above.
    let key: AnyKeyPath
    var excluded: [AnyKeyPath] = []
    var defaults: [(keyPath: AnyKeyPath, value: any Sendable)] = []
    var marks: [(keyPath: AnyKeyPath, kind: SyncMarkKind)] = []
  }

  let type: any PersistentModel.Type
  let policy: SyncPolicy
  let references: [Reference]
  /// Whether the rows come from elsewhere, and only the properties in ``defaults`` take part.
  let isAnnotated: Bool
  private let paths: Paths

  var key: AnyKeyPath { paths.key }
  var excluded: [AnyKeyPath] { paths.excluded }
  var defaults: [(keyPath: AnyKeyPath, value: any Sendable)] { paths.defaults }
  var marks: [(keyPath: AnyKeyPath, kind: SyncMarkKind)] { paths.marks }

  /// - Parameters:
  ///   - type: The class. Subclasses take part when they are named themselves.
  ///   - key: A unique attribute that tells the models apart on both sides: a `UUID`, a `String` or an integer. It is
  ///     not to be changed; a model with another key is another model.
  ///   - policy: Who wins where both sides have changed the same.
  ///   - excluded: What stays here. Such an attribute is optional or has a default value.
  ///   - local: What stays here too, with the values that models from the server get.
  ///   - marks: What stays here and the engine writes, for display.
  ///   - references: Attributes that hold the key of another model.
  public init<Model: PersistentModel, Key>(
    _ type: Model.Type, key: KeyPath<Model, Key>, policy: SyncPolicy = .serverWins,
    excluding excluded: [PartialKeyPath<Model>] = [], local: [SyncedProperty<Model>] = [],
    marks: [SyncMark<Model>] = [], references: [Reference] = []
  ) {
    self.type = type
    self.policy = policy
    self.references = references
    isAnnotated = false
    paths = Paths(
      key: key, excluded: excluded, defaults: local.map { ($0.keyPath, $0.value) },
      marks: marks.map { ($0.keyPath, $0.kind) })
  }

  /// A class whose models come from elsewhere, such as a feed, and of which some properties are the user's.
  ///
  /// ```swift
  /// SyncedModel(
  ///   annotating: StoredLandmark.self, key: \.remoteID, properties: [.init(\.isFavorite, default: false)])
  /// ```
  ///
  /// Only these properties are compared, sent and written. The engine makes and deletes no model of the class, and a
  /// model's deletion isn't sent. On the server, an object that isn't there is one with the default values. What the
  /// server has of a model that isn't here is kept, and applied when the model comes; a model that goes and comes back
  /// gets its values again.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - key: A unique attribute that tells the models apart on both sides.
  ///   - properties: The user's, with the values that they have when the model is made.
  ///   - policy: Who wins where both sides have changed the same.
  ///   - marks: What the engine writes, for display.
  public init<Model: PersistentModel, Key>(
    annotating type: Model.Type, key: KeyPath<Model, Key>, properties: [SyncedProperty<Model>],
    policy: SyncPolicy = .serverWins, marks: [SyncMark<Model>] = []
  ) {
    self.type = type
    self.policy = policy
    references = []
    isAnnotated = true
    paths = Paths(
      key: key, defaults: properties.map { ($0.keyPath, $0.value) },
      marks: marks.map { ($0.keyPath, $0.kind) })
  }
}
