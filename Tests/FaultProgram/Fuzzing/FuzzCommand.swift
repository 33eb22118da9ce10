import CFaultVFS
import Foundation

/// Passes numbered inputs to each target. An input depends only on the seed and its number, so that an input that ends
/// a process can be generated again.
struct FuzzCommand {
  private let options: Options
  /// The time limit of an input, in seconds. An input that takes longer hangs.
  private static let patience: UInt32 = 20
  /// The maximum address space of a process, in bytes.
  private static let memory: rlim_t = 8 << 30

  init(_ options: Options) { self.options = options }

  private struct Counts {
    var inputs = 0
    var taken = 0
    var failures = 0
  }

  func run() throws -> Bool {
    var isWhole = true
    for target in options.targets {
      if let obstacle = target.obstacle {
        print("fuzz \(target.name): left out: \(obstacle)")
        continue
      }
      let begun = Date()
      let results = try Child.deal(options.jobs) { job, output in
        try inputs(of: target, job: job, begun, output)
      }
      var total = Counts()
      for result in results {
        for failure in result.texts("f") { print("FAILED \(failure)") }
        let numbers = result.texts("r").last?.split(separator: " ").compactMap { Int($0) } ?? []
        guard result.code == 0, numbers.count == 3 else {
          isWhole = false
          continue
        }
        total.inputs += numbers[0]
        total.taken += numbers[1]
        total.failures += numbers[2]
      }
      if total.failures > 0 || total.inputs == 0 { isWhole = false }
      let rate = Double(total.inputs) / max(0.001, Date().timeIntervalSince(begun))
      print(
        "fuzz \(target.name): \(total.inputs) inputs, \(total.taken) taken for right,"
          + " \(total.failures) failures; \(String(format: "%.0f", rate)) inputs/s")
      fflush(nil)
    }
    return isWhole
  }

  /// Runs processes one after the other. Each starts with the input after the one that ended the previous process.
  private func inputs(
    of target: any FuzzTarget.Type, job: Int, _ begun: Date, _ output: Int32
  ) throws {
    let place = try sharedPage().bindMemory(to: Int.self, capacity: 2)
    var counts = Counts()
    var next = options.input ?? job
    while counts.failures < 10, next < options.count, !isOver(begun) {
      place[0] = next
      let first = next
      // The process prints nothing unless there is a failure; each input has its own time limit.
      let result = try Child.run(patience: Child.forEver) { _ in
        var limit = rlimit(rlim_cur: Self.memory, rlim_max: Self.memory)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        try take(target, from: first, place, begun)
      }
      counts.inputs += max(0, (place[0] - first) / options.step)
      if result.code == 0 { break }
      counts.failures += 1
      let end = result.code == -SIGALRM ? "hangs" : "ended with \(result.code)"
      Pipe.say(
        "f fault-program fuzz --target \(target.name) --seed \(options.fuzzSeed) --input \(place[0]): \(end)"
          + " \(result.texts("f").joined())", to: output)
      next = place[0] + options.step
      if options.input != nil { break }
    }
    Pipe.say("r \(counts.inputs) \(place[1]) \(counts.failures)", to: output)
  }

  private func isOver(_ begun: Date) -> Bool {
    options.seconds.map { Date().timeIntervalSince(begun) > Double($0) } ?? false
  }

  private func take(
    _ type: any FuzzTarget.Type, from first: Int, _ place: UnsafeMutablePointer<Int>, _ begun: Date
  ) throws {
    let target = try type.init()
    var input = first
    // The clock is read only once in a while.
    while input < options.count, input % 16 >= options.step || !isOver(begun) {
      place[0] = input
      alarm(Self.patience)
      var mutation = Mutation(
        seed: UInt64(options.fuzzSeed), input: input, words: target.words)
      if target.take(mutation.input(target.samples)) { place[1] += 1 }
      input += options.step
      if options.input != nil { break }
    }
    place[0] = input
    alarm(0)
  }

  /// Returns memory that a process and its parent share.
  private func sharedPage() throws -> UnsafeMutableRawPointer {
    let page = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    guard let page, page != MAP_FAILED else { throw Finding("no shared memory: \(errno)") }
    return page
  }
}
