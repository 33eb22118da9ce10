import Foundation
import SwiftData
import SwiftDataExtras
import TestSupport

/// The values that a workload writes, step by step, kept outside the store. They are derived from a seed, so that a
/// check can compute the state after each step.
protocol Script {
  /// The sheets after the steps so far, by number.
  var sheets: [Int: SheetValue] { get }
  mutating func advance()
}

/// The number of changes in a step.
struct Shape: Sendable {
  var inserted = 1...3
  var updated = 0...4
  var deleted = 0...1
  var text = 5...600
  /// The percentage of values that have a picture.
  var pictures = 0
}

/// Insertions, updates and deletions, with one save per step.
struct EditScript: Script {
  enum Edit {
    case insert(Int, SheetValue)
    case update(Int, SheetValue)
    case delete(Int)
  }

  private let shape: Shape
  private var generator: SeededGenerator
  private var step = 0
  private var nextNumber = 1
  private(set) var sheets: [Int: SheetValue] = [:]
  /// The edits of the last step.
  private(set) var edits: [Edit] = []

  init(_ shape: Shape, seed: UInt64) {
    self.shape = shape
    generator = SeededGenerator(spreading: seed)
  }

  mutating func advance() {
    step += 1
    edits = []
    for number in drawn(shape.deleted) { edits.append(.delete(number)) }
    for edit in edits { if case .delete(let number) = edit { sheets[number] = nil } }
    for number in drawn(shape.updated) {
      let value = value()
      sheets[number] = value
      edits.append(.update(number, value))
    }
    for _ in 0..<generator.number(shape.inserted) {
      let value = value()
      sheets[nextNumber] = value
      edits.append(.insert(nextNumber, value))
      nextNumber += 1
    }
  }

  private mutating func drawn(_ count: ClosedRange<Int>) -> [Int] {
    Array(sheets.keys.sorted().shuffled(using: &generator).prefix(generator.number(count)))
  }

  private mutating func value() -> SheetValue {
    let length = generator.number(shape.text)
    let letter = Character(Unicode.Scalar(UInt8(97 + generator.number(0...25))))
    let picture = generator.number(1...100) <= shape.pictures ? generator.next() % 1_000_000 : nil
    return SheetValue(
      revision: step, text: String(repeating: letter, count: length), picture: picture,
      binder: generator.number(0...3))
  }

  /// Makes the last step's edits in a context, without saving.
  func apply(to context: ModelContext) throws {
    for edit in edits {
      switch edit {
      case .delete(let number):
        if let sheet = try context.sheet(number) { context.delete(sheet) }
      case .insert(let number, let value):
        let sheet = Sheet(number: number, value)
        context.insert(sheet)
        sheet.binder = try value.binder.map(context.binder)
      case .update(let number, let value):
        guard let sheet = try context.sheet(number) else {
          throw Finding("the context has no sheet \(number)")
        }
        sheet.revision = value.revision
        sheet.text = value.text
        sheet.picture = value.picture.map(SheetValue.bytes)
        sheet.binder = try value.binder.map(context.binder)
      }
    }
  }
}

/// Batches, one per step, of alternating kinds.
struct BatchScript: Script {
  enum Batch {
    case upsert([Int: SheetValue])
    case update(through: Int, revision: Int)
    case delete(below: Int)
  }

  private var generator: SeededGenerator
  private var step = 0
  private var lowest = 0
  private(set) var sheets: [Int: SheetValue] = [:]
  private(set) var batch = Batch.upsert([:])

  init(seed: UInt64) { generator = SeededGenerator(spreading: seed) }

  mutating func advance() {
    step += 1
    switch step % 3 {
    case 1:
      let first = lowest + generator.number(0...20)
      var values: [Int: SheetValue] = [:]
      for number in first..<first + generator.number(20...120) {
        let text = String(repeating: "b", count: generator.number(1...300))
        values[number] = SheetValue(revision: step, text: text, picture: nil, binder: nil)
      }
      sheets.merge(values) { $1 }
      batch = .upsert(values)
    case 2:
      let last = lowest + generator.number(25...60)
      for number in sheets.keys where number <= last { sheets[number]?.revision = step }
      batch = .update(through: last, revision: step)
    default:
      // At least one sheet is deleted.
      let least = sheets.keys.min() ?? 0
      lowest = least + generator.number(1...10)
      sheets = sheets.filter { $0.key >= lowest }
      batch = .delete(below: lowest)
    }
  }

  func apply(to container: ModelContainer) throws {
    switch batch {
    case .upsert(let values):
      let sheets = values.sorted { $0.key < $1.key }.map { Sheet(number: $0.key, $0.value) }
      try container.batchInsert(sheets)
    case .update(let last, let revision):
      try container.batchUpdate(Sheet.self, where: #Predicate { $0.number <= last }) {
        $0.set(\.revision, to: revision)
      }
    case .delete(let bound):
      try container.batchDelete(Sheet.self, where: #Predicate { $0.number < bound })
    }
  }
}
