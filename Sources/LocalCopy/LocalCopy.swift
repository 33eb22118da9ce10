import Foundation
import SwiftData

/// A local copy of a feed: the elements of a JSON document on a server, or in a file, as models in
/// a store of one's own.
///
/// Readers always have the whole last good copy. A refresh downloads the document, checks it,
/// decodes element by element while the bytes arrive, and writes all of it in one transaction, off
/// the main actor; one that fails, is cancelled or is killed leaves everything as it was. Memory
/// does not grow with the size of the feed.
///
/// ```swift
/// let quakes = try LocalCopy(
///   of: FeedSource("https://example.org/all_day.geojson"), elements: "features",
///   decode: Feature.self, into: container
/// ) { feature in
///   feature.magnitude > 0 ? Quake(feature) : nil
/// }
/// let report = try await quakes.refresh()
/// print("\(report.inserted) new, \(report.updated) revised")
/// ```
///
/// Models are matched by their unique attributes: repeating a refresh never duplicates, and an
/// unchanged element is not written. Readers never wait for a refresh. Other writers wait while it
/// writes, which begins when the document is complete, or when more of it has come than is held in
/// memory (``LocalCopyConfiguration/stagedBytes``).
///
/// What is remembered of the copy, when it was last good and what a later request can be made
/// conditional on, is committed with it, so that it survives a restart.
public final class LocalCopy<Element: Decodable & Sendable, Model: PersistentModel>: Sendable {
  private let copy: FeedCopy<Element, ModelStore<Model>>
  /// Where the feed comes from.
  public let source: FeedSource

  /// Describes a copy. Nothing is fetched yet.
  /// - Parameters:
  ///   - source: where the feed comes from.
  ///   - elements: the path of the array of elements in the document; ``JSONPath/root`` when the
  ///     document is that array.
  ///   - type: the type of one element.
  ///   - container: where the models are kept. The model needs a unique attribute.
  ///   - keptProperties: properties that belong to the user of the copy and not to the feed, such as
  ///     a favourite's mark: a new model has what `map` gives it, a stored one keeps its own value
  ///     through every refresh.
  ///   - configuration: policies and limits.
  ///   - map: makes a model of an element. Nil leaves the element out (`filtered` in the report);
  ///     a thrown error leaves it out and is reported as the reason (`skipped`). It is called in
  ///     the background, once for each element and attempt.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  public init(
    of source: FeedSource, elements: JSONPath, decode type: Element.Type = Element.self,
    into container: ModelContainer,
    keeping keptProperties: [any PartialKeyPath<Model> & Sendable] = [],
    configuration: LocalCopyConfiguration = LocalCopyConfiguration(),
    map: @escaping @Sendable (Element) throws -> Model?
  ) throws {
    let plan = ImportPlan<Element, Model>(
      elements: elements, limits: configuration.limits, decoding: configuration.decoding,
      stagedBytes: configuration.stagedBytes, map: map, accept: configuration.accept)
    self.source = source
    copy = try FeedCopy(
      of: source, plan: plan, into: ModelStore(container, keeping: keptProperties), configuration)
  }

  /// Describes a copy of a feed whose document says more than its elements one by one. Nothing is fetched yet.
  /// - Parameters:
  ///   - source: where the feed comes from.
  ///   - elements: the path of the array of elements in the document.
  ///   - type: the type of one element.
  ///   - container: where the models are kept. The model needs a unique attribute.
  ///   - configuration: policies and limits.
  ///   - reader: makes what reads one document. Called in the background, once for each attempt.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  public init<Reader: DocumentReader<Element, Model>>(
    of source: FeedSource, elements: JSONPath, decode type: Element.Type = Element.self,
    into container: ModelContainer,
    configuration: LocalCopyConfiguration = LocalCopyConfiguration(),
    reader: @escaping @Sendable () -> Reader
  ) throws {
    let plan = ImportPlan<Element, Model>(
      elements: elements, limits: configuration.limits, decoding: configuration.decoding,
      stagedBytes: configuration.stagedBytes, map: { _ in nil },
      begin: {
        let reader = reader()
        return DocumentSteps(map: reader.model, conclude: reader.conclude)
      }, accept: configuration.accept)
    self.source = source
    copy = try FeedCopy(of: source, plan: plan, into: ModelStore(container), configuration)
  }

  /// How good the copy is now.
  public var state: LocalCopyState { copy.state }

  /// The report of the last refresh that succeeded, also of an earlier run of the program; nil
  /// when there is none.
  public var lastReport: RefreshReport? { copy.lastReport }

  /// The state as it changes, the current one first. Each call gives a stream of its own; a slow
  /// reader misses states in between, never the last one.
  public func states() -> AsyncStream<LocalCopyState> { copy.states() }

  /// Takes over what others have made of the copy meanwhile: another process, or another
  /// `LocalCopy` of the same name over the same store. ``state`` and ``lastReport`` are theirs then.
  ///
  /// A refresh does it by itself: what another process got, and what the server said to be good
  /// for longer, isn't asked for again. Who shows the state between refreshes calls this now and
  /// then; it costs the look-up of one row.
  /// - Returns: whether there was something new.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  @discardableResult
  public func catchUp() throws -> Bool { try copy.catchUp() }

  /// Refreshes the copy. Calls at the same time are one refresh, with one report for all.
  ///
  /// A caller that is cancelled leaves at once; the refresh goes on while anybody waits for it.
  /// - Parameter force: asks the server also when it said that asking is of no use yet
  ///   (`Cache-Control: max-age`).
  /// - Returns: what was done.
  /// - Throws: ``LocalCopyError``, `CancellationError`, or what the configuration's `accept`
  ///   throws. The copy is as it was then.
  @discardableResult
  public func refresh(force: Bool = false) async throws -> RefreshReport {
    try await copy.refresh(force: force)
  }

  /// Refreshes the copy if there is none or it is older than the policy allows.
  /// - Returns: what was done; nil when nothing was necessary.
  /// - Throws: what ``refresh(force:)`` throws.
  @discardableResult
  public func refreshIfStale() async throws -> RefreshReport? {
    try await copy.refreshIfStale()
  }

  /// Refreshes the copy at once and then at each interval, until the task is cancelled.
  ///
  /// A refresh that fails is logged and shows in ``state``; the next one follows after the
  /// interval, or later if the server asks for a longer pause, up to an hour.
  /// - Parameter interval: the time between the end of a refresh and the next one.
  public func run(every interval: Duration) async { await copy.run(every: interval) }
}
