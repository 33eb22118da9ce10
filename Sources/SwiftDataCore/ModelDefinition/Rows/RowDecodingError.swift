/// A stored row doesn't hold what its model expects: another program wrote to the file, or the file is damaged.
public struct RowDecodingError: Error, Hashable, CustomStringConvertible {
  /// The entity whose row was read.
  public let entity: String
  /// The column that was read.
  public let column: String
  /// What the model's property needs.
  public let expected: String
  /// What the row has: a storage class or a raw value.
  public let found: String

  @usableFromInline
  package init(entity: String, column: String, expected: String, found: String) {
    self.entity = entity
    self.column = column
    self.expected = expected
    self.found = found
  }

  public var description: String {
    "The stored value of \(entity).\(column) can't be read: expected \(expected), found \(found)."
      + " Correct the row with an SQLite tool, or restore the file from a copy."
  }
}
