import CFaultVFS
import Foundation

/// Refuses the first call of a kind, then the second, …, until a run in which no call was refused.
///
/// Each refusal has to result in an error of the framework or in no visible effect. The same context continues, the
/// step succeeds when it is repeated, and at the end the store has all data, in this process and in the next one.
struct RefuseCommand {
  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() throws -> Bool {
    var isWhole = true
    for workload in options.workloads {
      let begun = Date()
      let results = try Child.deal(options.jobs) { job, output in
        try calls(of: workload, job: job, output)
      }
      var (runs, failures) = (0, 0)
      var codes: [String: Int] = [:]
      for result in results {
        runs += result.texts("r").compactMap { Int($0) }.reduce(0, +)
        for failure in result.texts("f") {
          failures += 1
          print("FAILED \(failure)")
        }
        for line in result.texts("c") {
          let words = line.split(separator: " ", maxSplits: 1)
          codes[String(words[1]), default: 0] += Int(words[0]) ?? 0
        }
        if result.code != 0 { isWhole = false }
      }
      if failures > 0 || runs == 0 { isWhole = false }
      let rate = Double(runs) / max(0.001, Date().timeIntervalSince(begun))
      let names = codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      print(
        "refuse \(workload.name): \(runs) calls refused, \(failures) failures;"
          + " \(String(format: "%.1f", rate)) a second; errors: \(names.joined(separator: ", "))")
      // Show each result immediately.
      fflush(nil)
    }
    return isWhole
  }

  private func calls(of workload: any Workload, job: Int, _ output: Int32) throws {
    let scene = try Scene(workload, in: options.folder)
    var runs = 0
    var failures = 0
    for kind in options.kinds {
      for error in kind.errors where options.errors.contains(error) || options.errors.count == 1 {
        let wanted = options.errors.count == 1 ? options.errors[0] : error
        var call = options.call ?? 1 + job * options.stride
        while true {
          guard let finding = try one(call, kind, wanted, scene, output) else { break }
          runs += 1
          if !finding.isEmpty {
            failures += 1
            let name = wanted == ENOSPC ? "enospc" : wanted == EIO ? "eio" : "eacces"
            if failures <= 8 {
              Pipe.say(
                "f fault-program refuse --workload \(workload.name) --kind \(kind.name)"
                  + " --error \(name) --call \(call) --times \(options.times) --jobs 1: \(finding)",
                to: output)
            }
          }
          if options.call != nil { break }
          call += options.jobs * options.stride
        }
      }
    }
    if !options.keeps || failures == 0 { try scene.removeAll() }
    Pipe.say("r \(runs)", to: output)
  }

  /// - Returns: The failure, empty if there is none; nil when there are fewer calls.
  private func one(
    _ call: Int, _ kind: CallKind, _ error: Int32, _ scene: Scene, _ output: Int32
  ) throws -> String? {
    let place = try scene.place("\(kind.name)-\(call)")
    defer { do { try scene.remove(place) } catch { print("FAILED \(error)") } }
    let plan = fault_plan(
      end: FAULT_FAIL, at: Int64(call), times: Int64(options.times), kind: kind.kind, error: error,
      synchronous: FAULT_SYNCHRONOUS_AS_SAID, lies: 0, seed: UInt64(call))
    let result = try scene.run(
      place, seed: 1, isShort: true, triesAgain: options.times + 1, plan)
    if result.code == 0, result.last("n") == 0 { return nil }
    guard result.code == 0 else {
      return result.texts("f").first ?? "it ended with \(result.code)"
    }
    for line in result.texts("c") { Pipe.say("c \(line)", to: output) }
    let steps = result.last("a") ?? 0
    let found = try scene.check(place, seed: 1, allowed: steps...steps)
    return found.code == 0
      ? "" : found.texts("f").first ?? "the check ended with \(found.code)"
  }
}
