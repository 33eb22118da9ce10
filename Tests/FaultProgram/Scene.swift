import CFaultVFS
import Foundation
import SwiftData

/// The folders of one workload: the initial contents, and a copy of them for each run.
struct Scene {
  let workload: any Workload
  let folder: URL
  private var template: URL { folder.appending(path: "template") }

  init(_ workload: any Workload, in parent: URL) throws {
    self.workload = workload
    folder = parent.appending(path: "\(workload.name)-\(getpid())")
    try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
    let (workload, template) = (workload, template)
    let made = try Child.run { _ in try workload.prepare(in: template) }
    guard made.code == 0 else { throw Finding("preparing \(workload.name): \(made.lines)") }
  }

  /// Returns a copy of the initial contents.
  func place(_ name: String) throws -> URL {
    let place = folder.appending(path: name)
    try FileManager.default.copyItem(at: template, to: place)
    return place
  }

  func remove(_ place: URL) throws {
    try FileManager.default.removeItem(at: place)
    let lost = Self.lost(of: place)
    if FileManager.default.fileExists(atPath: lost.path) {
      try FileManager.default.removeItem(at: lost)
    }
  }

  func removeAll() throws { try FileManager.default.removeItem(at: folder) }

  /// Returns the folder for files whose removal a loss of power may undo.
  static func lost(of place: URL) -> URL { place.appendingPathExtension("lost") }

  static func begin(_ place: URL, _ plan: fault_plan) throws {
    var plan = plan
    guard fault_begin(place.path, lost(of: place).path, &plan) == 0 else {
      throw Finding("SQLite refused the file system of the harness")
    }
  }

  /// Runs the workload in a separate process.
  func run(_ place: URL, seed: Int, isShort: Bool = false, triesAgain: Int = 0, _ plan: fault_plan)
    throws -> ChildResult
  {
    try Child.run { output in
      let run = Run(
        folder: place, seed: UInt64(seed), isShort: isShort, triesAgain: triesAgain, output: output)
      try Self.begin(place, plan)
      try workload.run(run)
      Pipe.say("n \(fault_failures())", to: output)
      Pipe.say("e \(fault_events())", to: output)
      for (code, count) in run.errors { Pipe.say("c \(count) \(code)", to: output) }
      if plan.end == FAULT_POWER { fault_lose_power() }
      // Writes of other threads belong to the run until this call.
      fault_stop()
    }
  }

  /// Opens the remaining store in a separate process.
  func check(_ place: URL, seed: Int, allowed: ClosedRange<Int>, _ plan: fault_plan? = nil) throws
    -> ChildResult
  {
    try Child.run { output in
      if let plan { try Self.begin(place, plan) }
      do {
        let step = try workload.check(place, seed: UInt64(seed), allowed: allowed)
        Pipe.say("s \(step)", to: output)
      } catch let error as StoreError where error.code == .missingFile {
        throw Finding("LOST: \(error)")
      } catch let error as StoreError where [.damaged, .foreignFile].contains(error.code) {
        throw Finding("CORRUPT: \(error)")
      }
    }
  }
}
