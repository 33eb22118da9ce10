import Foundation

/// Queries in sections. `sectionKeyPath` leads to the title; models without a title are in the section of the empty
/// title.
extension Query where Result == SectionedResults<Element, String> {
  private init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, String>
  ) {
    self.init(
      QueryStorage(empty: { SectionedResults() }) { context in
        let observer = try ResultsObserver<Element, String>(
          descriptor, sectioning: sectioning, isEager: true, context, MainActor.shared)
        return .init(
          result: { observer.sections ?? SectionedResults() }, update: { observer.refetch() },
          error: { observer.fetchError })
      })
  }

  /// Makes a query for the results of a descriptor.
  public init(
    _ descriptor: FetchDescriptor<Element>, sectionBy sectionKeyPath: KeyPath<Element, String>
  ) {
    self.init(descriptor, Sectioning(sectionKeyPath))
  }

  /// Makes a query for the models that satisfy a predicate, with an order in each section.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy sectionKeyPath: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), Sectioning(sectionKeyPath))
  }

  /// Makes a query in the order of one property in each section.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String>
  ) {
    self.init(
      filter: filter, sort: [QuerySort.descriptor(keyPath, order)], sectionBy: sectionKeyPath)
  }

  /// Makes a query in the order of one property in each section.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String>
  ) {
    self.init(
      filter: filter, sort: [QuerySort.descriptor(keyPath, order)], sectionBy: sectionKeyPath)
  }

  /// Makes a query for the results of a descriptor.
  public init(
    _ descriptor: FetchDescriptor<Element>, sectionBy sectionKeyPath: KeyPath<Element, String?>
  ) {
    self.init(descriptor, Sectioning(sectionKeyPath))
  }

  /// Makes a query for the models that satisfy a predicate, with an order in each section.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy sectionKeyPath: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), Sectioning(sectionKeyPath))
  }

  /// Makes a query in the order of one property in each section.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String?>
  ) {
    self.init(
      filter: filter, sort: [QuerySort.descriptor(keyPath, order)], sectionBy: sectionKeyPath)
  }

  /// Makes a query in the order of one property in each section.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String?>
  ) {
    self.init(
      filter: filter, sort: [QuerySort.descriptor(keyPath, order)], sectionBy: sectionKeyPath)
  }
}
