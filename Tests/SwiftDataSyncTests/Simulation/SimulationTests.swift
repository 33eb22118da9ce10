import Foundation
import SwiftDataSync
import Testing

/// `SYNC_SEEDS=10000` runs so many seeds, `SYNC_SEED=17` replays one.
@Suite struct SimulationTests {
  @Test func replicasConvergeAndLoseNothing() throws {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SYNC_SEED"].flatMap(UInt64.init) {
      return try Simulation(seed: seed).run()
    }
    let count = environment["SYNC_SEEDS"].flatMap(UInt64.init) ?? 200
    for seed in 1...max(1, count) { try Simulation(seed: seed).run() }
  }

  /// The same over SQLite; `SYNC_STORE_SEED=17` replays one.
  @Test func storesOfModelsConvergeAndLoseNothing() throws {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SYNC_STORE_SEED"].flatMap(UInt64.init) {
      return try Simulation(seed: seed) { try ModelReplicaStore($0) }.run()
    }
    let count = environment["SYNC_STORE_SEEDS"].flatMap(UInt64.init) ?? 3
    for seed in 1...max(1, count) {
      try Simulation(seed: seed) { try ModelReplicaStore($0) }.run()
    }
  }

  @Test func aSeedReplays() throws {
    func fingerprint() throws -> [String] {
      let simulation = try Simulation(seed: 7)
      try simulation.run()
      return ["\(simulation.steps)"] + simulation.replicas.map(\.summary)
    }
    #expect(try fingerprint() == fingerprint())
  }
}
