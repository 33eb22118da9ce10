/// A search for a part of a text, character by character.
package enum TextSearch: Sendable, CaseIterable {
  case contains
  case startsWith
  /// `localizedStandardContains`.
  case localizedContains
}

/// The answer of a database to a search.
package enum TextSearchResult: Sendable {
  /// A condition that holds where Swift finds the part.
  case exact(SQLFragment)
  /// A condition that holds for more texts, each of which has to be tested in memory, and the reason.
  case superset(SQLFragment, reason: String)
}

/// A comparison of two texts by Foundation.
package enum TextComparison: Sendable, CaseIterable {
  /// `localizedCompare`.
  case localized
  /// `caseInsensitiveCompare`.
  case caseInsensitive
}
