import CFaultVFS
import Foundation
import TestSupport

/// Cuts the power, or kills the process, at a random event of each seed's run, and checks the
/// result.
struct PowerCommand {
  private let options: Options
  private let end: fault_end
  private var name: String { end == FAULT_POWER ? "power" : "kill" }

  init(_ options: Options, end: fault_end) {
    self.options = options
    self.end = end
  }

  /// The counts of a workload.
  private struct Counts {
    var seeds = 0
    /// The number of runs that the fault ended.
    var ended = 0
    /// The number of runs that were ended again during recovery.
    var again = 0
    /// The number of runs that lost acknowledged steps in a mode that allows it.
    var shorter = 0
    var lost = 0
    var corrupt = 0
    var other = 0

    private static var fields: [WritableKeyPath<Counts, Int>] {
      [\.seeds, \.ended, \.again, \.shorter, \.lost, \.corrupt, \.other]
    }

    init() {}

    init(_ line: String) {
      let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
      for (field, number) in zip(Self.fields, numbers) { self[keyPath: field] = number }
    }

    var line: String { "r " + Self.fields.map { "\(self[keyPath: $0])" }.joined(separator: " ") }
    var failures: Int { lost + corrupt + other }

    mutating func add(_ other: Counts) {
      for field in Self.fields { self[keyPath: field] += other[keyPath: field] }
    }
  }

  func run() throws -> Bool {
    var isWhole = true
    for workload in options.workloads {
      let begun = Date()
      let results = try Child.deal(options.jobs) { job, output in
        try seeds(of: workload, job: job, output)
      }
      var total = Counts()
      for result in results {
        for line in result.lines.suffix(1) where line.hasPrefix("r ") {
          total.add(Counts(line))
        }
        for failure in result.texts("f") { print("FAILED \(failure)") }
        if result.code != 0 { isWhole = false }
      }
      if total.failures > 0 || total.seeds != options.seeds.count { isWhole = false }
      let rate = Double(total.seeds) / max(0.001, Date().timeIntervalSince(begun))
      print(
        "\(name) \(workload.name)\(options.disk): \(total.seeds) seeds, \(total.ended) ended on the"
          + " way, \(total.again) again while they recovered: \(total.shorter) shorter, \(total.lost) lost, \(total.corrupt)"
          + " corrupt, \(total.other) other; \(String(format: "%.1f", rate)) seeds/s")
      // Show each result immediately.
      fflush(nil)
    }
    return isWhole
  }

  private func seeds(of workload: any Workload, job: Int, _ output: Int32) throws {
    let scene = try Scene(workload, in: options.folder)
    let place = try scene.place("count")
    let whole = try scene.run(place, seed: 1, plan(seed: 1, at: 0, FAULT_NOTHING))
    guard whole.code == 0, let events = whole.last("e"), events > 0 else {
      throw Finding("\(workload.name) without a fault: \(whole.lines.suffix(3)) \(whole.code)")
    }
    var counts = Counts()
    for seed in options.seeds where seed % options.jobs == job {
      let finding = try one(seed, scene, events, &counts)
      guard let finding else { continue }
      if finding.contains("LOST") {
        counts.lost += 1
      } else if finding.contains("CORRUPT") {
        counts.corrupt += 1
      } else {
        counts.other += 1
      }
      if counts.failures <= 5 {
        Pipe.say(
          "f fault-program \(name) --workload \(workload.name) --seed \(seed)\(options.disk):"
            + " \(finding)", to: output)
      }
    }
    if !options.keeps || counts.failures == 0 { try scene.removeAll() }
    Pipe.say(counts.line, to: output)
  }

  private func plan(seed: Int, at: Int, _ end: fault_end) -> fault_plan {
    fault_plan(
      end: end, at: Int64(at), times: 1, kind: FAULT_WRITE, error: 0,
      synchronous: options.synchronous, lies: options.lies ? 1 : 0, seed: UInt64(seed))
  }

  /// - Returns: The failure, if there is one.
  private func one(_ seed: Int, _ scene: Scene, _ events: Int, _ counts: inout Counts) throws
    -> String?
  {
    var generator = SeededGenerator(spreading: UInt64(seed) &+ 77)
    let place = try scene.place("\(seed)")
    // Some seeds finish first, and lose power then.
    let at = generator.number(1...events + events / 10)
    let result = try scene.run(place, seed: seed, plan(seed: seed, at: at, end))
    counts.seeds += 1
    let hasEnded = result.code == fault_power_code || result.code == -SIGKILL
    if hasEnded { counts.ended += 1 }
    guard hasEnded || (result.code == 0 && end == FAULT_KILL), result.texts("f").isEmpty else {
      if !options.keeps { try scene.remove(place) }
      return "\(result.texts("f")) before the fault, code \(result.code)"
    }
    let acknowledged = result.last("a") ?? 0
    // The step after the last acknowledged one may be stored, as a whole.
    let least = options.synchronous == FAULT_SYNCHRONOUS_NORMAL ? 0 : acknowledged
    let allowed = least...acknowledged + 1
    // The machine may fail again while the store recovers.
    if seed % 4 == 0 {
      counts.again += 1
      let again = plan(seed: seed + 1, at: generator.number(1...12), end)
      let ended = try scene.check(place, seed: seed, allowed: allowed, again)
      guard [0, fault_power_code, -SIGKILL].contains(ended.code) else {
        return ended.texts("f").first ?? "the first check ended with \(ended.code)"
      }
    }
    let found = try scene.check(place, seed: seed, allowed: allowed)
    if found.code == 0 || !options.keeps { try scene.remove(place) }
    if found.code == 0 {
      if found.last("s") ?? 0 < acknowledged { counts.shorter += 1 }
      return nil
    }
    return found.texts("f").first ?? "the check ended with \(found.code)"
  }
}
