import Foundation
import Observation
import Synchronization

/// The results of a fetch, kept up to date: a live list without a user interface.
///
/// ```swift
/// let recent = try ResultsObserver(
///   sortBy: [SortDescriptor(\Trip.start, order: .reverse)], modelContext: context)
/// for trip in recent.results { print(trip.name) }
/// ```
///
/// ``results`` is observable: `withObservationTracking` and `Observations` report changes of what they read.
///
/// Setting ``filterBy`` or ``sortBy`` fetches immediately. Saves of any context of the container, batches, and commits
/// by other containers, processes and programs are followed a little later, in the isolation in which the observer was
/// made. An observer made without isolation follows when it is next read. Models that have left the store since are
/// marked as deleted (``PersistentModel/isDeleted``).
///
/// A commit that touches no entity of the fetch costs nothing. For other commits the observer reads the changed rows
/// and a few more to find their positions; loaded models aren't loaded again. Only the row ids of the results are kept,
/// and the models that were read. Where that isn't possible the fetch is repeated: with a limit or an offset, for
/// classes with subclasses, when a row that the predicate or the order reaches through a relationship has changed, when
/// a part of the fetch isn't in SQL, when unsaved changes take part, and after commits that aren't in the history.
///
/// Unsaved changes of ``modelContext`` take part in each fetch. Making them isn't followed, nor taking them back with
/// `rollback()` or undo: the results stay until the next commit that touches an entity of the fetch, or until
/// ``filterBy`` or ``sortBy`` is set. Until then they may contain a model whose insertion was rolled back.
///
/// ``differences(initial:)`` reports the changes of the results.
///
/// Results are in the order of the section titles, if there are sections, then of ``sortBy``, then of identifiers.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
  CustomDebugStringConvertible
{
  /// The context that the models belong to.
  public final let modelContext: ModelContext
  private let registrar = ObservationRegistrar()
  private var liveFetch: LiveFetch<Element, SectionTitle>
  /// The result; that of an earlier liveFetch when the fetch for the current one failed.
  private var fetched: FetchedResults<Element, SectionTitle>
  private var isAnswered = true
  /// The displayed results: those of the fetch, or those assigned in their place.
  private var shown:
    (
      results: FetchResultsCollection<Element>,
      sections: SectionedResults<Element, SectionTitle>?
    )
  /// Whether ``shown`` was assigned.
  private var isAssigned = false
  private var failure: (any Error)?
  private let commitTracker: ObserverCommitTracker
  private let broadcaster: DifferenceBroadcaster
  private var delivery: ObserverDelivery?
  private var subscription: StoreCommits.Subscription?
  /// Whether commits are being followed. Following notifies observers of models, which may call this object again.
  private var isFollowing = false
  /// Whether a reader has received the newest result, but observers haven't been notified of it.
  private var hasPendingNotification = false

  init(
    _ descriptor: FetchDescriptor<Element>, sectioning: Sectioning<Element, SectionTitle>?,
    isEager: Bool = false, _ modelContext: ModelContext, _ isolation: (any Actor)?
  ) throws {
    self.modelContext = modelContext
    liveFetch = try LiveFetch(descriptor, sectioning, isEager: isEager, modelContext)
    fetched = try FetchedResults(liveFetch)
    shown = (fetched.results, fetched.sections)
    broadcaster = DifferenceBroadcaster(fetched.state)
    commitTracker = ObserverCommitTracker(of: liveFetch.map.store.identifier)
    commitTracker.begin(at: fetched.position, interest: liveFetch.entities.names)
    subscribe(isolation)
    // Catches up with commits between the fetch and the subscription.
    if liveFetch.map.capabilities.commitTracking?.position != fetched.position {
      commitTracker.recordMissedCommit()
      catchUp(notifies: false)
    }
  }

  deinit { broadcaster.end() }

  private func subscribe(_ isolation: (any Actor)?) {
    nonisolated(unsafe) weak let observer = self
    let isIsolated = isolation != nil
    let delivery = ObserverDelivery(to: isolation) {
      guard let observer else { return }
      if isIsolated {
        observer.catchUpAndNotify()
      } else {
        // Only notifies observers; the fetch waits for the next read, in whatever isolation that is.
        observer.registrar.withMutation(of: observer, keyPath: \.results) {
          observer.registrar.withMutation(of: observer, keyPath: \.sections) {}
        }
      }
    }
    self.delivery = delivery
    subscription = liveFetch.map.store.commits.subscribe { [commitTracker] commit in
      if commitTracker.record(commit) { delivery.announce() }
    }
  }

  // MARK: - Following

  private func catchUpAndNotify() {
    catchUp(notifies: true)
    guard hasPendingNotification else { return }
    hasPendingNotification = false
    withResultsMutation {}
  }

  private func withResultsMutation(_ change: () -> Void) {
    registrar.withMutation(of: self, keyPath: \.results) {
      registrar.withMutation(of: self, keyPath: \.sections, change)
    }
  }

  /// Applies the commits since the last call that succeeded.
  ///
  /// - Parameter notifies: Whether observers are notified; a reader gets the newest result anyway.
  private func catchUp(notifies: Bool) {
    guard !isFollowing, let number = commitTracker.consume() else { return }
    let isRepeated = failure != nil
    follow(after: number, notifies: notifies)
    // The commits were announced before the attempt that failed, and nothing else announces the result of this one.
    if isRepeated, failure == nil, !notifies, hasPendingNotification { delivery?.announce() }
  }

  private func follow(after number: Int64, notifies: Bool) {
    isFollowing = true
    defer { isFollowing = false }
    do {
      guard isAnswered else {
        try fetch(.anything, after: number, notifies: notifies)
        return succeed()
      }
      switch try fetched.following(after: number) {
      case .known(let newer, let change, let last):
        let isOther = newer.pages !== fetched.pages
        if liveFetch.modelsFollow {
          modelContext.catchUp()
        } else {
          let departed = change.written.filter { isOther && newer.list.position(of: $0) == nil }
          try FetchedResults.refresh(fetched, after: departed, rows: change.written)
        }
        adopt(newer, change, isOther: isOther, notifies: notifies)
        commitTracker.begin(after: last, interest: liveFetch.entities.names)
      case .unknown(let change, let last): try fetch(change, after: last, notifies: notifies)
      }
      succeed()
    } catch { fail(error, notifies: notifies) }
  }

  /// Fetches again and notifies observers when the result has changed.
  func refetch() { fetchNow(.anything) }

  private func fetchNow(_ change: ResultsChange) {
    isAnswered = false
    // Called by an observer that following has notified: the fetch is made later.
    guard !isFollowing else { return commitTracker.recordMissedCommit() }
    isFollowing = true
    defer { isFollowing = false }
    // The result will include everything that was committed.
    let number = commitTracker.through
    let isBehind = commitTracker.consume() != nil
    do {
      // Without a position, what was committed isn't known.
      let isUnknown = isBehind && fetched.position == nil
      try fetch(isUnknown ? .anything : change, after: number, notifies: true)
      succeed()
    } catch { fail(error, notifies: true) }
  }

  /// - Parameters:
  ///   - change: The known changes between the last result and the transaction with the number.
  ///   - number: The number of a transaction. The changes after it are read from the history when there are readers.
  private func fetch(_ change: ResultsChange, after number: Int64, notifies: Bool) throws {
    let newer = try FetchedResults(liveFetch, after: fetched)
    var change = change
    if !broadcaster.hasReaders {
      change = .anything
    } else if !change.isReload {
      change.formUnion(
        try newer.written(since: fetched, after: number),
        limit: ResultsChange.limit(newer.list.count))
    }
    let isOther = !newer.isSame(as: fetched) || fetched.pages.haveDeleted
    isAnswered = true
    adopt(newer, change, isOther: isOther, notifies: notifies)
    commitTracker.begin(at: newer.position, interest: liveFetch.entities.names)
  }

  private func adopt(
    _ newer: FetchedResults<Element, SectionTitle>, _ change: ResultsChange, isOther: Bool,
    notifies: Bool
  ) {
    func take() {
      let hasOtherPages = newer.pages !== fetched.pages
      fetched = newer
      if broadcaster.hasReaders { fetched.list.makeIndex() }
      // Also an equal result: following refreshes the models that were read through its pages.
      guard isOther || hasOtherPages && !isAssigned else { return }
      shown = (newer.results, newer.sections)
      isAssigned = false
    }
    switch (isOther, notifies) {
    case (true, true): withResultsMutation(take)
    case (true, false):
      hasPendingNotification = true
      take()
    case (false, _): take()
    }
    if isOther || broadcaster.hasReaders { broadcaster.publish(fetched.state, change) }
  }

  private func succeed() {
    if failure != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { failure = nil } }
  }

  /// Keeps the error of a fetch, which the next read repeats.
  ///
  /// - Parameter notifies: Whether observers are notified although there was an error before. A reader's attempt
  ///   doesn't: an observer that reads again when it is notified would cause its own notifications, without end.
  private func fail(_ error: any Error, notifies: Bool) {
    commitTracker.recordMissedCommit()
    if notifies || failure == nil { report(error) } else { failure = error }
  }

  private func report(_ error: any Error) {
    registrar.withMutation(of: self, keyPath: \.fetchError) { failure = error }
    SwiftDataLog.report(
      .error, "ResultsObserver<\(Element.self)>", "keeps its results", error)
  }

  /// Changes the liveFetch and fetches.
  private func change(_ change: (inout FetchDescriptor<Element>) -> Void) {
    do { liveFetch = try liveFetch.changed(change) } catch { return report(error) }
    // Before the fetch: relevant commits from now on, including those during the fetch, must not be missed.
    commitTracker.begin(after: 0, interest: liveFetch.entities.names)
    fetchNow(ResultsChange(arePositionsKnown: false))
  }

  // MARK: - The fetch

  /// The fetch, with the order as it was given.
  public final var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return liveFetch.descriptor
  }

  /// The condition for the models; nil means all. Setting it fetches immediately; when that fails the results stay, and
  /// ``fetchError`` has the error.
  public final var filterBy: Predicate<Element>? {
    get {
      registrar.access(self, keyPath: \.filterBy)
      return liveFetch.descriptor.predicate
    }
    set {
      registrar.withMutation(of: self, keyPath: \.filterBy) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
          change { $0.predicate = newValue }
        }
      }
    }
  }

  /// The order, in each section if there are any. Setting it fetches immediately, as for ``filterBy``.
  public final var sortBy: [SortDescriptor<Element>] {
    get {
      registrar.access(self, keyPath: \.sortBy)
      return liveFetch.descriptor.sortBy
    }
    set {
      registrar.withMutation(of: self, keyPath: \.sortBy) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
          change { $0.sortBy = newValue }
        }
      }
    }
  }

  /// The key path of the section titles; nil without sections.
  public final var sectionBy: PartialKeyPath<Element>? { liveFetch.sectioning?.keyPath }

  // MARK: - Results

  /// The models in order. An assigned value stays until the next fetch.
  public final var results: FetchResultsCollection<Element> {
    get {
      registrar.access(self, keyPath: \.results)
      catchUp(notifies: false)
      return shown.results
    }
    set {
      registrar.withMutation(of: self, keyPath: \.results) {
        shown.results = newValue
        isAssigned = true
      }
    }
  }

  /// The models in sections; nil for an observer without sections. An assigned value stays until the next fetch.
  public final var sections: SectionedResults<Element, SectionTitle>? {
    get {
      registrar.access(self, keyPath: \.sections)
      catchUp(notifies: false)
      return shown.sections
    }
    set {
      registrar.withMutation(of: self, keyPath: \.sections) {
        shown.sections = newValue
        isAssigned = true
      }
    }
  }

  /// The error of the last fetch; nil when it succeeded. The next read of the results repeats a fetch that failed. An
  /// addition to Apple's interface.
  public final var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    return failure
  }

  /// All models, loaded together.
  var models: [Element] {
    registrar.access(self, keyPath: \.results)
    catchUp(notifies: false)
    return fetched.pages.all
  }

  /// The changes of the results from now on, in the order in which they happen. An addition to Apple's interface.
  ///
  /// ```swift
  /// for await difference in observer.differences() {
  ///   for place in difference.removed { rows.remove(at: place.position) }
  ///   …
  /// }
  /// ```
  ///
  /// An observer without isolation follows when its ``results`` are read, and so do the differences. Models with
  /// unsaved changes that take part are in the differences; saving these changes later gives new models other
  /// identifiers.
  ///
  /// - Parameter initial: Whether the first difference is the whole list as insertions. If not, the first one has the
  ///   changes after the call of `makeAsyncIterator()`, which `for await` makes.
  public final func differences(initial: Bool = true) -> ResultsDifferences {
    ResultsDifferences(broadcaster: broadcaster, includesResults: initial)
  }

  /// The model at an index path: section and item, or item alone; nil when there is none.
  public final func element(at indexPath: IndexPath) -> Element? {
    guard let item = indexPath.last, item >= 0 else { return nil }
    guard let sections else {
      let isFlat = indexPath.count == 1 || (indexPath.count == 2 && indexPath.first == 0)
      return isFlat && item < results.count ? results[item] : nil
    }
    guard indexPath.count == 2, let section = indexPath.first, sections.indices.contains(section),
      item < sections[section].count
    else { return nil }
    return sections[section][item]
  }

  /// The index path of a model, section and item; without sections the section is 0. nil when it isn't among the
  /// results.
  public final func indexPath(for element: Element) -> IndexPath? {
    catchUp(notifies: false)
    registrar.access(self, keyPath: \.results)
    fetched.list.makeIndex()
    guard let key = fetched.keys.key(of: element.persistentModelID),
      let position = fetched.list.position(of: key)
    else { return nil }
    guard let spans = fetched.spans, let section = spans.sections(at: [position]).first else {
      return IndexPath(indexes: [0, position])
    }
    return IndexPath(indexes: [section, position - spans.starts[section]])
  }

  public var debugDescription: String {
    let sections = shown.sections.map { ", sections: \($0.count)" } ?? ""
    return "ResultsObserver<\(Element.self)>(results: \(shown.results.count)\(sections))"
  }
}
