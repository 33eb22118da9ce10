import SwiftDataCore

/// The points at which a batch that inserts many models commits.
public struct BatchTransactions: Sendable, Hashable {
  /// The number of models per transaction; nil for all.
  let count: Int?

  /// All models or none. Other writers wait until the end, so the models should be at hand: for models that are
  /// produced slowly, ``every(_:)`` is better. Of an asynchronous sequence, all models are in memory before the first
  /// is written.
  public static let one = BatchTransactions(count: nil)

  /// A transaction for each `count` models. Committed models stay when a later transaction fails.
  ///
  /// - Parameter count: At least 1; a smaller value counts as 1.
  public static func every(_ count: Int) -> BatchTransactions {
    BatchTransactions(count: max(1, count))
  }
}

extension ModelContainer {
  /// Inserts models by their unique keys without a context, one at a time, in memory that doesn't grow with their
  /// number: the models that a closure returns, until it returns nil.
  ///
  /// ```swift
  /// try container.batchInsert(author: "import") {
  ///   lines.next().map(Quake.init(line:))
  /// }
  /// ```
  ///
  /// A model whose unique values are already stored updates that row, or leaves it alone when it is equal. The commit
  /// is in the history, and contexts and observers are notified of it. An addition to Apple's interface; the
  /// counterpart in Core Data is `NSBatchInsertRequest`.
  ///
  /// - Parameters:
  ///   - author: The author of the changes, for the history.
  ///   - transactions: The points at which to commit.
  ///   - progress: Called after each 1,000 models, and at the end, with the outcomes of all models so far.
  ///   - next: Returns the next model, which isn't kept; nil ends the batch.
  /// - Returns: The outcomes of the models.
  /// - Throws: The error that `next` throws; the errors of ``BatchUpsert/init(_:author:keeping:)`` and
  ///   ``BatchUpsert/upsert(_:)``; `CancellationError` when the task is cancelled. Models that weren't committed by
  ///   then are not stored. To continue after a model that is refused, use ``BatchUpsert``.
  @discardableResult
  public func batchInsert<Model: PersistentModel>(
    author: String? = nil, transactions: BatchTransactions = .one,
    progress: ((BatchUpsert<Model>.Summary) -> Void)? = nil, next: () throws -> Model?
  ) throws -> BatchUpsert<Model>.Summary {
    let insertion = BatchInsertion<Model>(self, author, transactions, progress)
    while let model = try next() { try insertion.insert(model) }
    return try insertion.finish()
  }

  /// Inserts the models of a sequence, like ``batchInsert(author:transactions:progress:next:)``.
  ///
  /// - Parameters:
  ///   - models: The models; a lazy sequence is never in memory as a whole.
  ///   - author: The author of the changes, for the history.
  ///   - transactions: The points at which to commit.
  ///   - progress: Called after each 1,000 models, and at the end.
  @discardableResult
  public func batchInsert<Model: PersistentModel>(
    _ models: some Sequence<Model>, author: String? = nil, transactions: BatchTransactions = .one,
    progress: ((BatchUpsert<Model>.Summary) -> Void)? = nil
  ) throws -> BatchUpsert<Model>.Summary {
    var iterator = models.makeIterator()
    return try batchInsert(author: author, transactions: transactions, progress: progress) {
      iterator.next()
    }
  }

  /// Inserts the models of an asynchronous sequence, like ``batchInsert(author:transactions:progress:next:)``.
  ///
  /// The models of a transaction are kept in memory until the last of them has arrived, and are then written at once:
  /// no other writer waits for the sequence.
  ///
  /// - Parameters:
  ///   - models: The models.
  ///   - author: The author of the changes, for the history.
  ///   - transactions: The points at which to commit. ``BatchTransactions/one`` keeps all models in memory.
  ///   - progress: Called after each 1,000 models, when they are written, and at the end.
  ///   - isolation: The actor on which `models` is iterated; the caller's.
  @discardableResult
  public func batchInsert<Models: AsyncSequence>(
    _ models: Models, author: String? = nil, transactions: BatchTransactions = .every(1_000),
    progress: ((BatchUpsert<Models.Element>.Summary) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> BatchUpsert<Models.Element>.Summary where Models.Element: PersistentModel {
    let insertion = BatchInsertion<Models.Element>(self, author, transactions, progress)
    // A save that waits for a transaction may block the thread on which the sequence continues.
    var arrived: [Models.Element] = []
    var iterator = models.makeAsyncIterator()
    while let model = try await iterator.next(isolation: isolation) {
      // A save of the context until the model is written would write it, too.
      model.withdrawFromContext()
      arrived.append(model)
      if arrived.count.isMultiple(of: 256) { try Task.checkCancellation() }
      guard arrived.count == transactions.count else { continue }
      for model in arrived { try insertion.insert(model) }
      arrived.removeAll(keepingCapacity: true)
    }
    for model in arrived { try insertion.insert(model) }
    return try insertion.finish()
  }
}

/// A batch in progress: begins transactions when there is something to write, and ends them when they are full. Each
/// transaction stays on one thread: another write to the store on that thread would wait for the batch, and the batch
/// for that write.
private final class BatchInsertion<Model: PersistentModel> {
  private let container: ModelContainer
  private let author: String?
  private let transactions: BatchTransactions
  private let progress: ((BatchUpsert<Model>.Summary) -> Void)?
  private var batch: (any ModelBatch<Model>)?
  /// The store of the open transaction.
  private var store: (any BatchWriting)?
  private var inBatch = 0
  private var total = 0
  /// The outcomes of the committed models.
  private var committed = BatchUpsert<Model>.Summary()

  init(
    _ container: ModelContainer, _ author: String?, _ transactions: BatchTransactions,
    _ progress: ((BatchUpsert<Model>.Summary) -> Void)?
  ) {
    self.container = container
    self.author = author
    self.transactions = transactions
    self.progress = progress
  }

  func insert(_ model: Model) throws {
    let batch = try begun()
    try batch.add(model).requireNoRefusal()
    inBatch += 1
    total += 1
    if total.isMultiple(of: 256) { try Task.checkCancellation() }
    if let progress, total.isMultiple(of: 1_000) {
      try writeBuffered()
      progress(committed + .init(batch.summary))
    }
    if inBatch == transactions.count { try commit() }
  }

  private func begun() throws -> any ModelBatch<Model> {
    if let batch { return batch }
    try Task.checkCancellation()
    let begun = try container.beginBatch(of: Model.self, author: author)
    batch = begun
    store = try container.core.entry(for: Model.self).store as? any BatchWriting
    store?.beginBatchOnThread()
    return begun
  }

  private func recordEnd() {
    store?.endBatchOnThread()
    store = nil
  }

  deinit { recordEnd() }

  private func writeBuffered() throws {
    guard let batch else { return }
    try batch.writeBuffered().requireNoRefusal()
  }

  private func commit() throws {
    try writeBuffered()
    // The observers of the commit may write.
    recordEnd()
    if let batch { committed = committed + .init(try batch.commit()) }
    batch = nil
    inBatch = 0
  }

  func finish() throws -> BatchUpsert<Model>.Summary {
    try Task.checkCancellation()
    try commit()
    progress?(committed)
    return committed
  }
}
