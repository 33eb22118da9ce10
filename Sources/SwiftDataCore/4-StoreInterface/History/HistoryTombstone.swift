/// The preserved values of a deleted model: those of properties marked `@Attribute(.preserveValueOnDeletion)`.
///
/// As a sequence it returns the values in the order in which the model declares the properties; properties that were
/// nil aren't included.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  // Unchecked: key paths made by the compiler capture nothing, but `PartialKeyPath` isn't Sendable.
  /// Key paths of the declaring class, which may be a superclass.
  private let values: [(keyPath: AnyKeyPath, value: any Sendable)]

  package init(_ values: [(keyPath: AnyKeyPath, value: any Sendable)]) {
    self.values = values
  }

  /// The last value of a property; nil when it was nil or isn't preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { KeyPathIdentity.isSame($0.keyPath, keyPath) }?.value
  }

  public func makeIterator() -> Iterator { Iterator(values: values.map(\.value).makeIterator()) }

  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[any Sendable]>

    public mutating func next() -> Any? { values.next() }
  }
}
