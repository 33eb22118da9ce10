import Foundation
import SwiftDataSync

/// A client of a simulation: its engine goes with every kill, its store stays.
final class SimulatedReplica {
  let index: Int
  let store: any ReplicaStore
  private let skew: Double
  private unowned let simulation: Simulation
  private var ledger: SyncLedger?
  private var machine: SyncMachine?
  /// Answers to what an earlier process asked for are nobody's.
  private var incarnation = 0
  private var request = 0
  private var isConnected = true
  private var isAtRest = false
  private var number: Int64 = 0
  /// The last value of the property that only this replica writes, by object.
  private(set) var ownValues: [SyncObjectID: Int64] = [:]
  /// The same of sights whose rows have never been taken away here.
  private(set) var ownSights: [SyncObjectID: SyncValue] = [:]
  private var removedSights: Set<SyncObjectID> = []
  private var ownPairs: [(SyncObjectID, SyncObjectID)] = []
  /// What was made here and is never deleted.
  private(set) var keptObjects: Set<SyncObjectID> = []

  init(_ index: Int, skew: Double, _ store: any ReplicaStore, _ simulation: Simulation) {
    self.index = index
    self.skew = skew
    self.simulation = simulation
    self.store = store
    if abs(skew) > 3_600 { simulation.note("clocks wrong") }
    store.onCommit = { [unowned self] isDone, writes in try committed(isDone, writes) }
  }

