import Foundation
import SwiftData
import Testing

/// Random steps on models with relationships of every kind: after any steps, the framework's models and store agree
/// with a plain dictionary.
///
/// Environment variables: `OPENSWIFTDATA_TEST_SEQUENCES` and `OPENSWIFTDATA_TEST_SEQUENCE_STEPS` set the number of
/// sequences and of their steps, `OPENSWIFTDATA_TEST_SEQUENCE_FIRST_SEED` the seed of the first one.
/// `OPENSWIFTDATA_TEST_SEQUENCE_SEED` runs the sequence of one seed only, which repeats a reported failure.
/// `OPENSWIFTDATA_TEST_SEQUENCE_UNDO=0` excludes undo and redo from the steps.
@Suite("Random steps agree with a dictionary")
struct StatefulTests {
  /// A sequence that failed.
  struct Failure: Sendable, CustomStringConvertible {
    let seed: UInt64
    let steps: Int
    let message: String
    let log: [String]

    var description: String {
      "OPENSWIFTDATA_TEST_SEQUENCE_SEED=\(seed) OPENSWIFTDATA_TEST_SEQUENCE_STEPS=\(steps)"
        + (StatefulTests.undoes ? "" : " OPENSWIFTDATA_TEST_SEQUENCE_UNDO=0")
        + ": \(message)\n  " + log.joined(separator: "\n  ")
    }
  }

  private static var undoes: Bool {
    TestEnvironment.number("OPENSWIFTDATA_TEST_SEQUENCE_UNDO") != 0
  }

  /// Runs the steps: even seeds in memory, odd ones in a file; every other pair of seeds compares after every step.
  private static func failure(_ steps: [Step], seed: UInt64) -> (message: String, log: [String])? {
    var log: [String] = []
    weak var store: AnyObject?
    do {
      let run = try StatefulRun(
        onFile: !seed.isMultiple(of: 2), checksEveryStep: seed % 4 < 2, undoes: undoes)
      defer { log = run.log }
      try run.run(steps)
      store = run.store
    } catch {
      return ("\(error)", log)
    }
    // New models that were rolled back or never saved belong to the program: they may retain each other and their
    // destinations.
    let takesBack = log.contains { words in
      ["undo", "redo", "rollback", "reopen"].contains(words) || words.hasPrefix("delete")
        || words.hasPrefix("save, ")
    }
    return store == nil || takesBack
      ? nil : ("the store stays open when nobody holds its models any more", log)
  }

  private static func examine(seed: UInt64, _ count: Int) -> Failure? {
    let steps = Step.sequence(count, seed: seed, undoes: undoes)
    guard failure(steps, seed: seed) != nil else { return nil }
    let short = shrunk(steps) { failure($0, seed: seed) != nil }
    let last = failure(short, seed: seed)
    return Failure(
      seed: seed, steps: count, message: last?.message ?? "fails only sometimes",
      log: last?.log ?? [])
  }

  @Test(
    "insert, relate, delete, undo, redo, roll back, save, reopen, commit elsewhere: the same state")
  func sequences() async {
    let steps = TestEnvironment.number("OPENSWIFTDATA_TEST_SEQUENCE_STEPS") ?? 30
    if let seed: Int = TestEnvironment.number("OPENSWIFTDATA_TEST_SEQUENCE_SEED") {
      let failure = Self.examine(seed: UInt64(bitPattern: Int64(seed)), steps)
      #expect(failure == nil, "\(failure?.description ?? "")")
      return
    }
    let first = max(0, TestEnvironment.number("OPENSWIFTDATA_TEST_SEQUENCE_FIRST_SEED") ?? 0)
    let count = TestEnvironment.number("OPENSWIFTDATA_TEST_SEQUENCES") ?? StoreKind.rounds(240)
    let failures = await withTaskGroup(of: [Failure].self) { group in
      let workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
      for worker in 0..<workers {
        group.addTask {
          var failures: [Failure] = []
          for seed in stride(from: first + worker, to: first + count, by: workers)
          where failures.count < 3 {
            if let failure = Self.examine(seed: UInt64(seed), steps) { failures.append(failure) }
            await Task.yield()
          }
          return failures
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for failure in failures { Issue.record("\(failure.description)") }
  }

  @Test("a failing sequence is shrunk to the steps that matter")
  func shrinking() {
    var asked = 0
    let short = shrunk(Array(0..<100)) { sequence in
      asked += 1
      return sequence.contains(17) && sequence.contains(71)
    }
    #expect(short == [17, 71])
    #expect(asked < 200)
  }

  @Test("a seed gives the same steps each time")
  func seeds() {
    let words = (0..<2).map { _ in Step.sequence(50, seed: 7).map { "\($0)" } }
    #expect(words[0] == words[1])
    #expect(words[0] != Step.sequence(50, seed: 8).map { "\($0)" })
  }
}
