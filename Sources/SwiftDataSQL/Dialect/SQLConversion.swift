/// The conversion of stored values to another kind of column.
package struct SQLConversion: Sendable {
  /// The SQL expression of the new value, from that of the old value.
  package let expression: @Sendable (String) -> String
  /// A condition for values without an equivalent of the new kind; nil when all values have one.
  package let failure: (@Sendable (String) -> String)?

  /// Makes a conversion that some values don't have.
  package init(
    failure: @escaping @Sendable (String) -> String,
    _ expression: @escaping @Sendable (String) -> String
  ) {
    self.expression = expression
    self.failure = failure
  }

  /// Makes a conversion that every value has; by default the value itself.
  ///
  /// An initializer of its own: a trailing closure would be taken for an optional `failure`.
  package init(_ expression: @escaping @Sendable (String) -> String = { $0 }) {
    self.expression = expression
    failure = nil
  }
}
