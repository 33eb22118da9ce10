import Foundation
import Observation
import Synchronization

/// Counts the transactions of a container's stores, so that code that follows the history knows when to read it.
///
/// ```swift
/// let imports = try HistoryObserver(
///   observedModels: [Quake.self], authors: ["import"], modelContainer: container)
/// for await _ in Observations({ imports.eventCounter }) { try readHistory() }
/// ```
///
/// Transactions of other containers and processes are noticed when they are committed. In stores without a history, the
/// commits of the container are counted.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The classes whose changes count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; empty for all.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let entities: Set<String>
  private let state = Mutex(State())
  private let delivery = Mutex<ObserverDelivery?>(nil)
  private let subscriptions = Mutex<[StoreCommits.Subscription]>([])

  private struct State {
    var counter = 0
    /// The last transaction read, by store.
    var tokens: [String: any HistoryToken] = [:]
    /// Matching commits of stores without a history that haven't been counted yet.
    var unrecorded = 0
    /// Whether a history couldn't be read, so that transactions haven't been counted yet.
    var isBehind = false
  }

  /// Observes from now on, or from an earlier position.
  ///
  /// Every transaction that is committed after this call has returned counts, and none that was committed before it
  /// began, unless a token says so. One that is committed meanwhile counts once or not at all.
  ///
  /// - Parameters:
  ///   - historyTokens: The positions to begin at, by store identifier: transactions after them are counted
  ///     immediately. Stores that it doesn't contain begin now, as do all stores without it.
  ///   - observedModels: The classes whose changes count, with their subclasses; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - modelContainer: The container.
  ///   - isolation: The isolation in which ``eventCounter`` is increased; the caller's. Without isolation it is
  ///     increased on the thread that made the commit.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when transactions after a token have been deleted already, unless
  ///   they were all of authors other than `authors`, and the store's error when it can't be read.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.init(observedModels, authors, modelContainer)
    // The positions come first: without one, a commit would count the whole history as new.
    for store in modelContainer.core.capabilities {
      let identifier = store.store.identifier
      let token = historyTokens?[identifier]
      let start = try token ?? store.history?.lastHistoryToken()
      state.withLock { $0.tokens[identifier] = start }
      if token != nil, let history = store.history { try count(history, isRunning: false) }
    }
    subscribe(isolation)
    // Commits between the positions and the subscription weren't announced.
    for store in recordedHistories { try count(store) }
  }

  private init(
    _ observedModels: [any PersistentModel.Type], _ authors: Set<String>,
    _ modelContainer: ModelContainer
  ) {
    self.observedModels = observedModels
    self.authors = authors
    self.modelContainer = modelContainer
    let plans = modelContainer.core.plans
    entities = Set(
      plans.filter { plan in
        observedModels.contains { QueriedEntities.isSubclass(plan.type, of: $0) }
      }.map(\.name))
  }

  /// The number of matching transactions so far. When the history couldn't be read, reading the number reads it again,
  /// in the observer's isolation.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    if state.withLock({ $0.isBehind }) { delivery.withLock { $0 }?.announce() }
    return state.withLock { $0.counter }
  }

  // MARK: - Commits

  private func subscribe(_ isolation: (any Actor)?) {
    let delivery = ObserverDelivery(to: isolation) { [weak self] in self?.count() }
    self.delivery.withLock { $0 = delivery }
    let made = modelContainer.core.capabilities.map { store in
      let isRecorded = store.recordedHistory != nil
      return store.store.commits.subscribe { [weak self] commit in
        guard let self else { return }
        if !isRecorded {
          guard matches(commit.entities, commit.author) else { return }
          state.withLock { $0.unrecorded += 1 }
        }
        delivery.announce()
      }
    }
    subscriptions.withLock { $0 = made }
  }

  private var recordedHistories: [any StoreHistory] {
    modelContainer.core.capabilities.compactMap(\.recordedHistory)
  }

  private func matches(_ touched: Set<String>?, _ author: String?) -> Bool {
    let isObserved =
      observedModels.isEmpty || touched.map { !$0.isDisjoint(with: entities) } ?? true
    return isObserved && (authors.isEmpty || author.map(authors.contains) ?? false)
  }

  private func count() {
    let wasBehind = state.withLock { state in
      defer { state.isBehind = false }
      return state.isBehind
    }
    for store in recordedHistories {
      do { try count(store) } catch {
        state.withLock { $0.isBehind = true }
        guard !wasBehind else { continue }
        SwiftDataLog.report(
          .error, "HistoryObserver", "the history can't be read", error)
      }
    }
    let unrecorded = state.withLock { state in
      defer { state.unrecorded = 0 }
      return state.unrecorded
    }
    increase(by: unrecorded)
  }

  /// Counts the transactions of a store since the last call.
  ///
  /// - Parameter isRunning: False for a token that was passed in: the caller has to handle its expiration.
  private func count(_ store: any StoreHistory, isRunning: Bool = true) throws {
    let identifier = store.identifier
    let start = state.withLock { $0.tokens[identifier] }
    let events: [StoreHistoryEvent]
    do {
      events = try store.historyEvents(after: start, authors: authors)
    } catch SwiftDataError.historyTokenExpired where isRunning {
      // More transactions were written and deleted than could be read: only that there were some is known.
      let last = try store.lastHistoryToken()
      let isFirst = state.withLock { state in
        // Transactions counted meanwhile, on another thread or by the store itself, mustn't count again.
        guard Self.isSame(state.tokens[identifier], start) else { return false }
        state.tokens[identifier] = last
        return true
      }
      return increase(by: isFirst ? 1 : 0)
    }
    // Another thread may have counted at the same time, where there is no isolation.
    let new = state.withLock { state in
      events.count { event in
        guard Self.isLater(event.token, state.tokens[identifier]) else { return false }
        state.tokens[identifier] = event.token
        return matches(event.entities, event.author)
      }
    }
    increase(by: new)
  }

  private static func isLater(_ token: any HistoryToken, _ other: (any HistoryToken)?) -> Bool {
    func open<Token: HistoryToken>(_ token: Token) -> Bool {
      guard let other = other as? Token else { return true }
      return token > other
    }
    return open(token)
  }

  private static func isSame(
    _ token: (any HistoryToken)?, _ other: (any HistoryToken)?
  ) -> Bool {
    guard let token, let other else { return token == nil && other == nil }
    func open<Token: HistoryToken>(_ token: Token) -> Bool { token == other as? Token }
    return open(token)
  }

  private func increase(by events: Int) {
    guard events > 0 else { return }
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      state.withLock { $0.counter += events }
    }
  }
}
