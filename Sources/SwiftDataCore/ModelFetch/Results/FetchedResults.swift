import Foundation

/// One answer of an observer's fetch.
struct FetchedResults<Element: PersistentModel, SectionTitle: Hashable> {
  /// How many models are loaded together.
  private static var batchSize: Int { 256 }

  let identifiers: [PersistentIdentifier]
  var results: FetchResultsCollection<Element>
  var sections: SectionedResults<Element, SectionTitle>?

  /// - Parameters:
  ///   - isEager: Whether all models are loaded now. They are also when they come in sections, and when the context
  ///     has unsaved changes that take part.
  ///   - earlier: An answer to the same question. Its models that are loaded are brought up to date.
  init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionTitle>?,
    isEager: Bool, _ context: ModelContext, after earlier: FetchedResults? = nil
  ) throws {
    try self.init(descriptor, sectioning, isEager, context, earlier)
    if let earlier { try context.noteMissing(of: Element.self, earlier.departed(in: self)) }
  }

  /// The models that aren't among newer results.
  private func departed(in newer: FetchedResults) -> Set<PersistentIdentifier> {
    identifiers == newer.identifiers ? [] : Set(identifiers).subtracting(newer.identifiers)
  }

  private init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionTitle>?,
    _ isEager: Bool, _ context: ModelContext, _ earlier: FetchedResults?
  ) throws {
    let descriptor = descriptor.ordered(by: sectioning?.order ?? [])
    let mergesChanges =
      descriptor.includePendingChanges && context.hasPendingChanges(of: Element.self)
    var later = descriptor
    later.includePendingChanges = false
    if sectioning == nil, !isEager, !mergesChanges,
      let identifiers = try Self.identifiers(later, context)
    {
      self.identifiers = identifiers
      results = try context.models(identifiers, later, Self.batchSize)
      for position in earlier?.results.loadedPositions ?? [] where position < results.count {
        _ = results[position]
      }
      return
    }
    let models = try context.fetch(descriptor)
    identifiers = models.map(\.persistentModelID)
    results = FetchResultsCollection(count: models.count, batchSize: models.count) { range in
      Array(models[range])
    }
    sections = sectioning.map { SectionedResults(models, title: $0.title) }
  }

  /// nil when the store leaves filtering or sorting to the context, which needs the models for it.
  private static func identifiers(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext
  ) throws -> [PersistentIdentifier]? {
    do {
      return try context.fetchIdentifiers(descriptor)
    } catch let error as DataStoreError
      where error == .preferInMemoryFilter || error == .preferInMemorySort
    {
      return nil
    }
  }

  /// Whether the same models come in the same order and the same sections.
  func isSame(as other: FetchedResults) -> Bool {
    identifiers == other.identifiers && sections == other.sections
  }
}
