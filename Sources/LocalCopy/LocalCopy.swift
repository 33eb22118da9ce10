import Foundation
import SwiftData

/// A local copy of a feed: the elements of a JSON document on a server, or in a file, as models in the application's
/// own store.
///
/// Readers always have the complete last good copy. A refresh downloads the document, checks it, decodes element by
/// element while the bytes arrive, and writes everything in one transaction, off the main actor; a refresh that fails,
/// is cancelled or is killed leaves everything unchanged. Memory usage does not grow with the size of the feed.
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
/// Models are matched by their unique attributes: repeating a refresh never creates duplicates, and an unchanged
/// element is not written, unless its model has a set inside another value. Readers never wait for a refresh. Other
/// writers wait while it writes, on a server only refreshes of other copies; writing begins when the document is
/// complete, or when more of it has arrived than is held in memory (``LocalCopyConfiguration/stagedBytes``).
///
/// The record of the copy, with the time at which it was last good and the validators of a later conditional request,
/// is committed with it, so that it survives a restart.
public final class LocalCopy<Element: Decodable & Sendable, Model: PersistentModel>: Sendable {
  private let copy: FeedCopy<Element, ModelStore<Model>>
  /// The source of the feed.
  public let source: FeedSource

  /// Creates a copy. Nothing is fetched yet.
  /// - Parameters:
  ///   - source: the source of the feed.
  ///   - elements: the path of the array of elements in the document; ``JSONPath/root`` when the
  ///     document is that array.
  ///   - type: the type of one element.
  ///   - container: the container that stores the models. The model needs a unique attribute.
  ///   - keptProperties: properties that belong to the user of the copy and not to the feed, such as a favorite flag:
  ///     a new model has the values from `map`, a stored model keeps its own values through every refresh.
  ///   - configuration: policies and limits.
  ///   - map: creates a model from an element. Nil leaves the element out (`filtered` in the report); a thrown error
  ///     leaves it out and is reported as the reason (`skipped`). It is called in the background, once for each element
  ///     and attempt.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read, and `modelNotUnique` for a
  ///   model without a unique attribute.
  public init(
    of source: FeedSource, elements: JSONPath, decode type: Element.Type = Element.self,
    into container: ModelContainer,
    keeping keptProperties: [any PartialKeyPath<Model> & Sendable] = [],
    configuration: LocalCopyConfiguration = LocalCopyConfiguration(),
    map: @escaping @Sendable (Element) throws -> Model?
  ) throws {
    try ModelStore<Model>.requireUnique(in: container)
    let plan = ImportPlan<Element, Model>(
      elements: elements, limits: configuration.limits, decoding: configuration.decoding,
      stagedBytes: configuration.stagedBytes, map: map, accept: configuration.accept)
    self.source = source
    copy = try FeedCopy(
      of: source, plan: plan, into: ModelStore(container, keeping: keptProperties),
      configuration.naming(Model.self))
  }

  /// Creates a copy of a feed whose document carries more information than its elements. Nothing is fetched yet.
  /// - Parameters:
  ///   - source: the source of the feed.
  ///   - elements: the path of the array of elements in the document.
  ///   - type: the type of one element.
  ///   - container: the container that stores the models. The model needs a unique attribute.
  ///   - configuration: policies and limits.
  ///   - reader: creates the reader of one document. Called in the background, once for each attempt.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read, and `modelNotUnique` for a
  ///   model without a unique attribute.
  public init<Reader: DocumentReader<Element, Model>>(
    of source: FeedSource, elements: JSONPath, decode type: Element.Type = Element.self,
    into container: ModelContainer,
    configuration: LocalCopyConfiguration = LocalCopyConfiguration(),
    reader: @escaping @Sendable () -> Reader
  ) throws {
    try ModelStore<Model>.requireUnique(in: container)
    let plan = ImportPlan<Element, Model>(
      elements: elements, limits: configuration.limits, decoding: configuration.decoding,
      stagedBytes: configuration.stagedBytes, map: { _ in nil },
      begin: {
        let reader = reader()
        return DocumentSteps(
          map: reader.model, conclude: reader.conclude, metadata: reader.metadata)
      }, accept: configuration.accept)
    self.source = source
    copy = try FeedCopy(
      of: source, plan: plan, into: ModelStore(container),
      configuration.naming(Model.self))
  }

  /// The current freshness of the copy.
  public var state: LocalCopyState { copy.state }

  /// The report of the last successful refresh, which may be from an earlier run of the program; nil when there is
  /// none.
  public var lastReport: RefreshReport? { copy.lastReport }

  /// Returns the states as they change, the current one first. Each call returns a separate stream; a slow reader
  /// misses states in between, never the last one.
  public func states() -> AsyncStream<LocalCopyState> { copy.states() }

  /// Adopts changes that another process, or another `LocalCopy` of the same name over the same store, has made to the
  /// copy. ``state`` and ``lastReport`` then reflect its refresh.
  ///
  /// A refresh does this automatically: data that another process has fetched and that is still fresh according to the
  /// server isn't requested again. A program that shows the state between refreshes calls this from time to time; a
  /// call costs the lookup of one row or two.
  /// - Returns: whether anything changed.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  @discardableResult
  public func catchUp() throws -> Bool { try copy.catchUp() }

  /// Refreshes the copy. Concurrent calls share one refresh and its report.
  ///
  /// A cancelled caller leaves immediately; the refresh continues while any caller waits for it, and when it is already
  /// being committed: the copy's state and report tell of it then.
  /// - Parameter force: whether to send a request even if the copy is still fresh according to the server
  ///   (`Cache-Control: max-age`).
  /// - Returns: the report of the refresh.
  /// - Throws: ``LocalCopyError``, `CancellationError`, or the error of the configuration's `accept` or of the document
  ///   reader. In these cases, the copy is unchanged, unless it was being committed at the moment of the cancellation.
  @discardableResult
  public func refresh(force: Bool = false) async throws -> RefreshReport {
    try await copy.refresh(force: force)
  }

  /// Refreshes the copy if it is missing or stale.
  /// - Returns: the report of the refresh; nil when none was necessary.
  /// - Throws: the errors of ``refresh(force:)``.
  @discardableResult
  public func refreshIfStale() async throws -> RefreshReport? {
    try await copy.refreshIfStale()
  }

  /// Refreshes the copy immediately and then after each interval, until the task is cancelled.
  ///
  /// A failed refresh is logged and reflected in ``state``; the next refresh follows after the interval, or later if
  /// the server asks for a longer pause, up to an hour.
  /// - Parameter interval: the time between the end of a refresh and the start of the next.
  public func run(every interval: Duration) async { await copy.run(every: interval) }
}
