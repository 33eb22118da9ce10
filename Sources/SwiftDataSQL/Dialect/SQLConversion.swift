/// The conversion of stored values to another kind of column.
package struct SQLConversion: Sendable {
  /// The SQL expression of the new value, from that of the old value.
  package let expression: @Sendable (String) -> String
  /// A condition for values without an equivalent of the new kind; nil when all values have one.
  package let failure: (@Sendable (String) -> String)?

  package init(
    failure: (@Sendable (String) -> String)? = nil,
    _ expression: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.expression = expression
    self.failure = failure
  }
}
