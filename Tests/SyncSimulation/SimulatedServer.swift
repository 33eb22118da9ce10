import SwiftDataSync

/// The server of a simulation: its ledger is lost with every kill, its store stays.
///
/// Like everything in a simulation it is used on one thread only.
final class SimulatedServer: @unchecked Sendable {
  let store: SimulatedServerStore
  private let schema: SyncSchema
  private var ledger: SyncServerLedger?
  weak var simulation: Simulation?
  private var number = 0
  /// The last request of each life of each replica.
  private var arrived: [[Int]: Int] = [:]

  static let rules = SyncServerRules(
    scope: { _, _ in nil },
    validate: { _, change in
      change.values?["bad"] == .boolean(true)
        ? SyncRejection(code: "invalid", message: "It is bad") : nil
    })

  init(_ schema: SyncSchema) throws {
    self.schema = schema
    store = SimulatedServerStore()
    try reopen()
    store.onCommit = { [unowned self] isDone, writes in try committed(isDone, writes) }
  }

  /// The number of times that the store was opened.
  private var openings: Int64 = 0

  func reopen() throws {
    openings += 1
    let first = openings * 1_000_000
    ledger = try SyncServerLedger(store, schema, Self.rules) { _ in first }
  }

  /// Replaces the store by an earlier copy, and loses what was received and isn't stored yet.
  func restore(_ contents: SimulatedServerStore.Contents) {
    simulation?.note("server restored")
    ledger = nil
    store.contents = contents
  }
  func kill() {
    simulation?.note("server killed")
    ledger = nil
  }
  func restart() { if ledger == nil { try? reopen() } }

  private func committed(_ isDone: Bool, _ writes: SyncServerWrites) throws {
    guard let simulation else { return }
    if isDone {
      try simulation.checkPairs(store.objects, "the server")
      try simulation.checkBadges(store.objects, "the server")
    } else {
      for (object, values) in writes.values {
        // A denied deletion leaves the object here; a replica that creates it again starts without values.
        guard let values, let old = store.objects[object], !simulation.deleted.contains(object)
        else { continue }
        try checkOwn(object, old, values)
      }
    }
    if simulation.isRough, simulation.random.chance(0.02) { throw Killed() }
  }

  /// Checks that each replica's own counter only grows: no edit is lost, repeated or applied in the wrong order.
  private func checkOwn(_ object: SyncObjectID, _ old: SyncValues, _ new: SyncValues) throws {
    if simulation?.disputed.contains(object) ?? false { return }
    for index in 0..<5 {
      guard let before = old["own\(index)"]?.number else { continue }
      let after = new["own\(index)"]?.number
      // Annotations of a sight may be removed.
      if after == nil, object.entity == "Sight" { continue }
      guard after ?? -1 >= before else {
        throw simulation?.violation(
          "\(object) own\(index) falls from \(before) to \(after.map { "\($0)" } ?? "none")")
          ?? Killed()
      }
    }
  }

  // MARK: Requests

  private func opened() throws -> SyncServerLedger {
    guard let ledger else { throw Killed() }
    return ledger
  }

  func push(_ changes: [SyncChange], client: String) throws -> [String: SyncOutcome] {
    guard store.receives(changes, client: client) else { return [:] }
    let outcomes = try opened().push(changes, client: client, user: "everybody")
    store.release(changes, outcomes)
    return outcomes
  }

  func pull(after cursor: String?, limit: Int) throws -> SyncPage {
    try opened().pull(after: cursor, user: "everybody", limit: limit)
  }

  /// Returns the attachments that have to be sent, with the number of bytes received so far.
  func missing(_ references: [SyncAttachmentReference]) -> [SyncAttachment: Int] {
    var missing: [SyncAttachment: Int] = [:]
    for reference in references where !store.isStored(reference) {
      let offset = store.sent.offset(of: reference.attachment)
      if offset < reference.attachment.byteCount { missing[reference.attachment] = offset }
    }
    return missing
  }

  func upload(_ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int) -> Int {
    simulation?.note("portions sent")
    return store.sent.append(bytes, to: attachment, at: offset)
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int
  ) -> [UInt8]? {
    simulation?.note("portions fetched")
    guard store.isStored(reference) else { return nil }
    return store.photos[reference.object].map { Array($0.dropFirst(offset).prefix(length)) }
  }

  /// Makes an edit on the server itself.
  func edit() {
    guard let simulation else { return }
    let candidates = store.objects.filter { $0.value["pair"] == .null }.keys.sorted()
    guard let object = candidates.randomElement(using: &simulation.random),
      var values = store.objects[object]
    else { return }
    number += 1
    values["shared"] = .text("server \(number)")
    store.save([object: values])
  }

  /// - Parameter sender: The index of the replica, and the number of its life.
  func noteArrival(of request: Int, from sender: (Int, Int)) {
    let key = [sender.0, sender.1]
    if request < arrived[key] ?? 0 { simulation?.note("overtaken") }
    arrived[key] = max(request, arrived[key] ?? 0)
  }

  /// Simulates a proxy that refuses some requests: every copy of a request, since a refusal means that nothing of the
  /// request was stored.
  func refusal() -> SyncFailure? {
    guard let simulation, simulation.isRough else { return nil }
    if simulation.random.chance(0.02) {
      return SyncFailure(.throttled(after: .seconds(20)), "patience")
    }
    return simulation.random.chance(0.01)
      ? SyncFailure(.refused, "a proxy that is confused") : nil
  }

  /// - Returns: The answer; nil when the server is down or is killed meanwhile.
  func answer<Answer>(
    _ refusal: SyncFailure?, _ body: (SimulatedServer) throws -> Answer
  ) throws -> Result<Answer, SyncFailure>? {
    guard ledger != nil, let simulation else { return nil }
    if simulation.isRough, simulation.random.chance(0.03) {
      return .failure(SyncFailure(.server, "trouble"))
    }
    if let refusal { return .failure(refusal) }
    do { return .success(try body(self)) } catch is Killed {
      self.ledger = nil
      simulation.after(.seconds(5)) { self.restart() }
      return nil
    } catch let failure as SyncFailure { return .failure(failure) }
  }
}
