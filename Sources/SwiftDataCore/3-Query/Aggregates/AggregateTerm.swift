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
  package let isByRawValue: Bool

  package init(function: Function, keyPath: AnyKeyPath?, isByRawValue: Bool = false) {
    self.function = function
    self.keyPath = keyPath
    self.isByRawValue = isByRawValue
  }
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
