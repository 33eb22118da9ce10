import Foundation
import SwiftData

/// Saves of a context, one per step.
struct SaveWorkload: Workload {
  let name: String
  let shape: Shape
  let steps: Int
  var retention = HistoryRetention.standard

  private func file(_ folder: URL) -> URL { folder.appending(path: "test.store") }

  func prepare(in folder: URL) throws {
    let context = ModelContext(try ModelContainer.sheets(file(folder), retention))
    for name in 0...3 { context.insert(Binder(name: name)) }
    try context.save()
  }

  func run(_ run: Run) throws {
    let container = try run.attempt { try ModelContainer.sheets(run.file, retention) }
    try saves(run, container)
  }

  func saves(_ run: Run, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    var script = EditScript(shape, seed: run.seed)
    for step in run.steps(steps) {
      script.advance()
      // A failed fetch leaves only a part of the edits; they are made again.
      try run.attempt {
        context.rollback()
        try script.apply(to: context)
      }
      try run.step(step) { try context.save() }
    }
    try run.compare(container, script)
  }

  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int {
    try SheetCheck.check(
      file(folder), EditScript(shape, seed: seed), allowed, before: 1, retention: retention)
  }
}

/// Opens a store that doesn't exist, in a folder that doesn't exist, and saves a few values.
struct FirstOpeningWorkload: Workload {
  let name = "first-opening"
  private let saves = SaveWorkload(name: "", shape: Shape(pictures: 20), steps: 2)

  func prepare(in folder: URL) throws {}

  private func file(_ folder: URL) -> URL { folder.appending(path: "new/newer/test.store") }

  func run(_ run: Run) throws {
    try saves.saves(run, try run.attempt { try ModelContainer.sheets(file(run.folder)) })
  }

  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int {
    try SheetCheck.check(
      file(folder), EditScript(saves.shape, seed: seed), allowed, before: 0)
  }
}

/// Batches, one per step.
struct BatchWorkload: Workload {
  let name = "batch"

  func prepare(in folder: URL) throws {
    _ = try ModelContainer.sheets(folder.appending(path: "test.store"))
  }

  func run(_ run: Run) throws {
    let container = try run.attempt { try ModelContainer.sheets(run.file) }
    var script = BatchScript(seed: run.seed)
    for step in run.steps(15) {
      script.advance()
      try run.step(step) { try script.apply(to: container) }
    }
    try run.compare(container, script)
  }

  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int {
    try SheetCheck.check(
      folder.appending(path: "test.store"), BatchScript(seed: seed), allowed, before: 0)
  }
}
