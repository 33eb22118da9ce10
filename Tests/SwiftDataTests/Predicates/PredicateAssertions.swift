import SwiftData
import SwiftDataCore
import Testing

/// Checks that the store finds the same models as evaluation in memory, and that some models are
/// found and others are not.
///
/// - Parameters:
///   - isExact: Whether the store must answer the query without filtering in memory.
///   - isSelective: Whether some models must be found and others not.
func expectSameAnswer<Model: PersistentModel>(
  _ predicate: Predicate<Model>, in container: ModelContainer, isExact: Bool = true,
  isSelective: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let all = try ModelContext(container).fetch(FetchDescriptor<Model>())
  let expected = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
  let descriptor = FetchDescriptor(predicate: predicate)
  let found = try ModelContext(container).fetch(descriptor).map(\.persistentModelID)
  #expect(Set(found) == Set(expected), sourceLocation: sourceLocation)
  #expect(found.count == expected.count, sourceLocation: sourceLocation)
  #expect(
    try ModelContext(container).fetchCount(descriptor) == expected.count,
    sourceLocation: sourceLocation)
  if isSelective {
    #expect(!expected.isEmpty && expected.count < all.count, sourceLocation: sourceLocation)
  }
  // A server knows less of Swift's texts.
  guard StoreKind.tested == .sqlite || !isExact else { return }
  #expect(
    try isAnsweredByStore(descriptor, container) == isExact, sourceLocation: sourceLocation)
}

/// Returns whether the store filters and sorts for `descriptor` without filtering or sorting in
/// memory.
func isAnsweredByStore<Model: PersistentModel>(
  _ descriptor: FetchDescriptor<Model>, _ container: ModelContainer
) throws -> Bool {
  let entry = try container.core.entry(for: Model.self)
  var request = StoreRequest<Model>(plan: entry.plan)
  request.predicate = descriptor.predicate
  request.sortBy = descriptor.sortBy
  let query = try entry.store.prepare(request)
  return query.isFilterExact && query.isSortExact
}
