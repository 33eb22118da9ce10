/// The stored values that describe copies of other data in a store's rows, such as the time of the last comparison.
/// They are wrong without the rows, so that the deletion of all rows deletes them, too.
package enum CopyRecords {
  /// The beginning of the keys.
  package static let keyPrefix = "LocalCopy."
  /// The end of the keys' range by bytes: the slash follows the full stop.
  package static let keyEnd = "LocalCopy/"
}
