import Foundation
import SwiftDataSync
import SyncSimulation
import TestSupport
import Testing

/// `OPENSWIFTDATA_TEST_SYNC_SEEDS=10000` sets the number of seeds, `OPENSWIFTDATA_TEST_SYNC_SEED=17` replays one.
/// `OPENSWIFTDATA_TEST_SYNC_FIRST_SEED=5001` sets the first seed, so that several processes can share the work.
@Suite struct SimulationTests {
  private func number(_ variable: String) -> UInt64? { TestEnvironment.number(variable) }

  @Test func replicasConvergeAndLoseNothing() throws {
    if let seed = number("OPENSWIFTDATA_TEST_SYNC_SEED") {
      return try Simulation(seed: seed).run()
    }
    let count = number("OPENSWIFTDATA_TEST_SYNC_SEEDS") ?? TestEnvironment.rounds(200)
    let first = number("OPENSWIFTDATA_TEST_SYNC_FIRST_SEED") ?? 1
    var happened: [String: Int] = [:]
    for seed in first..<first + max(1, count) {
      let simulation = try Simulation(seed: seed)
      try simulation.run()
      happened.merge(simulation.happened, uniquingKeysWith: +)
    }
    let figures = happened.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("simulation: \(max(1, count)) seeds from \(first): \(figures.joined(separator: ", "))")
  }

  /// The server's store is replaced by an earlier copy once: all objects are there in the end, on all sides the same.
  /// `OPENSWIFTDATA_TEST_SYNC_RESTORED_SEED=17` replays one seed.
  @Test func replicasRestoreServersThatAreReplacedByCopies() throws {
    if let seed = number("OPENSWIFTDATA_TEST_SYNC_RESTORED_SEED") {
      return try Simulation(seed: seed, restoresServer: true).run()
    }
    let count = number("OPENSWIFTDATA_TEST_SYNC_SEEDS") ?? TestEnvironment.rounds(60)
    let first = number("OPENSWIFTDATA_TEST_SYNC_FIRST_SEED") ?? 1
    var restored = 0
    for seed in first..<first + max(1, count) {
      let simulation = try Simulation(seed: seed, restoresServer: true)
      try simulation.run()
      restored += simulation.happened["objects restored"] ?? 0
    }
    #expect(restored > 0)
    print("simulation of restored servers: \(max(1, count)) seeds, \(restored) objects restored")
  }

  /// The same over SQLite; `OPENSWIFTDATA_TEST_SYNC_STORE_SEED=17` replays one seed.
  @Test func storesOfModelsConvergeAndLoseNothing() throws {
    if let seed = number("OPENSWIFTDATA_TEST_SYNC_STORE_SEED") {
      return try Simulation(seed: seed) { try ModelReplicaStore($0) }.run()
    }
    let count = number("OPENSWIFTDATA_TEST_SYNC_STORE_SEEDS") ?? TestEnvironment.rounds(3)
    var newObjects = 0
    for seed in 1...max(1, count) {
      let simulation = try Simulation(seed: seed) { try ModelReplicaStore($0) }
      try simulation.run()
      newObjects += simulation.happened["newcomers"] ?? 0
    }
    #expect(newObjects > 0)
    print("simulation over SQLite: \(max(1, count)) seeds, \(newObjects) objects written as rows")
  }

  /// Runs a seed alone, after another one, and over SQLite.
  @Test(arguments: [false, true]) func aSeedReplays(hasStores: Bool) throws {
    func fingerprint(_ seed: UInt64) throws -> UInt64 {
      let simulation =
        try hasStores
        ? Simulation(seed: seed) { try ModelReplicaStore($0) } : Simulation(seed: seed)
      try simulation.run()
      return simulation.fingerprint
    }
    let first = try fingerprint(7)
    #expect(try fingerprint(8) != first)
    #expect(try fingerprint(7) == first)
  }
}
