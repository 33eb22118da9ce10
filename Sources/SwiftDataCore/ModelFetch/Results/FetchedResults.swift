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
    var descriptor = descriptor.ordered(by: sectioning?.order)
    let mergesChanges =
      descriptor.includePendingChanges && context.hasPendingChanges(of: Element.self)
    guard sectioning == nil, !isEager, !mergesChanges else {
      let models = try context.fetch(descriptor)
      identifiers = models.map(\.persistentModelID)
      results = FetchResultsCollection(count: models.count, batchSize: models.count) { range in
        Array(models[range])
      }
      sections = sectioning.map { SectionedResults(models, title: $0.title) }
      return
    }
    descriptor.includePendingChanges = false
    identifiers = Array(try context.fetchIdentifiers(descriptor))
    results = try context.models(identifiers, descriptor, Self.batchSize)
    for position in earlier?.results.loadedPositions ?? [] where position < results.count {
      _ = results[position]
    }
  }

  /// Whether the same models come in the same order and the same sections.
  func isSame(as other: FetchedResults) -> Bool {
    identifiers == other.identifiers && sections == other.sections
  }
}
