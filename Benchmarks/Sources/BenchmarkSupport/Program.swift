import Foundation

/// The command line of every benchmark program:
///
///     PROGRAM list
///     PROGRAM prepare DATASET FOLDER ROWS
///     PROGRAM measure WORKLOAD IMPLEMENTATION FOLDER ROWS [LOOKUPS]
///
/// LOOKUPS is the number of look-ups of a workload that looks rows up by their key, by default 10,000. `measure` prints
/// `{"seconds":…,"checksum":"…","peak":…}`, the peak of resident memory in bytes.
public struct Program: Sendable {
  /// The trials of each implementation, by workload.
  public let trials: [String: [(name: String, trial: Trial)]]
  /// The functions that create the prepared stores, by the name of the dataset.
  public let datasets: [String: @Sendable (Place) async throws -> Void]

  public init(
    trials: [String: [(name: String, trial: Trial)]],
    datasets: [String: @Sendable (Place) async throws -> Void]
  ) {
    self.trials = trials
    self.datasets = datasets
  }

  public func main() async {
    do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
      FileHandle.standardError.write(Data("\(CommandLine.arguments[0]): \(error)\n".utf8))
      exit(1)
    }
  }

  private func run(_ words: [String]) async throws {
    switch words.first {
    case "list": try list()
    case "prepare" where words.count == 4:
      guard let prepare = datasets[words[1]] else {
        throw BenchmarkFailure("no dataset \(words[1])")
      }
      try await prepare(try place(words[2], words[3]))
    case "measure" where words.count == 5 || words.count == 6:
      guard let trial = trials[words[1]]?.first(where: { $0.name == words[2] })?.trial else {
        throw BenchmarkFailure("no workload \(words[1]) by \(words[2])")
      }
      try await measure(trial, try place(words[3], words[4], words.dropFirst(5).first))
    default:
      throw BenchmarkFailure(
        "usage: list | prepare DATASET FOLDER ROWS"
          + " | measure WORKLOAD IMPLEMENTATION FOLDER ROWS [LOOKUPS]")
    }
  }

  private func place(
    _ folder: String, _ rows: String, _ lookups: String? = nil
  ) throws -> Place {
    Place(
      folder: URL(filePath: folder), rows: try number(rows, of: "rows"),
      lookups: try lookups.map { try number($0, of: "look-ups") } ?? Place.lookups)
  }

  private func number(_ text: String, of things: String) throws -> Int {
    guard let number = Int(text), number > 0 else {
      throw BenchmarkFailure("\(text) isn't a number of \(things)")
    }
    return number
  }

  private func list() throws {
    let all = trials.mapValues { $0.map { ["name": $0.name, "dataset": $0.trial.dataset ?? ""] } }
    let data = try JSONEncoder().encode(all)
    print(String(decoding: data, as: UTF8.self))
  }

  private func measure(_ trial: Trial, _ place: Place) async throws {
    let run = try await trial.begin(place)
    let clock = ContinuousClock()
    let start = clock.now
    try await run.work()
    let duration = clock.now - start
    let peak = try Self.peak()
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    print("{\"seconds\":\(seconds),\"checksum\":\"\(try run.checksum())\",\"peak\":\(peak)}")
  }

  /// The peak resident memory of this process, in bytes.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let words = line?.split(whereSeparator: \.isWhitespace) ?? []
    return words.count == 3 ? (Int(words[1]) ?? 0) * 1024 : 0
  }
}
