/// Describes a data store: enough for a container to make it.
public protocol DataStoreConfiguration: Hashable {
  /// The store that it describes.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name, unique in a container.
  var name: String { get }
  /// The models kept in the store; nil means all of the container. The container fills it in before it makes the store.
  var schema: Schema? { get set }

  /// Checks the configuration before the store is made. By default every configuration is valid.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}
