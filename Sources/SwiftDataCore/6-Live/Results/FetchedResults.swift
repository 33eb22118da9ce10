import Foundation

/// One result of a ``LiveFetch``.
struct FetchedResults<Element: PersistentModel, SectionTitle: Hashable> {
  /// The information that the changed rows in the history give about the result.
  enum Following {
    /// None: unsaved changes took part, or the store left a part of the fetch to memory, or it doesn't report its
    /// changed rows.
    case impossible
    /// Whether the result has changed.
    case noticing
    /// The new result itself.
    case complete
  }

  let liveFetch: LiveFetch<Element, SectionTitle>
  var list: KeyList
  let spans: SectionSpans?
  let pages: LivePages<Element>
  let keys: ModelKeys
  let following: Following
  /// The store's position before the result was read; nil from a store that doesn't count commits.
  let position: StorePosition?

  var results: FetchResultsCollection<Element> { FetchResultsCollection(pages) }

  var sections: SectionedResults<Element, SectionTitle>? {
    guard let spans, let sectioning = liveFetch.sectioning else { return nil }
    return SectionedResults(results, spans, title: sectioning.title)
  }

  /// The list that readers of differences compare.
  var state: ResultsState { ResultsState(list: list, spans: spans, keys: keys) }

  /// Fetches the result.
  ///
  /// - Parameter earlier: An earlier result of the same liveFetch. Its loaded models are brought up to date.
  init(
    _ liveFetch: LiveFetch<Element, SectionTitle>, after earlier: FetchedResults? = nil
  ) throws {
    // Before everything else, so that commits from here on are checked again.
    let position = liveFetch.map.capabilities.commitTracking?.position
    if let stored = try Self.stored(liveFetch, position, after: earlier) {
      self = stored
    } else {
      try self.init(loading: liveFetch, position)
    }
    if let earlier, !liveFetch.modelsFollow {
      try Self.refresh(earlier, after: Set(earlier.list.keys).subtracting(list.keys))
    }
  }

  init(
    _ liveFetch: LiveFetch<Element, SectionTitle>, _ list: KeyList, _ spans: SectionSpans?,
    _ pages: LivePages<Element>, _ following: Following, _ position: StorePosition?
  ) {
    self.liveFetch = liveFetch
    self.list = list
    self.spans = spans
    self.pages = pages
    self.following = following
    self.position = position
    keys = liveFetch.keys
  }

  /// Whether both have the same models in the same order and the same sections.
  func isSame(as other: FetchedResults) -> Bool {
    list.count == other.list.count && list.keys.elementsEqual(other.list.keys)
      && spans?.titles == other.spans?.titles && spans?.counts == other.spans?.counts
  }

  // MARK: - Row ids only

  /// The result from row ids only; nil when models are needed to find it, or requested.
  private static func stored(
    _ liveFetch: LiveFetch<Element, SectionTitle>, _ position: StorePosition?,
    after earlier: FetchedResults?
  ) throws -> FetchedResults? {
    guard !liveFetch.isEager, liveFetch.map.plan.family == nil, !liveFetch.takesPendingChanges,
      let query = try exactQuery(liveFetch)
    else { return nil }
    var rows: [Int64] = []
    var spans: SectionSpans?
    if let sectioning = liveFetch.sectioning {
      guard let made = try read(query, sectioning.keyPath, of: liveFetch.map, into: &rows)
      else { return nil }
      spans = made
    } else {
      do { rows = try query.statement.rowIDs() } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort
      {
        return nil
      }
    }
    let list = KeyList(rows)
    // Before catching up: models whose rows are deleted from here on stay until the list is without them.
    let pages = try livePages(list, liveFetch, after: earlier)
    liveFetch.context.catchUp()
    return FetchedResults(
      liveFetch, list, spans, pages, following(liveFetch, position), position)
  }

  /// The store's query; nil when the store leaves filtering or sorting to the context.
  static func exactQuery(
    _ liveFetch: LiveFetch<Element, SectionTitle>
  ) throws -> StoreQuery? {
    do {
      var request = liveFetch.context.request(for: liveFetch.stored, liveFetch.map)
      request.purpose = .identifiers
      let query = try liveFetch.map.store.prepare(request)
      return query.isFilterExact && query.isSortExact ? query : nil
    } catch let error as DataStoreError
      where error == .preferInMemoryFilter || error == .preferInMemorySort
    {
      return nil
    }
  }

