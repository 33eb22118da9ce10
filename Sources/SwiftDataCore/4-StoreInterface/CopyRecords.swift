/// The stored values that describe copies of other data in a store's rows, such as the time of the last comparison.
/// They are wrong without the rows, so that the deletion of all rows deletes them, too.
package enum CopyRecords {
  /// The beginning of the keys.
  package static let keyPrefix = "LocalCopy."
  /// The end of the keys' range by bytes: the slash follows the full stop.
  package static let keyEnd = "LocalCopy/"
  /// The beginning of keys, within the others' range, that end with the key of another value: one that describes the
  /// rows of a copy, too, and that the deletion of all rows deletes.
  package static let valuePrefix = "LocalCopy.[value] "
  /// The end of their range: the exclamation mark follows the space.
  package static let valueEnd = "LocalCopy.[value]!"
}
