import Foundation

extension Query where Result == [Element] {
  /// A query for what a descriptor describes.
  public init(_ descriptor: FetchDescriptor<Element>) {
    self.init(
      QueryStorage(empty: { [] }) { context in
        let observer = try ResultsObserver<Element, Never>(
          descriptor, sectioning: nil, isEager: true, context, MainActor.shared)
        return .init(
          result: { observer.models }, update: { observer.refetch() },
          error: { observer.fetchError })
      })
  }

  /// A query for the models that a predicate lets through.
  ///
  /// - Parameters:
  ///   - filter: Which models; nil means all.
  ///   - descriptors: The order, most important key first.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = []
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors))
  }

  /// A query in the order of one property.
  ///
  /// - Parameters:
  ///   - filter: Which models; nil means all.
  ///   - keyPath: The property.
  ///   - order: Forward or reverse.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward
  ) {
    self.init(filter: filter, sort: [QuerySort.descriptor(keyPath, order)])
  }

  /// A query in the order of one property; nil comes first in forward order.
  ///
  /// - Parameters:
  ///   - filter: Which models; nil means all.
  ///   - keyPath: The property.
  ///   - order: Forward or reverse.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward
  ) {
    self.init(filter: filter, sort: [QuerySort.descriptor(keyPath, order)])
  }
}

enum QuerySort {
  static func descriptor<Element, Value: Comparable>(
    _ keyPath: KeyPath<Element, Value>, _ order: SortOrder
  ) -> SortDescriptor<Element> {
    // The order of texts is the one of descriptors of texts.
    if let text = keyPath as? KeyPath<Element, String> {
      return SortDescriptor(text.sendable, order: order)
    }
    return SortDescriptor(keyPath.sendable, order: order)
  }

  static func descriptor<Element, Value: Comparable>(
    _ keyPath: KeyPath<Element, Value?>, _ order: SortOrder
  ) -> SortDescriptor<Element> {
    if let text = keyPath as? KeyPath<Element, String?> {
      return SortDescriptor(text.sendable, order: order)
    }
    return SortDescriptor(keyPath.sendable, order: order)
  }
}
