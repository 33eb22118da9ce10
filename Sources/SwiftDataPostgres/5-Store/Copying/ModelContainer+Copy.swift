import Foundation
import SwiftDataCore

/// The state of a copy of a store: ``ModelContainer/copy(to:progress:)``.
public struct StoreCopyProgress: Hashable, Sendable {
  /// The class whose models are being copied.
  public let entity: String
  /// The number of its models that are copied.
  public let copied: Int
  /// The number of its models.
  public let total: Int
}

/// The result of a copy of a store.
public struct StoreCopyReport: Hashable, Sendable {
  /// The number of models of each class, without its subclasses.
  public let models: [String: Int]
  /// The number of values under keys.
  public let valueCount: Int
}

extension ModelContainer {
  /// Copies all models of the container's store into a new store on a server, with their identities within the store,
  /// relationships and orders, and the values under keys, such as the records of imports. The history, its consumers
  /// and the tables of sync aren't copied. An addition to Apple's interface.
  ///
  /// Each batch of models is committed with a record of the progress, so a copy that was interrupted continues when it
  /// is started again. Until it is complete, the new store can't be opened. At the end the numbers and checksums of all
  /// models in both stores are compared. Nobody may write to the container's store meanwhile.
  ///
  /// - Parameters:
  ///   - configuration: The new store, without models. Values that are encrypted here get its key.
  ///   - progress: Called after each batch; an error that it throws interrupts the copy.
  /// - Returns: The numbers of copied models and values.
  /// - Throws: ``StoreError``: `cannotOpen` when the new store has models or an unfinished copy of another store,
  ///   `unsupportedValue` for a value that PostgreSQL can't hold, `busy` when the container's store was changed
  ///   meanwhile, `damaged` when the copy differs; and the errors of both stores. `CancellationError` when the task is
  ///   cancelled.
  @discardableResult
  public func copy(
    to configuration: PostgresConfiguration,
    progress: ((StoreCopyProgress) throws -> Void)? = nil
  ) throws -> StoreCopyReport {
    let sources = core.stores.compactMap { $0 as? any KeyedRowStore }
    guard let source = sources.first, core.stores.count == 1 else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "A container with one store is copied, of the kind that the framework brings. Make a"
          + " container for each store.")
    }
    try configuration.validate()
    var configuration = configuration
    configuration.schema = schema
    configuration.allowsSave = true
    configuration.isCopyTarget = true
    // One writes, the other one reads for the comparison.
    configuration.maximumConnectionCount = max(2, configuration.maximumConnectionCount)
    return try StoreCopy(from: source, to: PostgresStore(configuration), progress).run()
  }
}
