/// Writes rows of values whose types are known at run time only.
extension _RowWriter {
  /// Appends the columns of the next property, an attribute; nil leaves them NULL.
  mutating func write(untyped value: Any?) {
    append(untyped: value)
    property += 1
  }

  /// Appends what the column of the next property holds, whatever the property's type.
  mutating func write(stored bytes: (some Collection<UInt8>)?) {
    if let bytes { append(blob: bytes) } else { appendUnset() }
    property += 1
  }

  /// Leaves the columns of the next property NULL.
  mutating func skip() {
    appendUnset()
    property += 1
  }
}
