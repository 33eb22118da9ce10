import Foundation

extension Query where Result == [Element] {
  /// Makes a query for the results of a descriptor.
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

  /// Makes a query for the models that satisfy a predicate.
  ///
  /// - Parameters:
  ///   - filter: The condition for the models; nil means all.
  ///   - descriptors: The order, most important key first.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = []
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors))
  }

  /// Makes a query in the order of one property.
  ///
  /// - Parameters:
  ///   - filter: The condition for the models; nil means all.
  ///   - keyPath: The property.
  ///   - order: Forward or reverse.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward
  ) {
    self.init(filter: filter, sort: [QuerySort.descriptor(keyPath, order)])
  }

  /// Makes a query in the order of one property; nil comes first in forward order.
  ///
  /// - Parameters:
  ///   - filter: The condition for the models; nil means all.
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
    // Texts have the same order as in sort descriptors of texts.
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
