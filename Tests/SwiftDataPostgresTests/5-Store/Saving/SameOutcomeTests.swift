import Foundation
import PostgresTesting
import StoreTesting
import SwiftData
import TestSupport
import Testing

@testable import SwiftDataPostgres

/// Random edits, insertions and deletions of models with relationships of each rule, in a context of one store.
private struct Harbours {
  private let container: ModelContainer
  private let context: ModelContext
  private var random: SeededGenerator
  private var count = 0

  init(_ configuration: any DataStoreConfiguration, seed: UInt64) throws {
    let schema = Schema([
      Harbour.self, Boat.self, Permit.self, Berth.self, Pilot.self, Beacon.self, Flag.self,
    ])
    container = try ModelContainer(for: schema, configurations: [configuration])
    context = ModelContext(container)
    context.autosaveEnabled = false
    random = SeededGenerator(seed: seed)
  }

  /// Makes some changes and saves them; returns the changes, the outcome, and what the store has then.
  mutating func save(changes: ClosedRange<Int>) throws -> String {
    var made: [String] = []
    for _ in 0..<Int.random(in: changes, using: &random) { made += try change().map { [$0] } ?? [] }
    var outcome = "saved"
    do { try context.save() } catch {
      outcome = "refused: \((error as? StoreError).map { "\($0.code)" } ?? "\(type(of: error))")"
      context.rollback()
    }
    return "\(made.joined(separator: ", ")): \(outcome): \(try stored(ModelContext(container)))"
  }

  /// Makes a change; nil when there is no model for it.
  private mutating func change() throws -> String? {
    count += 1
    let harbour = try one(Harbour.self, \.code)
    let place = harbour?.code ?? "-"
    // Berths, which have unique references, change most often.
    switch Int.random(in: 0..<26, using: &random) {
    case 0, 1:
      let code = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
      context.insert(Harbour(code))
      return "harbour \(code)"
    case 2:
      let code = ["a", "b", "c", "e"][Int.random(in: 0..<4, using: &random)]
      harbour?.code = code
      return "\(place) is \(code)"
    case 3:
      let boat = Boat(count)
      context.insert(boat)
      boat.harbour = harbour
      return "boat \(count) in \(place)"
    case 4:
      let permit = Permit(count)
      context.insert(permit)
      permit.harbour = harbour
      return "permit \(count) in \(place)"
    case 5, 18, 19:
      let berth = Berth(count, side: Int.random(in: 0..<2, using: &random))
      context.insert(berth)
      berth.harbour = harbour
      return "berth \(count) \(berth.side) in \(place)"
    case 6:
      guard let harbour else { return nil }
      context.insert(Pilot(count, at: harbour))
      return "pilot \(count) in \(place)"
    case 7:
      let beacon = Beacon(count)
      context.insert(beacon)
      beacon.harbour = harbour
      return "beacon \(count) in \(place)"
    case 8:
      let name = ["x", "y", "z"][Int.random(in: 0..<3, using: &random)]
      context.insert(Flag(name))
      return "flag \(name)"
    case 9:
      guard let boat = try one(Boat.self, { "\($0.number)" }) else { return nil }
      boat.harbour = harbour
      return "boat \(boat.number) to \(place)"
    case 10:
      guard let permit = try one(Permit.self, { "\($0.number)" }) else { return nil }
      permit.harbour = harbour
      return "permit \(permit.number) to \(place)"
    case 11, 20, 21:
      guard let berth = try one(Berth.self, { "\($0.number)" }) else { return nil }
      berth.harbour = harbour
      return "berth \(berth.number) to \(place)"
    case 12:
      guard let pilot = try one(Pilot.self, { "\($0.number)" }), let harbour else { return nil }
      pilot.harbour = harbour
      return "pilot \(pilot.number) to \(place)"
    case 13:
      guard let beacon = try one(Beacon.self, { "\($0.number)" }) else { return nil }
      beacon.harbour = harbour
      return "beacon \(beacon.number) to \(place)"
    case 14:
      guard let boat = try one(Boat.self, { "\($0.number)" }), let flag = try one(Flag.self, \.name)
      else { return nil }
      if boat.flags.contains(where: { $0 === flag }) {
        boat.flags.removeAll { $0 === flag }
      } else {
        boat.flags.append(flag)
      }
      return "boat \(boat.number) has \(boat.flags.map(\.name).sorted())"
    case 15, 22, 23:
      guard let first = try one(Berth.self, { "\($0.number)" }),
        let second = try one(Berth.self, { "\($0.number)" })
      else { return nil }
      (first.harbour, second.harbour) = (second.harbour, first.harbour)
      return "berths \(first.number) and \(second.number) exchanged"
    case 16:
      guard let harbour else { return nil }
      harbour.berths = try all(Berth.self) { "\($0.number)" }.filter { $0.number % 2 == 0 }
      return "even berths to \(place)"
    case 17: return try delete(harbour)
    default: return try delete(Berth.self) { "\($0.number)" }
    }
  }

