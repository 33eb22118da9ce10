/// The reason why a part of a predicate has no SQL with the same result. Not a failure: the part is
/// evaluated in memory over the rows that the other parts select.
package struct Untranslatable: Error, CustomStringConvertible {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}
