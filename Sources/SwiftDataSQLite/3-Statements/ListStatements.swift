import SwiftDataCore
import SwiftDataSQL

/// The parts of lists of values in statements, of any length, with few statement texts.
enum ListStatements {
  /// The two lengths of lists; each list is padded to one of them.
  private static let (short, long) = (8, 250)

  /// Calls `body` with parts of `values`, and the length of the list that each part is padded to.
  static func forEachPart<Value>(
    of values: [Value], _ body: (ArraySlice<Value>, Int) throws -> Void
  ) throws {
    var start = 0
    while start < values.count {
      let length = values.count - start > short ? long : short
      let end = min(start + length, values.count)
      try body(values[start..<end], length)
      start = end
    }
  }

  /// The list of the parameters of `length` values.
  static func parameters(_ length: Int) -> String {
    "(" + repeatElement("?", count: length).joined(separator: ",") + ")"
  }
}

extension Statement {
  /// Binds values from a position on (counted from 1), and NULL, which is equal to no value, up to `length` values.
  func bind(_ values: ArraySlice<ColumnValue>, paddedTo length: Int, at first: Int32) throws {
    var position = first
    for value in values {
      try bind(value, at: position)
      position += 1
    }
    for _ in values.count..<max(length, values.count) {
      try bind(.null, at: position)
      position += 1
    }
  }

  /// Runs the statement and calls `body` with each row.
  func forEachRow(_ body: (UnsafeBufferPointer<_Cell>) throws -> Void) throws {
    defer { reset() }
    while try step() { try body(row(from: 0)) }
  }
}
