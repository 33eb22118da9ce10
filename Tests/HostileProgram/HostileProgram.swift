import Foundation
import SwiftData
import TestSupport

/// Damages stores as hardware and other programs do, and uses each store in all the ways that programs do.
///
///     hostile-program FOLDER make
///     hostile-program FOLDER FAMILY FIRST STRIDE [COUNT]
///     hostile-program FOLDER mutations FIRST STRIDE COUNT
///     hostile-program FOLDER foreign FILE
///
/// The program runs the cases of a family, or the numbered mutations, from FIRST on, at intervals of STRIDE. The
/// current case is recorded in the file `case` of the folder, in case it ends the process.
@main
enum HostileProgram {
  /// The time limit of a case, in seconds.
  private static let patience: UInt32 = 60
  /// The maximum memory of the process, in bytes.
  private static let memory: UInt = 6 << 30

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: hostile-program FOLDER make | FAMILY FIRST STRIDE [COUNT] | foreign FILE")
      exit(2)
    }
    let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
    // A sanitizer reserves terabytes of addresses.
    if TestEnvironment.text("ASAN_OPTIONS") == nil, TestEnvironment.text("TSAN_OPTIONS") == nil {
      var limit = rlimit(rlim_cur: rlim_t(memory), rlim_max: rlim_t(memory))
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
    do {
      let runner = try CaseRunner(folder, patience: patience)
      switch arguments[2] {
      case "make": try runner.make()
      case "foreign": try runner.foreign(URL(fileURLWithPath: arguments[3]))
      default:
        guard arguments.count >= 5, let first = Int(arguments[3]), let stride = Int(arguments[4])
        else { exit(2) }
        let count = arguments.count > 5 ? Int(arguments[5]) ?? .max : .max
        try runner.run(arguments[2], from: first, by: stride, count: count)
      }
      print(runner.summary)
      exit(runner.findings.isEmpty ? 0 : 1)
    } catch {
      print("failed: \(error)")
      exit(3)
    }
  }
}

/// Runs cases one after the other.
final class CaseRunner {
  private let folder: URL
  private let patience: UInt32
  private let base: URL
  private let work: URL
  private let note: FileHandle
  private(set) var findings: [String] = []
  private var tried = 0
  private var refusals = 0
  private var inapplicable = 0

  init(_ folder: URL, patience: UInt32) throws {
    self.folder = folder
    self.patience = patience
    base = folder.deletingLastPathComponent().appending(path: "base", directoryHint: .isDirectory)
    work = folder.appending(path: "work", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = folder.appending(path: "case")
    try Data().write(to: place)
    note = try FileHandle(forWritingTo: place)
  }

  var summary: String {
    (findings + ["\(tried) cases, \(inapplicable) refused by SQLite, \(refusals) typed errors"])
      .joined(separator: "\n")
  }

  private var store: URL { work.appending(path: "museum.store") }

  func make() throws {
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    try Museum.make(base.appending(path: "museum.store"))
  }

  func run(_ family: String, from first: Int, by stride: Int, count: Int) throws {
    let original = [UInt8](try Data(contentsOf: base.appending(path: "museum.store")))
    try FileManager.default.copyFresh(base, to: work)
    let exercise = Exercise(store)
    exercise.run()
    guard let rows = exercise.rows, exercise.strangers.isEmpty, exercise.refusals.isEmpty else {
      findings.append("the base itself: \(exercise.strangers + exercise.refusals)")
      return
    }
    if family == "mutations" {
      for number in 0..<count {
        let seed = first + number * stride
        var mutation = FileMutation(seed: UInt64(seed))
        var bytes = original
        mutation.apply(to: &bytes)
        let made = bytes
        try attempt(
          HostileCase(name: "seed \(seed)", change: .bytes { $0 = made }, keepsRows: false), rows)
      }
      return
    }
    // Of a copy: other processes copy the base meanwhile, and SQLite makes and removes files beside an open one.
    try FileManager.default.copyFresh(base, to: work)
    let cases = try HostileCases.cases(family, of: store)
    guard !cases.isEmpty else {
      findings.append("no cases of \(family)")
      return
    }
    for index in Swift.stride(from: first, to: cases.count, by: stride).prefix(count) {
      try attempt(cases[index], rows, number: index)
    }
  }

  private func attempt(_ hostile: HostileCase, _ rows: String, number: Int = 0) throws {
    try FileManager.default.copyFresh(base, to: work)
    switch hostile.change {
    case .sql(let sql):
      let database = try Database(store)
      defer { database.close() }
      do { try database.run(sql) } catch {
        inapplicable += 1
        return
      }
    case .bytes(let change):
      var bytes = [UInt8](try Data(contentsOf: store))
      change(&bytes)
      try Data(bytes).write(to: store)
    }
    let name = "\(number): \(hostile.name.prefix(300))"
    try note.truncate(atOffset: 0)
    try note.seek(toOffset: 0)
    try note.write(contentsOf: Data(name.utf8))
    tried += 1
    alarm(patience)
    let exercise = Exercise(store)
    exercise.run()
    alarm(0)
    refusals += exercise.refusals.count
    findings += exercise.strangers.map { "\(name): \($0)" }
    if hostile.keepsRows, let found = exercise.rows, found != rows {
      findings.append("\(name): other rows\n\(found)")
    }
  }

  /// Checks that a file of another program is refused and left unchanged.
  func foreign(_ file: URL) throws {
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    for ending in ["", "-wal"] {
      let source = URL(fileURLWithPath: file.path + ending)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(
        at: source, to: URL(fileURLWithPath: store.path + ending))
    }
    let before = try Data(contentsOf: store)
    tried += 1
    alarm(patience)
    let exercise = Exercise(store)
    exercise.run()
    alarm(0)
    refusals += exercise.refusals.count
    findings += exercise.strangers
    if exercise.rows != nil { findings.append("\(file.path) was opened") }
    if try Data(contentsOf: store) != before { findings.append("\(file.path) was changed") }
  }
}

extension FileManager {
  /// Copies a folder to a location, and removes previous contents there.
  fileprivate func copyFresh(_ source: URL, to target: URL) throws {
    if fileExists(atPath: target.path) { try removeItem(at: target) }
    try copyItem(at: source, to: target)
  }
}
