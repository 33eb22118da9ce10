import Foundation
import Observation
import Synchronization

/// The results of a fetch, kept up to date: a live list without a user interface.
///
/// ```swift
/// let recent = try ResultsObserver(
///   sortBy: [SortDescriptor(\Trip.start, order: .reverse)], modelContext: context)
/// let changes = Observations { recent.results.map(\.name) }
/// ```
///
/// Setting ``filterBy`` or ``sortBy`` fetches at once. Saves of any context of the container, batches, and what
/// other containers, processes and programs commit are followed a little later, in the isolation in which the observer
/// was made; a save that touches no entity of the fetch costs nothing. An observer made without isolation fetches when it is read next. Models that left the store since are
/// deleted ones (``PersistentModel/isDeleted``).
///
/// Results come in the order of the section titles, if there are sections, then of ``sortBy``, then of identifiers.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
  CustomDebugStringConvertible
{
  /// The context that the models belong to.
  public final let modelContext: ModelContext
  private let registrar = ObservationRegistrar()
  private var descriptor: FetchDescriptor<Element>
  private let sectioning: Sectioning<Element, SectionTitle>?
  /// Whether all models are loaded at once, because all are wanted.
  private let isEager: Bool
  private var fetched: FetchedResults<Element, SectionTitle>
  private var failure: (any Error)?
  private let news: ObserverNews
  private var subscriptions: [StoreCommits.Subscription] = []

  init(
    _ descriptor: FetchDescriptor<Element>, sectioning: Sectioning<Element, SectionTitle>?,
    isEager: Bool = false, _ modelContext: ModelContext, _ isolation: (any Actor)?
  ) throws {
    self.descriptor = descriptor
    self.sectioning = sectioning
    self.isEager = isEager
    self.modelContext = modelContext
    news = ObserverNews(
      interest: QueriedEntities.names(of: descriptor, in: modelContext.core))
    fetched = try FetchedResults(descriptor, sectioning, isEager: isEager, modelContext)
    subscribe(isolation)
  }

  private func subscribe(_ isolation: (any Actor)?) {
    nonisolated(unsafe) weak let observer = self
    let isIsolated = isolation != nil
    let delivery = ObserverDelivery(to: isolation) {
      guard let observer else { return }
      if isIsolated {
        observer.catchUp()
      } else {
        // Only tells who observes; the fetch waits until somebody reads, in whatever isolation that is.
        observer.registrar.withMutation(of: observer, keyPath: \.results) {}
      }
    }
    subscriptions = modelContext.core.stores.map { [news] store in
      store.commits.subscribe { commit in
        if news.note(commit) { delivery.announce() }
      }
    }
  }

  // MARK: - Fetching

  /// Fetches again when something was committed since the last time.
  private func catchUp() {
    guard news.take() else { return }
    refetch()
  }

  /// Fetches again and tells who observes when the answer is another one.
  func refetch() {
    do {
      let newer = try FetchedResults(
        descriptor, sectioning, isEager: isEager, modelContext, after: fetched)
      let isSame = newer.isSame(as: fetched)
      failure = nil
      guard !isSame else { return }
      registrar.withMutation(of: self, keyPath: \.results) {
        registrar.withMutation(of: self, keyPath: \.sections) { fetched = newer }
      }
    } catch {
      registrar.withMutation(of: self, keyPath: \.fetchError) { failure = error }
      StandardError.write("ResultsObserver<\(Element.self)> keeps its results: \(error)")
    }
  }

  private func change(_ change: (inout FetchDescriptor<Element>) -> Void) {
    change(&descriptor)
    news.set(interest: QueriedEntities.names(of: descriptor, in: modelContext.core))
    refetch()
  }

  // MARK: - What is fetched

  /// What is fetched, with the order as it was given.
  public final var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return descriptor
  }

  /// Which models; nil means all. Setting it fetches at once; when that fails the results stay, and ``fetchError``
  /// says why.
  public final var filterBy: Predicate<Element>? {
    get {
      registrar.access(self, keyPath: \.filterBy)
      return descriptor.predicate
    }
    set {
      registrar.withMutation(of: self, keyPath: \.filterBy) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
          change { $0.predicate = newValue }
        }
      }
    }
  }

  /// The order, in each section if there are any. Setting it fetches at once, as for ``filterBy``.
  public final var sortBy: [SortDescriptor<Element>] {
    get {
      registrar.access(self, keyPath: \.sortBy)
      return descriptor.sortBy
    }
    set {
      registrar.withMutation(of: self, keyPath: \.sortBy) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
          change { $0.sortBy = newValue }
        }
      }
    }
  }

  /// What the section titles are; nil without sections.
  public final var sectionBy: PartialKeyPath<Element>? { sectioning?.keyPath }

  // MARK: - Results

  /// The models in order. What is assigned stays until the next fetch.
  public final var results: FetchResultsCollection<Element> {
    get {
      registrar.access(self, keyPath: \.results)
      catchUpIfAlone()
      return fetched.results
    }
    set {
      registrar.withMutation(of: self, keyPath: \.results) { fetched.results = newValue }
    }
  }

  /// The models in sections; nil when there are none to make. What is assigned stays until the next fetch.
  public final var sections: SectionedResults<Element, SectionTitle>? {
    get {
      registrar.access(self, keyPath: \.sections)
      catchUpIfAlone()
      return fetched.sections
    }
    set {
      registrar.withMutation(of: self, keyPath: \.sections) { fetched.sections = newValue }
    }
  }

  /// Why the last fetch failed; nil when it didn't. An addition to Apple's interface.
  public final var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.fetchError)
    return failure
  }

  /// Without isolation nobody fetches but the reader.
  private func catchUpIfAlone() {
    guard news.take() else { return }
    do {
      fetched = try FetchedResults(
        descriptor, sectioning, isEager: isEager, modelContext, after: fetched)
      failure = nil
    } catch {
      failure = error
      StandardError.write("ResultsObserver<\(Element.self)> keeps its results: \(error)")
    }
  }

  /// The model at a place: section and item, or item alone; nil where there is none.
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

  /// The place of a model, section and item; without sections the section is 0. nil when it isn't among the results.
  public final func indexPath(for element: Element) -> IndexPath? {
    guard let sections else {
      let identifier = element.persistentModelID
      _ = results.count
      return fetched.identifiers.firstIndex(of: identifier).map { IndexPath(indexes: [0, $0]) }
    }
    for (section, elements) in sections.enumerated() {
      if let item = elements.firstIndex(of: element) { return IndexPath(indexes: [section, item]) }
    }
    return nil
  }

  public var debugDescription: String {
    let sections = fetched.sections.map { ", sections: \($0.count)" } ?? ""
    return "ResultsObserver<\(Element.self)>(results: \(fetched.results.count)\(sections))"
  }
}
