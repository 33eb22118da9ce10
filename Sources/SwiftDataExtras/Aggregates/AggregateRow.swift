import Foundation
import SwiftDataCore

/// One row of aggregates from a store: the key of the group, if there are groups, then one cell for each term.
struct AggregateRow {
  private let cells: UnsafeBufferPointer<_Cell>
  private let plan: EntityPlan
  private var column = 0

  init(_ cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan) {
    self.cells = cells
    self.plan = plan
  }

  mutating func count() throws -> Int {
    try readNext(\Int.self) { Int(try $0.nextInteger()) }
  }

  mutating func total(_ keyPath: AnyKeyPath) throws -> _NumberTotal {
    let text = try readNext(keyPath) { try $0.nextText() }
    guard let total = _NumberTotal(encoded: text) else {
      throw RowDecodingError(
        entity: plan.name, column: KeyPathName.path(keyPath), expected: "a sum", found: text)
    }
    return total
  }

  mutating func value<Value>(_ type: Value.Type, _ keyPath: AnyKeyPath) throws -> Value {
    try readNext(keyPath) { try $0.scalar(type) }
  }

  /// The row id in the next cell; nil for NULL.
  mutating func reference(_ keyPath: AnyKeyPath) throws -> Int64? {
    try readNext(keyPath) { try Int64?._decode(from: &$0) }
  }

  private mutating func readNext<Value>(
    _ keyPath: AnyKeyPath, _ body: (inout _RowReader) throws -> Value
  ) throws -> Value {
    var reader = _RowReader(cells: cells, plan: plan, state: nil)
    reader.column = column
    column += 1
    do { return try body(&reader) } catch let error as RowDecodingError {
      // The reader names columns of the table, but these cells aren't such columns.
      throw RowDecodingError(
        entity: plan.name, column: KeyPathName.path(keyPath), expected: error.expected,
        found: error.found)
    }
  }
}
