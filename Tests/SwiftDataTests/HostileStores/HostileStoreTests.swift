import Foundation
import ProcessTesting
import Testing

/// Stores that were damaged or changed by other programs. Every operation on such a store throws a typed error or
/// returns a correct result.
///
/// A separate process runs the cases, because a trap would end the tests. `OPENSWIFTDATA_TEST_HOSTILE_EVERY=1` runs
/// every case of a family. `OPENSWIFTDATA_TEST_HOSTILE_MUTATIONS` sets the number of mutations of a whole file, from
/// `OPENSWIFTDATA_TEST_HOSTILE_SEED` on.
@Suite("Hostile stores", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct HostileStoreTests {
  private static let seed = TestEnvironment.number("OPENSWIFTDATA_TEST_HOSTILE_SEED") ?? 1
  private static let mutations =
    TestEnvironment.number("OPENSWIFTDATA_TEST_HOSTILE_MUTATIONS")
    ?? TestEnvironment.rounds(600)
  private static let workers = 2

  /// Returns the interval of the cases of a family that are run.
  private static func every(_ usual: Int) -> Int {
    TestEnvironment.number("OPENSWIFTDATA_TEST_HOSTILE_EVERY") ?? usual
  }

  @Test(
    "every altered cell, header field and object gives a typed error or changes nothing",
    arguments: [("numbers", 7), ("texts", 7), ("blobs", 101), ("header", 5), ("objects", 3)])
  func families(_ family: String, _ usual: Int) async throws {
    let every = Self.every(usual)
    try await run { worker in [family, "\(worker * every)", "\(every * Self.workers)"] }
  }

  @Test("a file damaged anywhere is a typed error or an answer")
  func mutations() async throws {
    let count = Self.mutations / Self.workers
    try await run { worker in
      ["mutations", "\(Self.seed + worker * count)", "1", "\(count)"]
    }
  }

  @Test(
    "files of Apple's frameworks are refused and left as they are",
    .enabled(if: SharedData.exists("apple-stores"), "\(SharedData.absence("apple-stores"))"))
  func foreign() async throws {
    let files = try #require(
      FileManager.default.enumerator(
        at: SharedData.url("apple-stores"), includingPropertiesForKeys: nil))
    var count = 0
    while let file = files.nextObject() as? URL {
      guard file.pathExtension == "sqlite" else { continue }
      count += 1
      let place = try TemporaryStore()
      let process = try await HostileProcess(
        place.folder.appending(path: "foreign"), ["foreign", file.path])
      let (end, report) = try await process.end()
      #expect(end == .exited(0), "\(file.path): \(report)")
    }
    #expect(count > 0)
  }

  private func run(_ arguments: (Int) -> [String]) async throws {
    // In memory if possible, because every case commits.
    let place = try TemporaryFolder("hostile", in: TemporaryFolder.fastParent)
    let making = try await HostileProcess(place.file("0"), ["make"])
    let (made, text) = try await making.end()
    try #require(made == .exited(0), "\(text)")
    var processes: [HostileProcess] = []
    for worker in 0..<Self.workers {
      processes.append(try await HostileProcess(place.file("\(worker)"), arguments(worker)))
    }
    for process in processes {
      let (end, report) = try await process.end()
      #expect(end == .exited(0), "\(process.words.joined(separator: " ")): \(end)\n\(report)")
      print("hostile-program \(process.words.joined(separator: " ")): \(report.suffix(200))")
    }
  }
}

/// The program that runs the cases.
private struct HostileProcess {
  let words: [String]
  private let process: ChildProcess
  private let folder: URL

  init(_ folder: URL, _ words: [String]) async throws {
    self.words = words
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = folder.appending(path: "output")
    let errors = folder.appending(path: "errors")
    try Data().write(to: output)
    try Data().write(to: errors)
    process = try await ChildProcess(
      ChildProcess.program("hostile-program"), [folder.path] + words,
      output: FileHandle(forWritingTo: output), errors: FileHandle(forWritingTo: errors))
  }

  /// Waits for the process.
  ///
  /// - Returns: The reason for its end; its output and, if a signal ended it, the current case.
  func end() async throws -> (ChildProcess.End, String) {
    let end = try await process.end()
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }
    var report = try text("output").trimmingCharacters(in: .whitespacesAndNewlines)
    if case .signaled = end {
      report += "ended at \(try text("case"))\n\(try text("errors").suffix(2_000))"
    }
    return (end, report)
  }
}
