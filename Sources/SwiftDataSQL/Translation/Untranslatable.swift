/// Why a part of a predicate has no SQL that gives the same answer. Not a failure: the part is
/// evaluated in memory over the rows that the rest selects.
package struct Untranslatable: Error, CustomStringConvertible {
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}