  private static func following(
    _ liveFetch: LiveFetch<Element, SectionTitle>, _ position: StorePosition?
  ) -> Following {
    guard position != nil else { return .impossible }
    return liveFetch.isWindow || liveFetch.entities.isCircular ? .noticing : .complete
  }

  /// The sections, read with the row ids; nil when a title isn't stored in the rows, or when models of one title don't
  /// follow each other.
  private static func read(
    _ query: StoreQuery, _ title: AnyKeyPath, of map: IdentityMap, into rows: inout [Int64]
  ) throws -> SectionSpans? {
    var spans = SectionSpans()
    var isPossible = false
    _ = try map.capabilities.readTransactions?.withReadTransaction { transaction in
      isPossible = try transaction.forEachRow(of: query, among: nil, text: title) { row, text in
        rows.append(row)
        spans.append(text)
      }
    }
    return isPossible && spans.areTitlesUnique ? spans : nil
  }

  static func livePages(
    _ list: KeyList, _ liveFetch: LiveFetch<Element, SectionTitle>, models: [Element]? = nil,
    after earlier: FetchedResults?
  ) throws -> LivePages<Element> {
    let context = liveFetch.context
    let map = liveFetch.map
    let properties = try context.propertiesToLoad(liveFetch.descriptor, map.plan)
    let prefetched = liveFetch.descriptor.relationshipKeyPathsForPrefetching
    try context.prefetch(prefetched, of: [Element](), map)
    return LivePages(list, of: map.store, models: models, after: earlier?.pages) { rows in
      context.models(rows[...], properties, prefetched, in: map)
    }
  }

  // MARK: - Models

  private init(
    loading liveFetch: LiveFetch<Element, SectionTitle>, _ position: StorePosition?
  ) throws {
    var following = Following.impossible
    if !liveFetch.takesPendingChanges, liveFetch.map.plan.family == nil,
      try Self.exactQuery(liveFetch) != nil
    {
      following = Self.following(liveFetch, position)
    }
    var models = try liveFetch.context.fetch(liveFetch.ordered)
    var spans: SectionSpans?
    if let sectioning = liveFetch.sectioning {
      var made = SectionSpans(models.map(sectioning.text))
      if !made.areTitlesUnique {
        models = Self.grouped(models, by: sectioning.text)
        made = SectionSpans(models.map(sectioning.text))
        following = .impossible
      }
      spans = made
    }
    var keys = liveFetch.keys
    let known = models.compactMap { model in
      keys.key(of: model.persistentModelID).map { (key: $0, model: model) }
    }
    for (key, model) in known {
      let name = model.persistentModelID.entityName
      if name != keys.entity { keys.subclasses[key] = name }
    }
    self.liveFetch = liveFetch
    list = KeyList(known.map(\.key))
    self.spans = spans
    self.keys = keys
    self.following = following
    self.position = position
    pages = try Self.livePages(
      list, liveFetch, models: known.map(\.model), after: nil)
  }

  /// Groups models of the same title at the place of the first of them.
  private static func grouped(_ models: [Element], by text: (Element) -> String) -> [Element] {
    var places: [String: Int] = [:]
    var groups: [[Element]] = []
    for model in models {
      let place = places[text(model), default: groups.count]
      if place == groups.count {
        places[text(model)] = place
        groups.append([])
      }
      groups[place].append(model)
    }
    return groups.flatMap(\.self)
  }

  // MARK: - Models of a context that doesn't follow commits automatically

  /// Brings loaded models up to date, and reports the departed ones to the context, which marks those whose rows are
  /// gone.
  ///
  /// - Parameters:
  ///   - departed: The keys that are no longer in the result.
  ///   - rows: The rows that may have changed; nil for all.
  static func refresh(
    _ earlier: FetchedResults, after departed: Set<Int64>, rows: Set<Int64>? = nil
  ) throws {
    let liveFetch = earlier.liveFetch
    let present = earlier.pages.loadedRows.filter { row in
      row > Int64.min / 2 && !departed.contains(row) && rows?.contains(row) ?? true
    }
    for start in stride(from: 0, to: present.count, by: KeyList.leafSize) {
      let end = min(start + KeyList.leafSize, present.count)
      _ = liveFetch.context.models(present[start..<end], nil, [], in: liveFetch.map) as [Element]
    }
    let keys = earlier.keys
    try liveFetch.context.markMissing(
      of: Element.self, Set(departed.map { keys.identifier(of: $0) }))
  }
}
