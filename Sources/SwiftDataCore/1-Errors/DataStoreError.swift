/// The error of a data store that can't, or would rather not, carry out a request by itself.
public enum DataStoreError: Error, Hashable, CustomStringConvertible {
  /// The store doesn't have the feature at all.
  case unsupportedFeature
  /// The store can't filter by the predicate: the caller should fetch without it and filter itself.
  case preferInMemoryFilter
  /// The store can't sort: the caller should fetch without order and sort itself.
  case preferInMemorySort
  /// The store can't interpret the predicate.
  case invalidPredicate

  public var description: String {
    switch self {
    case .unsupportedFeature: "The data store doesn't support this operation."
    case .preferInMemoryFilter:
      "The data store can't evaluate the predicate. Fetch the models and filter them in memory."
    case .preferInMemorySort:
      "The data store can't sort. Fetch the models and sort them in memory."
    case .invalidPredicate: "The data store can't make sense of the predicate."
    }
  }
}
