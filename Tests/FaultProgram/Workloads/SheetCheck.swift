import CSQLite
import Foundation
import SwiftData
import SwiftDataExtras

/// Compares a store of sheets with its script.
enum SheetCheck {
  /// Opens the store, determines its step, and uses it.
  ///
  /// - Parameters:
  ///   - allowed: The steps that the store may be at.
  ///   - before: The number of transactions in the history before the first step's.
  /// - Returns: The step.
  static func check(
    _ file: URL, _ script: some Script, _ allowed: ClosedRange<Int>, before: Int,
    retention: HistoryRetention = .standard
  ) throws -> Int {
    let container = try ModelContainer.sheets(file, retention)
    let context = ModelContext(container)
    let found = try sheets(context)
    let step = try step(found, script, allowed)
    try checkHistory(context, last: before + step)
    try checkFiles(file, found)
    try DatabaseCheck.check(file)
    let mark = Sheet(
      number: -1, SheetValue(revision: 0, text: "usable", picture: nil, binder: nil))
    context.insert(mark)
    try context.save()
    guard try ModelContext(container).sheet(-1)?.text == "usable" else {
      throw Finding("the store can't be used")
    }
    return step
  }

  static func sheets(_ context: ModelContext) throws -> [Int: SheetValue] {
    var found: [Int: SheetValue] = [:]
    for sheet in try context.fetch(FetchDescriptor<Sheet>()) {
      // The seed of the bytes isn't in the store, so the bytes are compared by their digest.
      let picture = sheet.picture.map { UInt64(truncatingIfNeeded: Digest.of($0)) }
      let value = SheetValue(
        revision: sheet.revision, text: sheet.text, picture: picture, binder: sheet.binder?.name)
      guard found.updateValue(value, forKey: sheet.number) == nil else {
        throw Finding("two sheets \(sheet.number)")
      }
    }
    return found
  }

  /// Returns the sheets of a script in the form of ``sheets(_:)``.
  static func expected(_ script: some Script) -> [Int: SheetValue] {
    script.sheets.mapValues { value in
      var value = value
      value.picture = value.picture.map { Digest.of(SheetValue.bytes($0)) }
      return value
    }
  }

  private static func step(
    _ found: [Int: SheetValue], _ script: some Script, _ allowed: ClosedRange<Int>
  ) throws -> Int {
    var script = script
    // The newest matching state would be the first choice, but scripts only go forward.
    for step in 0...allowed.upperBound {
      if script.sheets.count == found.count, expected(script) == found {
        guard allowed.contains(step) else {
          throw Finding(
            "LOST: the store is at step \(step), acknowledged are \(allowed.lowerBound)")
        }
        return step
      }
      script.advance()
    }
    throw Finding("CORRUPT: \(found.count) sheets are of no step up to \(allowed.upperBound)")
  }

  private static func checkHistory(_ context: ModelContext, last: Int) throws {
    let numbers = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map { Int($0.transactionIdentifier) }
    guard numbers.last ?? 0 == last else {
      throw Finding(
        "CORRUPT: the history ends with \(numbers.last ?? 0), the store with \(last)")
    }
    guard let first = numbers.first, numbers.count == last - first + 1 else {
      if numbers.isEmpty { return }
      throw Finding("CORRUPT: the history has gaps: \(numbers)")
    }
  }

  /// Checks that every file beside the store belongs to a sheet: opening the store removes
  /// leftovers of a crash.
  private static func checkFiles(_ file: URL, _ found: [Int: SheetValue]) throws {
    let folder = file.deletingLastPathComponent()
      .appending(path: ".\(file.lastPathComponent)_SUPPORT/external")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pictures = Set(found.values.compactMap(\.picture))
    guard files.count == pictures.count else {
      throw Finding("\(files.count) files beside the store for \(pictures.count) pictures")
    }
  }
}

/// A short digest (FNV-1a) of bytes.
enum Digest {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// Checks a file with SQLite alone.
enum DatabaseCheck {
  static func check(_ file: URL) throws {
    let integrity = try texts(file, "PRAGMA integrity_check")
    guard integrity == ["ok"] else { throw Finding("CORRUPT: \(integrity.prefix(3))") }
    let dangling = try texts(file, "PRAGMA foreign_key_check")
    guard dangling.isEmpty else { throw Finding("CORRUPT: references lead nowhere: \(dangling)") }
  }

  static func texts(_ file: URL, _ sql: String) throws -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_open(file.path, &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { throw Finding("CORRUPT: \(String(cString: sqlite3_errmsg(database)))") }
    var texts: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return texts
      default: throw Finding("CORRUPT: \(String(cString: sqlite3_errmsg(database)))")
      }
    }
  }
}
