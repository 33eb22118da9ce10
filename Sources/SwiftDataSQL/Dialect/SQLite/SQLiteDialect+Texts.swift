import SwiftDataCore

/// Texts are searched and compared by functions that call Swift.
extension SQLiteDialect {
  package func isLess(
    _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    call("osd_less", first, second)
  }

  package func occurs(_ part: SQLFragment, in text: SQLFragment) -> SQLFragment {
    call("instr", text, part).appending(" > 0")
  }

  package func search(
    _ search: TextSearch, of part: SQLFragment, in text: SQLFragment
  ) throws(Untranslatable) -> TextSearchResult {
    let function =
      switch search {
      case .contains: "osd_contains"
      case .startsWith: "osd_starts_with"
      case .localizedContains: "osd_localized_contains"
      }
    return .exact(call(function, text, part))
  }

  package func comparisonResult(
    _ comparison: TextComparison, _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    switch comparison {
    case .localized: call("osd_localized_compare", first, second)
    case .caseInsensitive: call("osd_case_insensitive_compare", first, second)
    }
  }

  package func characterCount(of text: SQLFragment) throws(Untranslatable) -> SQLFragment {
    call("osd_character_count", text)
  }

  package func byteCount(of data: SQLFragment) -> SQLFragment { call("length", data) }

  package func hasNoBytes(_ data: SQLFragment) -> SQLFragment { data.appending(" = x''") }
}
