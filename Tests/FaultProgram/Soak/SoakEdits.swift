import Foundation
import SwiftData
import SwiftDataExtras
import TestSupport

/// The rows that a part expects in the store.
struct SoakLedger {
  let numbers: Range<Int>
  private(set) var stored: [Int: SheetValue] = [:]
  var draft: [Int: SheetValue] = [:]

  init(_ numbers: Range<Int>) { self.numbers = numbers }

  mutating func keep() { stored = draft }
  mutating func forget() { draft = stored }

  /// Chooses a row and a value for it; no value deletes the row.
  mutating func choose(_ random: inout SeededGenerator) -> (number: Int, value: SheetValue?) {
    let number = random.number(numbers.lowerBound...numbers.upperBound - 1)
    guard draft[number] == nil || random.number(1...4) > 1 else { return (number, nil) }
    let revision = random.number(1...1_000_000)
    let value = SheetValue(
      revision: revision, text: String(repeating: "word ", count: revision % 40),
      picture: revision.isMultiple(of: 20) ? UInt64(revision % 64) : nil,
      binder: revision.isMultiple(of: 3) ? revision % 8 : nil)
    return (number, value)
  }

  /// Compares the expected rows with those that a new context fetches.
  func check(_ container: ModelContainer, _ name: String) throws {
    let context = ModelContext(container)
    let (first, end) = (numbers.lowerBound, numbers.upperBound)
    let sheets = try context.fetch(
      FetchDescriptor<Sheet>(predicate: #Predicate { $0.number >= first && $0.number < end }))
    guard sheets.count == stored.count else {
      throw Finding("\(name): \(sheets.count) rows in place of \(stored.count)")
    }
    for sheet in sheets {
      let value = stored[sheet.number]
      guard value?.revision == sheet.revision, value?.text == sheet.text,
        value?.binder == sheet.binder?.name,
        value?.picture.map(SheetValue.bytes) == sheet.picture
      else { throw Finding("\(name): row \(sheet.number) isn't what was saved") }
    }
  }
}

extension ModelContext {
  /// Updates a row, inserts it, or deletes it.
  func apply(_ number: Int, _ value: SheetValue?) throws {
    let known = try sheet(number)
    guard let value else {
      if let known { delete(known) }
      return
    }
    let sheet = known ?? Sheet(number: number, value)
    if known == nil { insert(sheet) }
    sheet.revision = value.revision
    sheet.text = value.text
    sheet.picture = value.picture.map(SheetValue.bytes)
    sheet.binder = try value.binder.map { try binder($0) }
  }
}

/// Edits in the main context, with undo and a live list.
@MainActor
final class SoakEdits: SoakPart {
  private let container: ModelContainer
  private let undo = UndoManager()
  private let list: ResultsObserver<Sheet, Never>
  private let followed = Followed()
  private var ledger = SoakLedger(0..<400)
  private var (saves, undone, rolledBack) = (0, 0, 0)
  private let follower: Task<Void, Never>

  /// The list as reconstructed from its differences.
  @MainActor
  private final class Followed {
    var rows: [PersistentIdentifier]? = []
    var differences = 0
  }

  init(_ container: ModelContainer) throws {
    self.container = container
    let context = container.mainContext
    undo.groupsByEvent = false
    undo.levelsOfUndo = 8
    context.undoManager = undo
    // This context must be saved only here: the stored contents have to be known exactly.
    context.autosaveEnabled = false
    list = try ResultsObserver(sortBy: [SortDescriptor(\.number)], modelContext: context)
    let (differences, followed) = (list.differences(), followed)
    follower = Task { @MainActor in
      for await difference in differences {
        followed.rows = difference.applied(to: followed.rows ?? [])
        followed.differences += 1
      }
    }
  }

  isolated deinit { follower.cancel() }

  func turn(_ random: inout SeededGenerator) async throws {
    let context = container.mainContext
    for _ in 0..<4 {
      let before = ledger
      undo.beginUndoGrouping()
      for _ in 0..<random.number(1...8) {
        let (number, value) = ledger.choose(&random)
        try context.apply(number, value)
        ledger.draft[number] = value
      }
      context.processPendingChanges()
      undo.endUndoGrouping()
      switch random.number(1...8) {
      case 1:
        undo.undo()
        ledger = before
        undone += 1
      case 2:
        context.rollback()
        ledger.forget()
        undo.removeAllActions()
        rolledBack += 1
      default:
        try context.save()
        ledger.keep()
        saves += 1
      }
    }
    if context.hasChanges {
      try context.save()
      ledger.keep()
      saves += 1
    }
  }

  func check() async throws {
    try ledger.check(container, "the main context")
    let wanted = try container.mainContext
      .fetch(FetchDescriptor<Sheet>(sortBy: [SortDescriptor(\.number)])).map(\.persistentModelID)
    guard list.results.map(\.persistentModelID) == wanted else {
      throw Finding("the live list has \(list.results.count) rows in place of \(wanted.count)")
    }
    let end = ContinuousClock.now + .seconds(30)
    while followed.rows != wanted {
      guard ContinuousClock.now < end else {
        let count = followed.rows.map { "\($0.count)" } ?? "no"
        throw Finding("the differences give \(count) rows, not the \(wanted.count) that are there")
      }
      await Task.yield()
    }
  }

  var figures: String {
    "\(saves) saves, \(undone) undone, \(rolledBack) rolled back,"
      + " \(followed.differences) differences of a live list"
  }
}

/// Edits outside the main actor, one by one and in batches.
@ModelActor
actor SoakEditor {
  func apply(_ changes: [(Int, SheetValue?)]) throws {
    for (number, value) in changes { try modelContext.apply(number, value) }
    try modelContext.save()
  }

  /// Makes the same edits in batches: values of rows without pictures and binders.
  func batch(_ values: [(Int, SheetValue)], without gone: Int) throws {
    try modelContext.delete(model: Sheet.self, where: #Predicate { $0.number == gone })
    try modelContext.save()
    try modelContainer.batchInsert(values.lazy.map { Sheet(number: $0, $1) })
  }
}

@MainActor
final class SoakActorEdits: SoakPart {
  private let container: ModelContainer
  private let editor: SoakEditor
  private var ledger = SoakLedger(1_000..<1_400)
  private var (saves, batches) = (0, 0)

  init(_ container: ModelContainer) {
    self.container = container
    editor = SoakEditor(modelContainer: container)
  }

  func turn(_ random: inout SeededGenerator) async throws {
    var changes: [(Int, SheetValue?)] = []
    for _ in 0..<random.number(1...20) {
      let (number, value) = ledger.choose(&random)
      ledger.draft[number] = value
      changes.append((number, value))
    }
    try await editor.apply(changes)
    ledger.keep()
    saves += 1
    guard random.number(1...3) == 1 else { return }
    var values: [Int: SheetValue] = [:]
    for _ in 0..<100 {
      let (number, value) = ledger.choose(&random)
      guard var value else { continue }
      (value.picture, value.binder) = (nil, nil)
      values[number] = value
    }
    let gone = random.number(1_000...1_399)
    try await editor.batch(values.map { ($0.key, $0.value) }, without: gone)
    ledger.draft[gone] = nil
    ledger.draft.merge(values) { $1 }
    ledger.keep()
    batches += 1
  }

  func check() async throws { try ledger.check(container, "the model actor") }

  var figures: String { "\(saves) saves and \(batches) batches of an actor" }
}