  private mutating func delete(_ harbour: Harbour?) throws -> String? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return try delete(Boat.self) { "\($0.number)" }
    case 1: return try delete(Permit.self) { "\($0.number)" }
    case 2: return try delete(Berth.self) { "\($0.number)" }
    case 3: return try delete(Pilot.self) { "\($0.number)" }
    case 4: return try delete(Beacon.self) { "\($0.number)" }
    case 5: return try delete(Flag.self, \.name)
    default:
      guard let harbour else { return nil }
      context.delete(harbour)
      return "no harbour \(harbour.code)"
    }
  }

  private mutating func delete<Model: PersistentModel>(
    _ type: Model.Type, _ name: (Model) -> String
  ) throws -> String? {
    guard let model = try one(type, name) else { return nil }
    context.delete(model)
    return "no \(type) \(name(model))"
  }

  /// The models of a class by name: the order of a fetch is the store's.
  private func all<Model: PersistentModel>(
    _ type: Model.Type, _ name: (Model) -> String
  ) throws -> [Model] {
    try context.fetch(FetchDescriptor<Model>()).filter { !$0.isDeleted }
      .sorted { name($0) < name($1) }
  }

  private mutating func one<Model: PersistentModel>(
    _ type: Model.Type, _ name: (Model) -> String
  ) throws -> Model? {
    try all(type, name).randomElement(using: &random)
  }

  /// The models of the store and their links, from both ends.
  private func stored(_ context: ModelContext) throws -> String {
    var texts: [String] = []
    for harbour in try context.fetch(FetchDescriptor<Harbour>()) {
      let links = [
        harbour.boats.map(\.number), harbour.permits.map(\.number), harbour.berths.map(\.number),
        harbour.pilots.map(\.number), harbour.beacon.map { [$0.number] } ?? [],
      ]
      texts.append("harbour \(harbour.code) \(links.map { $0.sorted() })")
    }
    for boat in try context.fetch(FetchDescriptor<Boat>()) {
      let flags = boat.flags.map(\.name).sorted()
      texts.append("boat \(boat.number) in \(boat.harbour?.code ?? "-") \(flags)")
    }
    for permit in try context.fetch(FetchDescriptor<Permit>()) {
      texts.append("permit \(permit.number) in \(permit.harbour?.code ?? "-")")
    }
    for berth in try context.fetch(FetchDescriptor<Berth>()) {
      texts.append("berth \(berth.number) \(berth.side) in \(berth.harbour?.code ?? "-")")
    }
    for pilot in try context.fetch(FetchDescriptor<Pilot>()) {
      texts.append("pilot \(pilot.number) in \(pilot.harbour.code)")
    }
    for beacon in try context.fetch(FetchDescriptor<Beacon>()) {
      texts.append("beacon \(beacon.number) in \(beacon.harbour?.code ?? "-")")
    }
    for flag in try context.fetch(FetchDescriptor<Flag>()) {
      texts.append("flag \(flag.name) \(flag.boats.map(\.number).sorted())")
    }
    return texts.sorted().joined(separator: ", ")
  }
}

@Suite("A save on a server", .server, .timeLimit(.minutes(20)))
struct SameOutcomeTests {
  @Test(
    "has the outcome that it has in SQLite, with relationships of each rule and unique values",
    arguments: 0..<4)
  func saves(part: Int) throws {
    let server = try PostgresServer.shared
    let seeds = 25 * TestEnvironment.times
    for seed in UInt64(part * seeds)..<UInt64((part + 1) * seeds) {
      let memory = ModelConfiguration(isStoredInMemoryOnly: true)
      var inMemory = try Harbours(memory, seed: seed)
      var onServer = try Harbours(
        PostgresConfiguration(uniqueName("outcome"), url: server.url), seed: seed)
      for number in 0..<6 {
        let changes = number == 0 ? 12...12 : 1...5
        let expected = try inMemory.save(changes: changes)
        #expect(try onServer.save(changes: changes) == expected, "seed \(seed), save \(number)")
      }
    }
  }
}
