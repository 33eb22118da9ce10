import Foundation
import SwiftData
import TestSupport

/// Returns a temporary file, in memory if possible.
private func scratchFile() throws -> URL {
  let folder = TemporaryFolder.fastParent.appending(path: "fuzz-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.appending(path: "test.store")
}

private func clear(_ file: URL) throws {
  let folder = file.deletingLastPathComponent()
  if FileManager.default.fileExists(atPath: folder.path) {
    try FileManager.default.removeItem(at: folder)
  }
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
}

/// Calls all functions of a store one after the other; an error of one doesn't prevent the next.
private func useStore(_ file: URL, _ target: some FuzzTarget) -> Bool {
  var isWhole = true
  func attempt(_ body: () throws -> Void) { if !target.succeeds(body) { isWhole = false } }
  attempt {
    let container = try ModelContainer.sheets(file)
    let context = ModelContext(container)
    attempt { _ = try SheetCheck.sheets(context) }
    attempt { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
    attempt {
      let sheets = try context.fetch(
        FetchDescriptor<Sheet>(
          predicate: #Predicate { $0.number > 2 && $0.text.contains("a") },
          sortBy: [SortDescriptor(\.text)]))
      for sheet in sheets.prefix(3) { sheet.revision += sheet.revision < 1_000 ? 1 : 0 }
      context.insert(
        Sheet(number: 77, SheetValue(revision: 1, text: "new", picture: nil, binder: nil)))
      try context.save()
    }
    attempt { try context.delete(model: Binder.self) }
    attempt { try context.save() }
  }
  return isWhole
}

/// A store's file that is damaged or fabricated.
struct StoreFileTarget: FuzzTarget {
  static let name = "store-file"
  let words = ["\u{0}\u{0}\u{0}\u{0}", "\u{7F}\u{7F}\u{7F}\u{7F}", "CREATE", "Sheet", "_metadata"]
  let samples: [[UInt8]]
  private let file: URL

  init() throws {
    file = try scratchFile()
    try clear(file)
    try SaveWorkload(name: "", shape: Shape(), steps: 1).prepare(
      in: file.deletingLastPathComponent())
    do {
      let context = ModelContext(try ModelContainer.sheets(file))
      var script = EditScript(Shape(inserted: 4...8), seed: 5)
      for _ in 0..<6 {
        script.advance()
        try script.apply(to: context)
        try context.save()
      }
    }
    // Without its log, which the last connection checkpointed when it closed.
    samples = [[UInt8](try Data(contentsOf: file))]
  }

  func take(_ input: [UInt8]) -> Bool {
    do {
      try clear(file)
      try Data(input).write(to: file)
    } catch { fatalError("the harness can't write \(file.path): \(error)") }
    return useStore(file, self)
  }
}

/// Store files that Apple's frameworks wrote, if the shared data has them.
struct AppleStoreTarget: FuzzTarget {
  static let name = "apple-store"
  static var obstacle: String? {
    SharedData.exists("apple-stores") ? nil : SharedData.absence("apple-stores")
  }

  let words = ["\u{0}\u{0}\u{0}\u{0}", "Z_METADATA", "Z_PRIMARYKEY", "ZCART"]
  let samples: [[UInt8]]
  private let file: URL

  init() throws {
    file = try scratchFile()
    if let obstacle = Self.obstacle { throw Finding(obstacle) }
    let folder = SharedData.url("apple-stores")
    var samples: [[UInt8]] = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    where name.hasSuffix(".sqlite") {
      samples.append([UInt8](try Data(contentsOf: folder.appending(path: name))))
    }
    self.samples = samples
  }

  func take(_ input: [UInt8]) -> Bool {
    do {
      try clear(file)
      try Data(input).write(to: file)
    } catch { fatalError("the harness can't write \(file.path): \(error)") }
    return useStore(file, self)
  }
}

/// A history token that was kept outside the store.
struct HistoryTokenTarget: FuzzTarget {
  static let name = "history-token"
  let words = ["{", "}", "\"tokenValue\":", "null", ":", ",", "\"\""]
  let samples: [[UInt8]]
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Schema([Sheet.self, Binder.self]),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for name in 0...3 {
      context.insert(Binder(name: name))
      try context.save()
    }
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    samples = try history.map { [UInt8](try JSONEncoder().encode($0.token)) }
  }

  func take(_ input: [UInt8]) -> Bool {
    succeeds {
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(input))
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      descriptor.predicate = #Predicate { $0.token > token }
      _ = try context.fetchHistory(descriptor)
    }
  }
}
