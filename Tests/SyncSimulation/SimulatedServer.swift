import SwiftDataSync

/// The server of a simulation: its ledger goes with every kill, its store stays.
///
/// Like the rest of a simulation it is used on one thread only.
final class SimulatedServer: @unchecked Sendable {
  let store: SimulatedServerStore
  private let schema: SyncSchema
  private var ledger: SyncServerLedger?
  weak var simulation: Simulation?
  private var number = 0
  /// The last request of each replica's each life.
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

  func reopen() throws { ledger = try SyncServerLedger(store, schema, Self.rules) }
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
        // A deletion that was denied leaves the object here; who makes it anew begins with nothing.
        guard let values, let old = store.objects[object], !simulation.deleted.contains(object)
        else { continue }
        try checkOwn(object, old, values)
      }
    }
    if simulation.isRough, simulation.random.chance(0.02) { throw Killed() }
  }

  /// Each replica's own counter only grows: nothing is lost, done twice or done in the wrong order.
  private func checkOwn(_ object: SyncObjectID, _ old: SyncValues, _ new: SyncValues) throws {
    for index in 0..<5 {
      guard let before = old["own\(index)"]?.number else { continue }
      let after = new["own\(index)"]?.number
      // What is said of a sight may be taken back.
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

  /// Which attachments have to be sent, with how many bytes of them are here.
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

  /// Somebody works on the server itself.
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

  /// - Parameter sender: The replica, and which of its lives.
  func noteArrival(of request: Int, from sender: (Int, Int)) {
    let key = [sender.0, sender.1]
    if request < arrived[key] ?? 0 { simulation?.note("overtaken") }
    arrived[key] = max(request, arrived[key] ?? 0)
  }

  /// What stands before the server turns some requests away: every copy of them, since a refusal says that nothing of
  /// the request was stored.
  func refusal() -> SyncFailure? {
    guard let simulation, simulation.isRough else { return nil }
    if simulation.random.chance(0.02) {
      return SyncFailure(.throttled(after: .seconds(20)), "patience")
    }
    return simulation.random.chance(0.01)
      ? SyncFailure(.refused, "a proxy that is confused") : nil
  }

  /// - Returns: nil from a server that is down or goes down meanwhile.
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
