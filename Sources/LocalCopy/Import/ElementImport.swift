import Foundation
import SwiftData
import SwiftDataCore

/// Imports one document into the store: scan, decode, map, upsert; then one commit.
///
/// A write transaction makes other writers wait, and a document arrives as slowly as the network
/// delivers it. So the first models are staged in memory, and the transaction begins when they
/// exceed the limit or when the document is complete: a feed of usual size is written in one short
/// transaction, and a truncated or malformed one never begins a transaction.
///
/// The import runs in the task that reads the source, on an ``ImportThread``: that task suspends
/// while the transaction is open. Nothing is visible to readers before the commit; without a
/// commit, the store is unchanged.
final class ElementImport<Element: Decodable, Store: ImportStore> {
  private let plan: ImportPlan<Element, Store.Model>
  private let map: (Element) throws -> Store.Model?
  private let steps: DocumentSteps<Element, Store.Model>?
  private let destination: Store
  private let note: (RefreshProgress) -> Void
  private let stream: ElementStream<Element>
  private var siblings: [JSONPath: Data] = [:]
  private var session: Store.Session?
  private var staged: [(model: Store.Model, index: Int)] = []
  private var stagedBytes = 0
  /// The indices of the elements whose models the store has received, but for which it hasn't
  /// reported an outcome.
  private var underWay: [Int] = []
  private var progress = RefreshProgress()
  private var notedBytes = 0
  private var untilBatchEnd: Int
  private(set) var report = RefreshReport()

  init(
    _ plan: ImportPlan<Element, Store.Model>, into store: Store,
    note: @escaping (RefreshProgress) -> Void
  ) {
    self.plan = plan
    let steps = plan.begin?()
    map = steps?.map ?? plan.map
    self.steps = steps
    destination = store
    self.note = note
    stream = ElementStream(plan.elements, plan.limits, plan.decoding)
    untilBatchEnd = plan.batchSize
  }

  deinit { session?.rollback() }

  /// The sink for the source.
  var sink: FeedSink {
    FeedSink(
      begin: { [self] expected in
        progress.bytesExpected = expected
        note(progress)
      },
      receive: { [self] piece, wireBytes in
        progress.bytesReceived = wireBytes
        try receive(piece)
        noteBytesIfDue()
      })
  }

  private func receive(_ piece: UnsafeBufferPointer<UInt8>) throws {
    var position = 0
    while let event = try stream.next(in: piece, at: &position) { try take(event, piece) }
  }

  private func take(
    _ event: ElementStream<Element>.Event, _ piece: UnsafeBufferPointer<UInt8>
  ) throws {
    switch event {
    case .element(let index, let byteCount):
      try endBatchIfDue()
      report.received += 1
      if session == nil { stagedBytes += byteCount }
      let model = try model(index) { try stream.element(in: piece) }
      if let model { try store(model, index) }
    case .oversizedElement(let index):
      try endBatchIfDue()
      report.received += 1
      report.skip(
        index, path(index),
        "The element has more than \(plan.limits.maximumElementBytes) bytes.")
    // Of several equal keys, the first that isn't too large counts.
    case .sibling(let path, let bytes): if siblings[path] == nil { siblings[path] = bytes }
    }
  }

  /// Returns the model of an element, or nil when there is none to store.
  private func model(
    _ index: Int, _ element: () throws -> Element
  ) throws -> Store.Model? {
    do {
      if let model = try call({ try map(element()) }) { return model }
      report.filtered += 1
    } catch let error as DecodingError {
      report.skip(index, path(index).appending(error.path), error.reason)
    } catch let error as CancellationError {
      throw error
    } catch {
      report.skip(index, path(index), String(describing: error))
    }
    return nil
  }

  /// Calls code of the program.
  private func call<Result>(_ code: () throws -> Result) rethrows -> Result {
    guard let session else { return try code() }
    return try session.calling(code)
  }

  private func path(_ index: Int) -> JSONPath {
    plan.elements.appending([.index(index)])
  }

  /// Stages a model, or writes it if the transaction has begun.
  private func store(_ model: Store.Model, _ index: Int) throws {
    if let session { return try upsert(model, index, session) }
    staged.append((model, index))
    if stagedBytes > plan.stagedBytes { _ = try openSession() }
  }

  private func upsert(_ model: Store.Model, _ index: Int, _ session: Store.Session) throws {
    underWay.append(index)
    do { try note(session.upsert(model)) } catch let refusal as ImportRefusal {
      underWay.removeLast()
      report.skip(index, path(index), refusal.reason)
    } catch {
      throw storeFailed("written", error)
    }
  }

  /// Counts the outcomes of the written models.
  private func note(_ outcomes: [WriteOutcome]) {
    guard !outcomes.isEmpty else { return }
    for (index, outcome) in zip(underWay, outcomes) {
      switch outcome {
      case .inserted: report.inserted += 1
      case .updated: report.updated += 1
      case .unchanged: report.unchanged += 1
      case .refused(let refusal): report.skip(index, path(index), String(describing: refusal))
      }
    }
    underWay.removeFirst(outcomes.count)
  }

