import SwiftDataSync

/// The server of a simulation: its ledger goes with every kill, its store stays.
final class SimulatedServer {
  let store: SimulatedServerStore
  private let schema: SyncSchema
  private var ledger: SyncServerLedger?
  weak var simulation: Simulation?
  private var number = 0

  static let rules = SyncServerRules(validate: { _, change in
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
  func kill() { ledger = nil }
  func restart() { if ledger == nil { try? reopen() } }

  private func committed(_ isDone: Bool, _ writes: SyncServerWrites) throws {
    guard let simulation else { return }
    if isDone {
      try simulation.checkPairs(store.objects, "the server")
      try simulation.checkBadges(store.objects, "the server")
    } else {
      // Each replica's own counter only grows: nothing is done twice or in the wrong order.
      for (object, values) in writes.values {
        guard let values, let old = store.objects[object] else { continue }
        for index in 0..<5 {
          guard let before = old["own\(index)"]?.number, let after = values["own\(index)"]?.number
          else { continue }
          guard after >= before else {
            throw simulation.violation("\(object) own\(index) falls from \(before) to \(after)")
          }
        }
      }
    }
    if simulation.isRough, simulation.random.chance(0.02) { throw Killed() }
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

  /// - Returns: nil from a server that is down or goes down meanwhile.
  func answer<Answer>(
    _ body: (SyncServerLedger) throws -> Answer
  ) throws -> Result<Answer, SyncFailure>? {
    guard let ledger, let simulation else { return nil }
    if simulation.isRough, simulation.random.chance(0.03) {
      return .failure(SyncFailure(.server, "trouble"))
    }
    if simulation.isRough, simulation.random.chance(0.02) {
      return .failure(SyncFailure(.throttled(after: .seconds(20)), "patience"))
    }
    if simulation.isRough, simulation.random.chance(0.01) {
      return .failure(SyncFailure(.refused, "a proxy that is confused"))
    }
    do { return .success(try body(ledger)) } catch is Killed {
      self.ledger = nil
      simulation.after(.seconds(5)) { self.restart() }
      return nil
    } catch let failure as SyncFailure { return .failure(failure) }
  }
}