  /// What the user's clock says: wrong by up to a day.
  private var clock: Date {
    let seconds = Double(simulation.now.components.seconds)
    return Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds + skew)
  }

  var isQuiet: Bool { isAtRest && !(ledger?.hasPending ?? true) }
  var summary: String { "\((try? store.storage.position()) ?? -1)/\(ledger?.pendingCount ?? -1) " }

  // MARK: Life

  func start() throws {
    incarnation += 1
    let ledger = try SyncLedger(store.storage, simulation.schema, client: "replica \(index)")
    self.ledger = ledger
    var timing = SyncTiming()
    timing.pullInterval = .seconds(15)
    timing.maximumDelay = .seconds(30)
    timing.maximumBatch = 8
    machine = SyncMachine(timing, inFlight: ledger.sendable)
    try tell(.timer)
  }

  func kill() {
    guard machine != nil else { return }
    simulation.note("replicas killed")
    incarnation += 1
    ledger = nil
    machine = nil
    let delay = Int.random(in: 1...20_000, using: &simulation.random)
    simulation.after(.milliseconds(delay)) { if self.machine == nil { try self.start() } }
  }

  func setConnected(_ connected: Bool) throws {
    isConnected = connected
    if !connected { simulation.note("cut off") }
    // Not every system tells when the network comes and goes.
    if simulation.random.chance(0.5) {
      try tell(.connectivity(connected))
    } else if connected {
      try tell(.connectivity(true))
    }
  }

  /// The troubles are over: what the server refused is mended.
  func calm() throws {
    if machine == nil { try start() }
    try setConnected(true)
    for (object, values) in store.objects where values["bad"] == .boolean(true) {
      var mended = values
      mended["bad"] = .null
      store.save([object: mended])
    }
    try ledger?.retryParked()
    try tell(.resume)
  }

  func askForNews() throws {
    for (object, parking) in try store.storage.parked().sorted(by: { $0.key < $1.key }) {
      mend(object, parking)
    }
    try ledger?.retryParked()
    try tell(.pullRequested)
  }

  /// Gives a badge back that somebody else has, and visits to a place that is to go; brings a place back that can't.
  private func mend(_ object: SyncObjectID, _ parking: SyncParking) {
    switch parking.reason {
    case .rejected(let rejection) where rejection.code == "duplicate":
      guard var values = store.objects[object] else { return }
      values["badge"] = .null
      store.save([object: values])
    case .rejected(let rejection) where rejection.code == "denied":
      if store.objects[object] == nil { store.save([object: new([:], object.entity)]) }
    case .denied(let visit):
      guard var values = store.objects[visit] else { return }
      values["place"] = .null
      store.save([visit: values])
    default: return
    }
  }

  private func committed(_ isDone: Bool, _ writes: SyncWrites) throws {
    if isDone {
      for _ in writes.resolutions { simulation.note("conflicts") }
      try simulation.checkPairs(store.objects, "replica \(index)")
      try simulation.checkBadges(store.objects, "replica \(index)")
    } else {
      for object in writes.arrivals?.objects ?? [] {
        simulation.note("newcomers")
        if store.objects[object] != nil {
          throw simulation.violation("replica \(index): \(object) is taken for new")
        }
      }
      for (object, values) in writes.values {
        try checkSight(object, values)
        try checkUnsent(object, values, writes)
      }
    }
    if simulation.isRough, simulation.random.chance(0.01) { throw Killed() }
  }

  /// What the user said of a row that comes from elsewhere, and nobody else can have said, is never overwritten.
  private func checkSight(_ object: SyncObjectID, _ values: SyncValues?) throws {
    guard let own = ownSights[object], store.sights[object]?["own\(index)"] == own else { return }
    guard values?["own\(index)"] ?? .null == own else {
      throw simulation.violation(
        "replica \(index): \(own) of \(object) is overwritten by \(values ?? [:])")
    }
  }

  /// What the user wrote and the server doesn't have is never overwritten, but by a decision that is written down.
  private func checkUnsent(
    _ object: SyncObjectID, _ values: SyncValues?, _ writes: SyncWrites
  ) throws {
    guard let here = store.objects[object], let values else { return }
    let base = store.base(of: object)
    let own = here["own\(index)"] ?? .null
    // Brought back by somebody who knew an older state, and with nothing to be sent here.
    let isBroughtBack = simulation.deleted.contains(object) && base?["own\(index)"] == own
    guard own == .null || values["own\(index)"] == own || isBroughtBack else {
      throw simulation.violation(
        "replica \(index): \(own) of \(object) is overwritten by \(values), upon \(base ?? [:])")
    }
    // Anybody writes this one: an edit that wasn't sent gives way to a policy only. One that was sent is the server's.
    guard here["shared"] != base?["shared"], here["shared"] != values["shared"],
      try !storedInFlight().contains(object)
    else { return }
    guard writes.resolutions.contains(where: { $0.conflict.object == object }) else {
      throw simulation.violation(
        "replica \(index): \(here) of \(object) is overwritten by \(values) without a decision, upon"
          + " \(base ?? [:])")
    }
  }

  private func storedInFlight() throws -> Set<SyncObjectID> {
    Set(try store.storage.inFlight().map(\.change.object))
  }

  // MARK: The user

  func edit() throws {
    number += 1
    simulation.note("edits")
    if simulation.random.chance(0.3) {
      editSight()
      return try edited()
    }
    let key = "\(index)-\(number)"
    let roll = Int.random(in: 0..<100, using: &simulation.random)
    let places = store.objects.keys.filter { $0.entity == "Place" }.sorted()
    switch roll {
    case 0..<20:
      // A pair is one save, of a parent and its child, or of two that know nothing of each other.
      let entity = simulation.random.chance(0.5) ? "Place" : "Note"
      let (first, visit) = (SyncObjectID(entity, "p" + key), SyncObjectID("Visit", "p" + key))
      ownPairs.append((first, visit))
      keptObjects.formUnion([first, visit])
      let parent: SyncValue = entity == "Place" ? .text(first.key) : .null
      store.save([
        first: new(["pair": .text(key), "generation": .integer(0)], entity),
        visit: new(
          ["pair": .text(key), "generation": .integer(0), "place": parent], "Visit"),
      ])
    case 20..<35:
      guard let (place, visit) = ownPairs.randomElement(using: &simulation.random),
        var one = store.objects[place], var other = store.objects[visit]
      else { return }
      one["generation"] = .integer(number)
      other["generation"] = .integer(number)
      store.save([place: one, visit: other])
    case 35..<50:
      let object = SyncObjectID(simulation.random.chance(0.5) ? "Place" : "Note", key)
      var values = new([:], object.entity)
      if simulation.random.chance(0.2) { values["bad"] = .boolean(true) }
      store.save([object: values])
    case 50..<60:
      guard let place = places.randomElement(using: &simulation.random) else { return }
      let visit = SyncObjectID("Visit", key)
      store.save([visit: new(["place": .text(place.key)], "Visit")])
    case 60..<80: try change()
    case 80..<92: try relate()
    default: try delete()
    }
    try edited()
  }

  private func edited() throws {
    // Not every engine hears of every edit, and marks are for those that do.
    if simulation.random.chance(0.5) {
      do { try ledger?.markEdits() } catch is Killed { return kill() }
    }
    try tell(.edited)
  }

  /// An import brings a row or takes one away, or the user says something of one.
  private func editSight() {
    let object = SyncObjectID("Sight", "\(Int.random(in: 0..<5, using: &simulation.random))")
    guard var values = store.sights[object] else {
      return store.setSight(object, isThere: true)
    }
    switch Int.random(in: 0..<10, using: &simulation.random) {
    case 0, 1:
      // An edit that the engine hasn't seen goes with the row.
      ownSights[object] = nil
      removedSights.insert(object)
      return store.setSight(object, isThere: false)
    case 2, 3: values["shared"] = .text("\(index) \(number)")
    case 4:
      values["shared"] = .null
      values["own\(index)"] = .null
      values["updated"] = .null
    default: values["own\(index)"] = .integer(number)
    }
    if values != Simulation.sightDefaults, simulation.random.chance(0.5) {
      values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    }
    if !removedSights.contains(object) { ownSights[object] = values["own\(index)"] }
    store.save([object: values])
  }

  private func new(_ given: SyncValues, _ entity: String) -> SyncValues {
    var values = Simulation.complete(given, of: entity) ?? [:]
    values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    return values
  }

  private func change() throws {
    let objects = store.objects.filter { $0.value["pair"] == .null }.keys.sorted()
    guard let object = objects.randomElement(using: &simulation.random),
      var values = store.objects[object]
    else { return }
    values["updated"] = .real(clock.timeIntervalSinceReferenceDate)
    let badge = SyncValue.text("badge \(Int.random(in: 0..<4, using: &simulation.random))")
    if object.entity == "Place", simulation.random.chance(0.5) {
      let isTaken = store.objects.values.contains { $0["badge"] == badge }
      values["badge"] = isTaken ? .null : badge
    } else if simulation.random.chance(0.5) {
      values["shared"] = .text("\(index) \(number)")
    } else {
      values["own\(index)"] = .integer(number)
      ownValues[object] = number
    }
    if values["bad"] == .boolean(true), simulation.random.chance(0.5) { values["bad"] = .null }
    store.save([object: values])
  }

  /// Adds, removes or moves an element of a list.
  private func relate() throws {
    let objects = store.objects.keys.sorted()
    // Of a pair with such an element one half may have to wait.
    let owners = objects.filter { store.objects[$0]?["pair"] == .null }
    guard let owner = owners.randomElement(using: &simulation.random),
      let (property, list) = Simulation.lists[owner.entity]?.first,
      var values = store.objects[owner],
      case .list(var elements) = values[property]
    else { return }
    let others = objects.filter { $0.entity == list.destination }
    func link(_ key: String) -> SimulatedLinks.Link {
      .init(owner: owner, property: property, element: SyncObjectID(list.destination, key))
    }
    if simulation.random.chance(0.65) {
      guard let other = others.randomElement(using: &simulation.random),
        !elements.contains(.text(other.key))
      else { return }
      elements.insert(
        .text(other.key), at: Int.random(in: 0...elements.count, using: &simulation.random))
      simulation.links.noteAdded(link(other.key))
    } else if let element = elements.randomElement(using: &simulation.random) {
      elements.removeAll { $0 == element }
      if list.isOrdered, simulation.random.chance(0.5) {
        elements.insert(element, at: 0)
      } else {
        simulation.links.noteRemoved(link(element.text ?? ""))
      }
    }
    values[property] = ListMerge.canonical(.list(elements), isOrdered: list.isOrdered)
    store.save([owner: values])
  }

  private func delete() throws {
    let objects = store.objects.filter { $0.value["pair"] == .null }.keys.sorted()
    guard let object = objects.randomElement(using: &simulation.random) else { return }
    let isVisited = store.objects.values.contains { $0["place"] == .text(object.key) }
    if object.entity == "Place", isVisited { return }
    simulation.deleted.insert(object)
    store.save([object: SyncValues?.none])
  }

  // MARK: The engine

  private func tell(_ input: SyncMachine.Input) throws {
    guard var machine, ledger != nil else { return }
    let action = machine.handle(input, now: simulation.now, using: &simulation.random)
    self.machine = machine
    do { try perform(action) } catch is Killed { kill() }
  }

  private func perform(_ action: SyncMachine.Action) throws {
    guard let ledger else { return }
    isAtRest = false
    switch action {
    case .wait(let time):
      isAtRest = !(machine?.isPushing ?? true) && !(machine?.isPulling ?? true)
      guard let time else { return }
      let born = incarnation
      simulation.after(max(.zero, time - simulation.now)) {
        if self.incarnation == born { try self.tell(.timer) }
      }
    case .prepare(let limit):
      try ledger.prepare(limit: limit, now: clock) {
        String(UInt64.random(in: 0 ... .max, using: &simulation.random), radix: 16)
      }
      try tell(.prepared(ledger.sendable))
    case .push(let ids):
      let changes = ledger.inFlight.map(\.change).filter { ids.contains($0.id) }
      let client = ledger.progress.client
      exchange({ try $0.push(changes, client: client, user: "everybody") }) { outcomes in
        try self.simulation.noteAcknowledged(changes, outcomes)
        _ = try ledger.acknowledge(outcomes, now: self.clock)
        return .settled(ledger.sendable)
      } failed: { failure in
        if failure.isUnsent {
          try ledger.withdraw(ids)
          return .unsent(ledger.sendable, failure)
        }
        if failure.kind == .offline || failure.kind == .server { ledger.noteUnanswered(ids) }
        return .pushFailed(failure)
      }
    case .park(let changes, let reason):
      try ledger.park(changes, reason, now: clock)
      try tell(.settled(ledger.sendable))
    case .pull:
      let cursor = ledger.progress.cursor
      exchange({ try $0.pull(after: cursor, user: "everybody", limit: 5) }) { page in
        _ = try ledger.apply(page, now: self.clock)
        return .pulled(hasMore: page.hasMore)
      } failed: {
        .pullFailed($0)
      }
    case .probe:
      exchange({ try $0.pull(after: nil, user: "everybody", limit: 1) }) { _ in
        .probed(true)
      } failed: { _ in
        .probed(false)
      }
    case .beginComparison:
      try ledger.beginComparison()
      try tell(.comparisonBegun)
    }
  }

  /// Sends a request through a network that loses, delays, doubles and reorders.
  private func exchange<Answer>(
    _ ask: @escaping (SyncServerLedger) throws -> Answer,
    answered: @escaping (Answer) throws -> SyncMachine.Input,
    failed: @escaping (SyncFailure) throws -> SyncMachine.Input
  ) {
    request += 1
    let mine = request
    let born = incarnation
    func isMine() -> Bool { incarnation == born && request == mine }
    // Some messages arrive when nobody waits for them any more.
    func delay() -> Duration {
      let isLate = simulation.isRough && simulation.random.chance(0.03)
      if isLate { simulation.note("late") }
      return .milliseconds(
        Int.random(in: isLate ? 10_000...60_000 : 1...3_000, using: &simulation.random))
    }
    func lost() -> Bool {
      guard simulation.isRough, simulation.random.chance(0.08) else { return false }
      simulation.note("messages lost")
      return true
    }
    let refusal = simulation.server.refusal()
    let isUnsent = !isConnected
    let copies = simulation.isRough && simulation.random.chance(0.1) ? 2 : 1
    if copies > 1 { simulation.note("doubled") }
    for _ in 0..<copies where isConnected && !lost() {
      simulation.after(delay()) {
        self.simulation.server.noteArrival(of: mine, from: (self.index, born))
        guard let answer = try self.simulation.server.answer(refusal, ask) else { return }
        guard !lost() else { return }
        self.simulation.after(delay()) {
          guard isMine(), self.isConnected else { return }
          self.request += 1
          switch answer {
          case .failure(let failure): try self.tell(try failed(failure))
          case .success(let answer):
            do { try self.tell(try answered(answer)) } catch is Killed { self.kill() }
          }
        }
      }
    }
    simulation.after(.seconds(10)) {
      guard isMine() else { return }
      self.request += 1
      do {
        try self.tell(try failed(SyncFailure(.offline, "no answer", isUnsent: isUnsent)))
      } catch is Killed { self.kill() }
    }
  }
}
