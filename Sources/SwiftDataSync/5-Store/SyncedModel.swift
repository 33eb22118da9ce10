import Foundation
import SwiftDataCore

/// A model class to synchronize, with its options.
///
/// ```swift
/// SyncedModel(StoredReservation.self, key: \.remoteID, policy: .latestWins(property: "updated"))
/// ```
///
/// All attributes and all to-one relationships are synchronized, except excluded ones. To-many relationships follow
/// from their inverses; a many-to-many relationship, or one without an inverse, is a list of keys at one of its ends.
public struct SyncedModel: Sendable {
  /// An attribute that holds the sync key of another model, used instead of a relationship.
  public struct Reference: @unchecked Sendable {
    // Unchecked: key paths without captures can be sent anywhere, but `AnyKeyPath` isn't `Sendable`.
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
    // Unchecked for the same reason as above.
    let key: AnyKeyPath
    var excluded: [AnyKeyPath] = []
    var defaults: [(keyPath: AnyKeyPath, value: any Sendable)] = []
    var marks: [(keyPath: AnyKeyPath, kind: SyncMarkKind)] = []
  }

  let type: any PersistentModel.Type
  let policy: SyncPolicy
  let references: [Reference]
  /// Whether the rows come from another source, and only the properties in ``defaults`` are synchronized.
  let isAnnotated: Bool
  private let paths: Paths

  var key: AnyKeyPath { paths.key }
  var excluded: [AnyKeyPath] { paths.excluded }
  var defaults: [(keyPath: AnyKeyPath, value: any Sendable)] { paths.defaults }
  var marks: [(keyPath: AnyKeyPath, kind: SyncMarkKind)] { paths.marks }

  /// - Parameters:
  ///   - type: The class. Subclasses are synchronized only if they are listed themselves.
  ///   - key: A unique attribute that identifies the models on both sides: a `UUID`, a `String` or an integer. It must
  ///     not be changed; a model with another key is another model.
  ///   - policy: The rule for conflicting changes.
  ///   - excluded: Properties that aren't synchronized. Such an attribute must be optional or have a default value.
  ///   - local: Further properties that aren't synchronized, with the values for models from the server.
  ///   - marks: Properties that aren't synchronized and that the engine writes, for display.
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

  /// Annotates a class whose models come from another source, such as a feed, and some of whose properties belong to
  /// the user.
  ///
  /// ```swift
  /// SyncedModel(
  ///   annotating: StoredLandmark.self, key: \.remoteID, properties: [.init(\.isFavorite, default: false)])
  /// ```
  ///
  /// Only these properties are compared, sent and written. The engine neither creates nor deletes models of the class,
  /// and a model's deletion isn't sent. A missing object on the server is equivalent to one with the default values.
  /// The server's values for a model that doesn't exist locally are stored and applied when the model is inserted; a
  /// model that is deleted and inserted again gets its values back.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - key: A unique attribute that identifies the models on both sides.
  ///   - properties: The user's properties, with their values in a newly created model.
  ///   - policy: The rule for conflicting changes.
  ///   - marks: Properties that the engine writes, for display.
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
