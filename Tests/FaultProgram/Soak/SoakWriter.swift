import CFaultVFS
import Foundation
import SwiftData
import TestSupport

/// A second process that writes to the same store, has a system call refused, and is killed.
@MainActor
final class SoakWriter: SoakPart {
  private let container: ModelContainer
  private let folder: URL
  private var last = 0
  private var (kills, refusals) = (0, 0)
  /// The number of turns per run of the process, which takes longer than all other work here.
  private static let interval = 10
  private var turns = 0

  private nonisolated static let numbers = 2_000..<2_200
  private nonisolated static let retries = 4

  init(_ container: ModelContainer, _ folder: URL) {
    self.container = container
    self.folder = folder
  }

  /// Returns the row and the value of a step.
  private nonisolated static func step(_ step: Int) -> (Int, SheetValue) {
    let value = SheetValue(
      revision: step, text: "step \(step)",
      picture: step.isMultiple(of: 16) ? UInt64(step % 64) : nil, binder: nil)
    return (numbers.lowerBound + step % numbers.count, value)
  }

  // MARK: Child process

  /// Saves until it is killed, and prints the step after each save.
  nonisolated static func write(_ options: Options) throws -> Bool {
    var random = SeededGenerator(spreading: UInt64(options.fuzzSeed))
    let kinds = CallKind.all
    let kind = kinds[random.number(0...kinds.count - 1)]
    var plan = fault_plan()
    plan.end = FAULT_FAIL
    plan.kind = kind.kind
    plan.error = kind.errors[random.number(0...kind.errors.count - 1)]
    plan.at = Int64(random.number(1...200))
    plan.times = 1
    plan.synchronous = FAULT_SYNCHRONOUS_AS_SAID
    try Scene.begin(options.folder, plan)
    let run = Run(
      folder: options.folder, seed: 1, isShort: false, triesAgain: retries, output: STDOUT_FILENO)
    let container = try run.attempt {
      try ModelContainer.soak(options.folder.appending(path: "soak.store"))
    }
    let context = ModelContext(container)
    var step = options.call ?? 1
    while true {
      let (number, value) = Self.step(step)
      try run.step(step) {
        context.rollback()
        try context.apply(number, value)
        try context.save()
      }
      if fault_failures() > 0 { Pipe.say("r \(fault_failures())", to: STDOUT_FILENO) }
      step += 1
    }
  }

  // MARK: Parent process

  func turn(_ random: inout SeededGenerator) async throws {
    turns += 1
    guard turns.isMultiple(of: Self.interval) else { return }
    let (saves, seed) = (random.number(1...40), random.number(1...1_000_000))
    let result = try await Self.kill(
      after: saves,
      [
        "soak-writer", "--folder", folder.path, "--seed", "\(seed)", "--call", "\(last + 1)",
      ])
    guard result.code == -SIGKILL, let step = result.last("a") else {
      throw Finding(
        "the second process (--seed \(seed) --call \(last + 1)) ended with \(result.code) by itself:"
          + " \(result.lines.suffix(3))")
    }
    // Files whose removal a loss of power would have undone.
    let lost = Scene.lost(of: folder)
    if FileManager.default.fileExists(atPath: lost.path) {
      try FileManager.default.removeItem(at: lost)
    }
    kills += 1
    refusals += result.last("r") ?? 0
    last = step
    try look()
  }

  /// Starts this program, reads its output until it has made `saves` saves, and kills it.
  @concurrent
  private nonisolated static func kill(
    after saves: Int, _ arguments: [String]
  ) async throws -> ChildResult {
    let (reading, writing) = try Pipe.make()
    // No other process may inherit the write end, or the end of the output is never detected.
    for end in [reading, writing] where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 {
      throw Finding("fcntl: \(errno)")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
    let program = "/proc/self/exe"
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let status = posix_spawn(&process, program, &actions, nil, &words, environ)
    close(writing)
    guard status == 0 else { throw Finding("no process: \(status)") }
    return Child.finish(process, reading) { lines in
      lines.count { $0.hasPrefix("a ") } >= saves
    }
  }

  /// Checks that the last steps are stored; the step in progress may be.
  private func look() throws {
    let context = ModelContext(container)
    for step in max(1, last - Self.numbers.count + 1)...last {
      let (number, value) = Self.step(step)
      guard let sheet = try context.sheet(number) else {
        throw Finding("LOST: step \(step) of the second process")
      }
      let next = step + Self.numbers.count == last + 1 ? Self.step(last + 1).1 : value
      guard sheet.revision == value.revision || sheet.revision == next.revision else {
        throw Finding("LOST: step \(step) of the second process: row \(number) is of another one")
      }
      let wanted = sheet.revision == value.revision ? value : next
      guard sheet.text == wanted.text, sheet.picture == wanted.picture.map(SheetValue.bytes) else {
        throw Finding("step \(step) of the second process is there in part")
      }
    }
  }

  func check() async throws { if last > 0 { try look() } }

  var figures: String {
    "\(kills) kills of a second process after \(last) saves, \(refusals) refused calls"
  }
}
