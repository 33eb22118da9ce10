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
    let excluded: [AnyKeyPath]
  }

  let type: any PersistentModel.Type
  let policy: SyncPolicy
  let references: [Reference]
  private let paths: Paths

  var key: AnyKeyPath { paths.key }
  var excluded: [AnyKeyPath] { paths.excluded }

  /// - Parameters:
  ///   - type: The class. Subclasses take part when they are named themselves.
  ///   - key: A unique attribute that tells the models apart on both sides: a `UUID`, a `String` or an integer. It is
  ///     not to be changed; a model with another key is another model.
  ///   - policy: Who wins where both sides have changed the same.
  ///   - excluded: What stays here. Such an attribute is optional or has a default value.
  ///   - references: Attributes that hold the key of another model.
  public init<Model: PersistentModel, Key>(
    _ type: Model.Type, key: KeyPath<Model, Key>, policy: SyncPolicy = .serverWins,
    excluding excluded: [PartialKeyPath<Model>] = [], references: [Reference] = []
  ) {
    self.type = type
    self.policy = policy
    self.references = references
    paths = Paths(key: key, excluded: excluded)
  }
}
