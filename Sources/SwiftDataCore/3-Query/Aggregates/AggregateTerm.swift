import Foundation

/// The computation of an aggregate, in the form that a store understands.
package struct AggregateTerm: @unchecked Sendable {
  // Unchecked: `AnyKeyPath` lacks the conformance; these are literals, which capture nothing that changes.
  package enum Function: Sendable {
    /// The number of models.
    case models
    /// The number of models that have a value.
    case values
    /// The ``_NumberTotal`` of the values.
    case total
    case minimum
    case maximum
  }

  package let function: Function
  /// The location of the values; nil for ``Function/models``.
  package let keyPath: AnyKeyPath?
  /// Whether values are ordered by their raw values instead of an order of their own.
  package var isByRawValue = false
}

/// The aggregates of a request, and the property that its models are grouped by.
package struct StoreAggregation: @unchecked Sendable {
  // Unchecked for the reason given at ``AggregateTerm``.
  package let terms: [AggregateTerm]
  package let groupedBy: AnyKeyPath?

  package init(terms: [AggregateTerm], groupedBy: AnyKeyPath?) {
    self.terms = terms
    self.groupedBy = groupedBy
  }
}

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

extension _RowReader {
  /// Reads the next cell as a value of a type that one column holds.
  package mutating func scalar<Value>(_ type: Value.Type) throws -> Value {
    if let optional = type as? any OptionalType.Type, isNextNull {
      _ = try next()
      if let none = optional.makeOptional(nil) as? Value { return none }
    }
    if let column = type as? any _ColumnValue.Type {
      if let value = try column._decode(from: &self) as? Value { return value }
    } else if let value = try nextRawRepresentable(type) as? Value {
      return value
    }
    throw RowDecodingError(
      entity: plan.name, column: "#\(column)", expected: "\(type)",
      found: "a column of another type")
  }
}
