import Foundation
import SwiftData

/// Lets several processes increment one number under the merge policy that refuses to overwrite: no save may be lost.
struct WritersCommand {
  private let options: Options

  init(_ options: Options) { self.options = options }

  private static let everything = HistoryRetention(
    maximumAge: nil, maximumSize: nil, maximumUnreadAge: nil, maximumUnreadSize: nil)

  func run() throws -> Bool {
    let folder = options.folder.appending(path: "writers-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "test.store")
    let begun = Date()
    let made = try Child.run { _ in
      let context = ModelContext(try ModelContainer.sheets(file, Self.everything))
      context.insert(
        Sheet(number: 0, SheetValue(revision: 0, text: "", picture: nil, binder: nil)))
      try context.save()
    }
    guard made.code == 0 else { throw Finding("\(made.lines)") }
    let results = try Child.deal(options.processes, patience: Child.patience) {
      try write($0, file, $1)
    }
    var findings = results.flatMap { $0.texts("f") }
    for result in results where result.code != 0 { findings.append("a writer: \(result.code)") }
    let (count, saves) = (options.processes * options.saves, options.saves)
    findings += try Child.run { _ in try check(file, count, saves) }.texts("f")
    for finding in findings { print("FAILED fault-program writers: \(finding)") }
    let refused = results.compactMap { $0.last("c") }.reduce(0, +)
    let rate = Double(count) / max(0.001, Date().timeIntervalSince(begun))
    print(
      "writers: \(options.processes) × \(options.saves) saves, \(refused) refused and repeated,"
        + " \(findings.count) failures; \(String(format: "%.0f", rate)) saves/s")
    try FileManager.default.removeItem(at: folder)
    return findings.isEmpty
  }

  private func write(_ writer: Int, _ file: URL, _ output: Int32) throws {
    let context = ModelContext(try ModelContainer.sheets(file, Self.everything))
    context.mergePolicy = .error
    var conflicts = 0
    for save in 1...options.saves {
      while true {
        guard let shared = try context.sheet(0) else { throw Finding("the row is gone") }
        shared.revision += 1
        let own = Sheet(
          number: (writer + 1) * 1_000_000 + save,
          SheetValue(revision: save, text: "", picture: nil, binder: nil))
        context.insert(own)
        do {
          try context.save()
          break
        } catch is MergeConflictError {
          conflicts += 1
          context.rollback()
        }
      }
      // Shows that the process is alive.
      if save.isMultiple(of: 500) { Pipe.say("p \(save)", to: output) }
    }
    Pipe.say("c \(conflicts)", to: output)
  }

  private func check(_ file: URL, _ count: Int, _ saves: Int) throws {
    let context = ModelContext(try ModelContainer.sheets(file, Self.everything))
    let value = try context.sheet(0)?.revision
    guard value == count else {
      throw Finding("LOST: the number is \(value ?? -1) after \(count) additions")
    }
    guard try context.fetchCount(FetchDescriptor<Sheet>()) == count + 1 else {
      throw Finding("LOST: rows of the writers")
    }
    let numbers = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map { Int($0.transactionIdentifier) }
    guard numbers == Array(1...count + 1) else {
      throw Finding("the history has gaps: \(numbers.count) transactions")
    }
    try DatabaseCheck.check(file)
  }
}
