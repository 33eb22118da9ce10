/// The representation of a value in a column. Public for the macros.
@_documentation(visibility: internal)
public enum ColumnKind: String, Sendable, Codable {
  /// INTEGER 0 or 1.
  case boolean
  /// INTEGER.
  case integer
  /// INTEGER; values above `Int64.max` are blobs of 8 bytes, big-endian, which sort after every integer.
  case unsigned
  /// REAL; NaN is the text `NaN`.
  case real
  /// REAL: seconds since 2001-01-01T00:00:00Z, exactly as `Date` keeps them.
  case date
  /// TEXT in UTF-8.
  case text
  /// BLOB.
  case data
  /// BLOB of 16 bytes.
  case uuid
  /// TEXT: the absolute string.
  case url
  /// TEXT: decimal digits, never through a binary fraction.
  case decimal
  /// TEXT: JSON with sorted keys.
  case json
  /// INTEGER: the row id of the destination.
  case reference
  /// INTEGER 1 where an optional composite has a value, NULL where it is nil.
  case presence
}
