import Foundation
import SwiftData
import TestSupport

/// An activity of a program that runs for a long time. The parts take turns.
@MainActor
protocol SoakPart: AnyObject {
  /// Does a small amount of work, chosen by the generator.
  func turn(_ random: inout SeededGenerator) async throws
  /// Compares the stores with the contents that the part expects.
  func check() async throws
  /// The counts of the work done, for display.
  var figures: String { get }
}

/// The parts by their names.
enum SoakParts {
  static let names = ["edits", "actor", "import", "sync", "writer"]

  static func named(_ name: String) throws -> String {
    guard names.contains(name) else {
      throw Finding("there is no part \(name); there are \(names.joined(separator: ", "))")
    }
    return name
  }

  @MainActor
  static func make(
    _ name: String, _ container: ModelContainer, _ folder: URL
  ) throws -> any SoakPart {
    switch name {
    case "edits": try SoakEdits(container)
    case "actor": SoakActorEdits(container)
    case "import": try SoakImport(container, folder)
    case "sync": try SoakSync(folder)
    default: SoakWriter(container, folder)
    }
  }
}

/// Imports, edits, undoes, observes lists, syncs, and has a second process killed, for a given time. Memory, files,
/// descriptors and threads must not grow meanwhile.
@MainActor
final class SoakCommand {
  private let seconds: Double
  private let seed: Int
  private let keeps: Bool
  private let wanted: [String]
  private let folder: URL
  private var samples: [SoakSample] = []
  private var findings: [String] = []

  /// The number of samples in a run.
  private static let sampleCount = 240.0
  /// The number of cycles between two comparisons.
  private static let cyclesBetweenChecks = 20

  private init(seconds: Int, seed: Int, in parent: URL, keeps: Bool, parts: [String]) {
    (self.seconds, self.seed, self.keeps, wanted) = (Double(seconds), seed, keeps, parts)
    folder = parent.appending(path: "soak-\(getpid())", directoryHint: .isDirectory)
  }

  /// Runs on the main run loop, which the main context needs for its saves, and ends the process.
  nonisolated static func run(_ options: Options) -> Never {
    let (seconds, seed) = (options.seconds ?? 60, options.fuzzSeed)
    let (parent, keeps, parts) = (options.folder, options.keeps, options.parts)
    Task { @MainActor in
      do {
        let command = SoakCommand(
          seconds: seconds, seed: seed, in: parent, keeps: keeps, parts: parts)
        exit(try await command.run() ? 0 : 1)
      } catch {
        FileHandle.standardError.write(Data("fault-program: \(error)\n".utf8))
        exit(2)
      }
    }
    while true { RunLoop.main.run(until: .distantFuture) }
  }

  private func run() async throws -> Bool {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let begun = ContinuousClock.now
    let (parts, cycles) = try await work(since: begun)
    let elapsed = begun.duration(to: .now) / .seconds(1)
    let slopes = SoakSlopes(samples)
    findings += slopes.findings
    for finding in findings {
      print("FAILED fault-program soak --seed \(seed): \(finding)")
    }
    print(
      "soak: \(Int(elapsed)) s, \(cycles) cycles, \(parts.joined(separator: ", ")); \(slopes.text);"
        + " \(findings.count) failures")
    if findings.isEmpty || !keeps { try FileManager.default.removeItem(at: folder) }
    return findings.isEmpty
  }

  /// Lets the parts take turns until the time is over.
  ///
  /// - Returns: The counts of the parts, and the number of cycles.
  private func work(since begun: ContinuousClock.Instant) async throws -> ([String], Int) {
    var random = SeededGenerator(spreading: UInt64(seed))
    let file = folder.appending(path: "soak.store")
    let container = try ModelContainer.soak(file)
    let parts = try wanted.map { try SoakParts.make($0, container, folder) }
    var cycles = 0
    var isOver = false
    while !isOver, findings.isEmpty {
      let elapsed = begun.duration(to: .now) / .seconds(1)
      isOver = elapsed >= seconds
      cycles += 1
      await note { for part in parts { try await part.turn(&random) } }
      if isOver || cycles.isMultiple(of: Self.cyclesBetweenChecks) {
        await note { for part in parts { try await part.check() } }
      }
      if elapsed >= Double(samples.count) * seconds / Self.sampleCount {
        samples.append(try SoakSample(at: elapsed, folder))
        tell(samples.count)
      }
    }
    await note { try DatabaseCheck.check(file) }
    return (parts.map(\.figures), cycles)
  }

  private func note(_ body: () async throws -> Void) async {
    do { try await body() } catch { findings.append("\(error)") }
  }

  /// Prints a sample from time to time, to show the progress.
  private func tell(_ count: Int) {
    guard count.isMultiple(of: 24), let sample = samples.last else { return }
    FileHandle.standardError.write(Data("soak: \(sample)\n".utf8))
  }
}

extension ModelContainer {
  /// Opens the store of a soak test. Its history is limited to a size that is reached within the first minutes.
  static func soak(_ file: URL) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: file)
    configuration.historyRetention = HistoryRetention(
      maximumAge: nil, maximumSize: 1 << 20, maximumUnreadAge: nil, maximumUnreadSize: 1 << 20)
    return try ModelContainer(
      for: Schema([Sheet.self, Binder.self, Reading.self]), configurations: [configuration])
  }
}
