import SwiftDataCore

/// A comparison of two values.
package enum SQLComparison: Sendable, CaseIterable {
  case equal
  case notEqual
  /// Equal, or both NULL.
  case same
  /// The opposite of ``same``.
  case different
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual
}

/// The equality and the order of compared values.
package enum SQLCollation: Hashable, Sendable {
  /// Those of the stored values: numbers by size, texts and data byte by byte.
  case stored
  /// Texts: canonically equivalent ones are equal.
  case text(StringOrder)
  /// Decimal numbers stored as text.
  case decimal

  /// The equality and the order of Swift's strings.
  package static let unicode = SQLCollation.text(.lexical)
}

package enum SQLExtreme: Sendable, CaseIterable {
  case least
  case greatest
}
