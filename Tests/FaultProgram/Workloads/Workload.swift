import Foundation
import SwiftData
import SwiftDataSync

/// A task that writes a store, in steps that are acknowledged one by one.
protocol Workload: Sendable {
  var name: String { get }
  /// Creates the contents that exist before any fault.
  func prepare(in folder: URL) throws
  /// Performs the steps.
  func run(_ run: Run) throws
  /// Opens the remaining store and compares its contents.
  ///
  /// - Parameter allowed: The steps that the store may be at.
  /// - Returns: The step that the store is at.
  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int
}

/// A failure that was found.
struct Finding: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The run of a workload through its steps, under one plan of faults.
final class Run {
  let folder: URL
  let seed: UInt64
  /// Whether there are few steps, for runs in which each call fails once.
  let isShort: Bool
  /// The file descriptor for acknowledgements.
  private let output: Int32
  /// The numbers of errors after refused calls, by the error's code.
  private(set) var errors: [String: Int] = [:]
  private let triesAgain: Int

  /// - Parameter triesAgain: The number of times that a failed step is repeated.
  init(folder: URL, seed: UInt64, isShort: Bool, triesAgain: Int, output: Int32) {
    self.folder = folder
    self.seed = seed
    self.isShort = isShort
    self.triesAgain = triesAgain
    self.output = output
  }

  var file: URL { folder.appending(path: "test.store") }

  func steps(_ count: Int) -> ClosedRange<Int> { 1...(isShort ? max(3, count / 5) : count) }

  /// Performs a step, again if a call was refused, and acknowledges it.
  func step(_ number: Int, _ body: () throws -> Void) throws {
    try attempt(body)
    Pipe.say("a \(number)", to: output)
  }

  /// Performs work that may fail while calls are refused, and must succeed otherwise.
  func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    var tries = 0
    while true {
      do { return try body() } catch {
        guard tries < triesAgain else { throw error }
        tries += 1
        errors[try Self.code(of: error), default: 0] += 1
      }
    }
  }

  /// Checks that a fetch finds the values that a script has written.
  ///
  /// A property can't throw: if its value can't be read, it is empty, and the error is logged. So after a refused call
  /// the same context is asked again, and must have all values then.
  func compare(_ container: ModelContainer, _ script: some Script) throws {
    let context = ModelContext(container)
    let expected = SheetCheck.expected(script)
    if try attempt({ try SheetCheck.sheets(context) }) == expected { return }
    guard triesAgain > 0, try SheetCheck.sheets(context) == expected else {
      throw Finding("a fetch doesn't find what was written")
    }
  }

  /// Returns the code of the framework's error; any other error is a failure.
  private static func code(of error: any Error) throws -> String {
    switch error {
    case let error as StoreError:
      guard error.code != .other, !error.explanation.isEmpty else {
        throw Finding("an error without a code of its own: \(error.debugDescription)")
      }
      return error.code.description
    case let error as MigrationError: return "migration.\(error.code)"
    case let error as SwiftDataError: return "\(error)"
    case let error as SyncError: return "sync.\(error.code.rawValue)"
    case let error as Finding: throw error
    default: throw Finding("no typed error: \(type(of: error)): \(error)")
    }
  }
}

enum Workloads {
  static let all: [any Workload] = [
    SaveWorkload(name: "save", shape: Shape(), steps: 25),
    BatchWorkload(),
    FirstOpeningWorkload(),
    MigrationWorkload(),
    SaveWorkload(
      name: "history", shape: Shape(updated: 2...8), steps: 30,
      retention: HistoryRetention(
        maximumAge: nil, maximumSize: 2_000, maximumUnreadAge: nil, maximumUnreadSize: 2_000)),
    SaveWorkload(
      name: "external", shape: Shape(inserted: 1...2, updated: 0...2, pictures: 50), steps: 10),
    SaveWorkload(
      name: "log", shape: Shape(inserted: 6...12, updated: 4...8, text: 9_000...40_000), steps: 15),
    AttachmentWorkload(),
  ]

  static func named(_ name: String) throws -> any Workload {
    guard let found = all.first(where: { $0.name == name }) else {
      throw Finding(
        "there is no workload \(name); there are " + all.map(\.name).joined(separator: ", "))
    }
    return found
  }
}
