/// A collection of models that a relationship can hold.
public protocol RelationshipCollection {
  /// The model class of the collection's elements.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection
where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  public typealias PersistentElement = Wrapped.Element
}
