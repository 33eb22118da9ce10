import Foundation

extension ResultsObserver where SectionTitle == Never {
  /// Observes a fetch.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch to observe; by default all models.
  ///   - modelContext: The context that the models belong to.
  ///   - isolation: The isolation to which changes are delivered; by default the caller's.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectioning: nil, modelContext, isolation)
  }

  /// Observes a fetch as ``init(fetchDescriptor:modelContext:isolation:)`` does, in a new context.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectioning: nil, ModelContext(modelContainer), isolation)
  }

  /// Observes the models that satisfy a predicate.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for the models; nil means all.
  ///   - sortBy: The order, most important key first.
  ///   - modelContext: The context that the models belong to.
  ///   - isolation: The isolation to which changes are delivered; by default the caller's.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectioning: nil, modelContext,
      isolation)
  }

  /// Observes models as ``init(filterBy:sortBy:modelContext:isolation:)`` does, in a new context.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectioning: nil,
      ModelContext(modelContainer), isolation)
  }
}

/// Observers with sections. `sectionBy` leads to the title; models without a title are in the section of the empty
/// title.
extension ResultsObserver where SectionTitle == String {
  /// Observes a fetch in sections.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectioning: Sectioning(sectionBy), modelContext, isolation)
  }

  /// Observes the models that satisfy a predicate, in sections.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      sectioning: Sectioning(sectionBy), modelContext, isolation)
  }

  /// Observes a fetch in sections.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, sectioning: Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes the models that satisfy a predicate, in sections.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      sectioning: Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes a fetch in sections.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectioning: Sectioning(sectionBy), modelContext, isolation)
  }

  /// Observes the models that satisfy a predicate, in sections.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      sectioning: Sectioning(sectionBy), modelContext, isolation)
  }

  /// Observes a fetch in sections.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, sectioning: Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes the models that satisfy a predicate, in sections.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []),
      sectioning: Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }
}
