import Foundation
import SyncSimulation

/// Runs simulations of sync. All devices, their edits, the server, the network and the kills are derived from a seed.
struct SimulateCommand {
  /// The number of failures after which a process stops.
  private static let maximumFailures = 10

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() throws -> Bool {
    let begun = Date()
    let results = try Child.deal(min(options.jobs, options.seeds.count)) { job, output in
      var next = options.seeds.lowerBound + job
      var failures = 0
      while next <= options.seeds.upperBound, failures < Self.maximumFailures {
        // Each seed has a time limit; a process that traps or hangs is replaced by another one.
        let result = try Child.run { try take(from: next, $0) }
        let last = result.texts("s").last.flatMap { Int($0) }
        for line in result.lines where !line.hasPrefix("s ") {
          // The message about a process that hangs doesn't name the seed.
          let isUnnamed = line.hasPrefix("f ") && !line.hasPrefix("f seed ")
          Pipe.say(isUnnamed ? "f seed \(last ?? next): \(line.dropFirst(2))" : line, to: output)
        }
        guard let last else { break }
        failures += result.texts("f").count
        if result.code != 0, result.texts("f").isEmpty {
          failures += 1
          Pipe.say("f seed \(last): ended with \(result.code)", to: output)
        }
        next = last + options.jobs
      }
    }
    return report(results, Date().timeIntervalSince(begun))
  }

  private func take(from first: Int, _ output: Int32) throws {
    var happened: [String: Int] = [:]
    var fingerprints: UInt64 = 0
    var count = 0
    var next = first
    defer {
      happened["seeds"] = count
      let figures = happened.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      Pipe.say("p \(fingerprints)", to: output)
      Pipe.say("r \(figures.joined(separator: ", "))", to: output)
    }
    while next <= options.seeds.upperBound {
      Pipe.say("s \(next)", to: output)
      do {
        let simulation =
          try options.hasStores
          ? Simulation(seed: UInt64(next)) { try ModelReplicaStore($0) }
          : Simulation(seed: UInt64(next))
        try simulation.run()
        fingerprints &+= simulation.fingerprint
        happened.merge(simulation.happened, uniquingKeysWith: +)
      } catch {
        let text = "\(error)"
        Pipe.say(text.hasPrefix("seed ") ? "f \(text)" : "f seed \(next): \(text)", to: output)
        return
      }
      count += 1
      next += options.jobs
    }
  }

  private func report(_ results: [ChildResult], _ seconds: Double) -> Bool {
    var counts: [String: Int] = [:]
    let parts = results.flatMap { $0.texts("r") }.joined(separator: ",").split(separator: ",")
    for part in parts {
      let words = part.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let number = Int(words[0]) else { continue }
      counts["\(words[1])", default: 0] += number
    }
    let failures = results.flatMap { $0.texts("f") }
    let kind = options.hasStores ? " --stores" : ""
    for failure in failures {
      let words = failure.split(separator: " ")
      let seed = words.count > 1 ? words[1].filter(\.isNumber) : ""
      print("FAILED fault-program simulate\(kind) --seed \(seed): \(failure)")
    }
    let seeds = counts.removeValue(forKey: "seeds") ?? 0
    let figures = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let rate = String(format: "%.1f", Double(seeds) / max(seconds, 0.001))
    // For the same seeds the sum has to be the same, however they are distributed among processes.
    let fingerprint = results.flatMap { $0.texts("p") }.compactMap { UInt64($0) }.reduce(0, &+)
    print(
      "simulate\(kind): \(seeds) seeds, \(failures.count) failures; \(rate) seeds/s;"
        + " fingerprint \(String(fingerprint, radix: 16));"
        + " \(figures.joined(separator: ", "))")
    return failures.isEmpty && seeds == options.seeds.count
  }
}