  /// Begins the transaction and writes the staged models.
  private func openSession() throws -> Store.Session {
    if let session { return session }
    let begun: Store.Session
    do { begun = try destination.begin() } catch { throw storeFailed("opened", error) }
    session = begun
    for (count, entry) in staged.enumerated() {
      if count.isMultiple(of: plan.batchSize) { try Task.checkCancellation() }
      try upsert(entry.model, entry.index, begun)
    }
    staged = []
    return begun
  }

  /// Reports progress every 64 KiB, so that a slow transfer is visible.
  private func noteBytesIfDue() {
    guard progress.bytesReceived - notedBytes >= 1 << 16 else { return }
    notedBytes = progress.bytesReceived
    progress.elements = report.received
    note(progress)
  }

  private func endBatchIfDue() throws {
    untilBatchEnd -= 1
    guard untilBatchEnd <= 0 else { return }
    untilBatchEnd = plan.batchSize
    try Task.checkCancellation()
    progress.elements = report.received
    note(progress)
  }

  // MARK: Completion

  /// Handles the end of the document.
  /// - Throws: ``LocalCopyError`` when the document is incomplete, or the error of `accept`.
  func finish() throws {
    if let event = try stream.finish() {
      try take(event, UnsafeBufferPointer(start: nil, count: 0))
    }
    let session = try openSession()
    do { try note(session.finish()) } catch { throw storeFailed("written", error) }
    // Rejections by the store were recorded after the malformed elements.
    report.details.sort { $0.index < $1.index }
    let document = FeedDocument(siblings: siblings, report: report, options: plan.decoding)
    try call { try plan.accept(document) }
    if let steps {
      try write(call { try steps.conclude(document) }, session)
      try write(call { try steps.metadata(document) }, session)
    }
    progress.elements = report.received
    note(progress)
  }

  /// Writes models that don't belong to an element.
  private func write(_ models: [Store.Model], _ session: Store.Session) throws {
    var changed = 0
    func count(_ outcomes: [WriteOutcome]) throws {
      for outcome in outcomes {
        switch outcome {
        case .inserted, .updated: changed += 1
        case .unchanged: break
        case .refused(let refusal): throw refusal
        }
      }
    }
    do {
      for (number, model) in models.enumerated() {
        if number.isMultiple(of: plan.batchSize) { try Task.checkCancellation() }
        try count(session.upsert(model))
      }
      try count(session.finish())
    } catch let error as CancellationError {
      throw error
    } catch {
      throw storeFailed("written", error)
    }
    report.concluded = changed
  }

  /// Writes the values that a document reader stores with its models.
  private func write(_ metadata: [String: Data], _ session: Store.Session) throws {
    if let key = metadata.keys.first(where: { $0.hasPrefix(CopyRecord.keyPrefix) }) {
      throw LocalCopyError(
        .reservedKey,
        reason: "The document's reader has metadata for \(key), a key kept for copies' records",
        advice: "Nothing was changed; choose one without \(CopyRecord.keyPrefix) in front.")
    }
    for (key, value) in metadata {
      do {
        try session.setMetadata(value, forKey: key)
        try session.setMetadata(Data(), forKey: CopyRecords.valuePrefix + key)
      } catch {
        throw storeFailed("written", error)
      }
    }
  }

  /// Commits elements and metadata together.
  /// - Parameters:
  ///   - key: returns the key of the metadata, in the write transaction.
  ///   - former: the key under which an earlier version kept the metadata; its entry is deleted.
  ///   - metadata: returns the metadata to store, or nil to roll everything back. It is called in
  ///     the write transaction: no other writer can commit between its reads and the commit.
  func commit(
    forKey key: @autoclosure () throws -> String, insteadOf former: String? = nil,
    _ metadata: () throws -> Data?
  ) throws {
    try Task.checkCancellation()
    let session = try openSession()
    guard let data = try metadata() else {
      session.rollback()
      self.session = nil
      return
    }
    do {
      if let former { try session.setMetadata(nil, forKey: former) }
      try session.setMetadata(data, forKey: key())
      try session.commit()
      self.session = nil
    } catch {
      throw storeFailed("committed", error)
    }
  }

  private func storeFailed(_ what: String, _ cause: any Error) -> LocalCopyError {
    LocalCopyError(
      .storeFailed, reason: "The local copy could not be \(what): \(cause)",
      advice: cause is SwiftDataError
        ? "Nothing was changed; it isn't the disk: the program's models or arguments have to change."
        : "Nothing was changed; check the disk and who else writes to the store."
    ).causedBy(cause)
  }
}

extension DecodingError {
  /// The path inside the element; for a missing key, including that key.
  var path: JSONPath {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return JSONPath(codingPath: context.codingPath)
    case .keyNotFound(let key, let context):
      return JSONPath(codingPath: context.codingPath + [key])
    @unknown default: return .root
    }
  }

  /// The description of the error, as one sentence.
  var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return context.debugDescription
    case .keyNotFound: return "The member is missing."
    @unknown default: return String(describing: self)
    }
  }
}
