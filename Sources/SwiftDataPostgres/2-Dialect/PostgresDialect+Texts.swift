import SwiftDataCore
import SwiftDataSQL

/// Texts are compared by their composed form. Rules that only Swift has, such as the ends of characters, are left
/// to memory.
extension PostgresDialect {
  package func isLess(
    _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    // The values are terms of their own, because they are needed several times and may be long.
    typed(first, "text").enclosed(
      "(SELECT \(Self.less) FROM (SELECT a, b,"
        + " normalize(a, NFC) COLLATE \"C\" AS x, normalize(b, NFC) COLLATE \"C\" AS y"
        + " FROM (VALUES (", ", "
    ).appending("", typed(second, "text"), ")) AS v(a, b)) AS r)")
  }

  /// Swift compares the scalars of composed forms. Where one is the beginning of the other, the number of bytes as they
  /// are decides.
  private static let less =
    "CASE WHEN starts_with(y, x) OR starts_with(x, y)"
    + " THEN x <> y AND octet_length(a) < octet_length(b) ELSE x < y END"

  package func occurs(_ part: SQLFragment, in text: SQLFragment) -> SQLFragment {
    call("strpos", text, part).appending(" > 0")
  }

  package func search(
    _ search: TextSearch, of part: SQLFragment, in text: SQLFragment
  ) throws(Untranslatable) -> TextSearchResult {
    switch search {
    case .contains:
      return .superset(
        occurs(composed(part), in: composed(text)),
        reason: "PostgreSQL doesn't know where characters end, so contains is also tested in memory"
      )
    case .startsWith:
      return .superset(
        call("starts_with", composed(text), composed(part)),
        reason:
          "PostgreSQL doesn't know where characters end, so starts(with:) is also tested in memory")
    case .localizedContains:
      throw Untranslatable("PostgreSQL doesn't search texts as localizedStandardContains does")
    }
  }

  package func comparisonResult(
    _ comparison: TextComparison, _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("PostgreSQL doesn't compare texts as Foundation does")
  }

  package func characterCount(of text: SQLFragment) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("PostgreSQL doesn't count characters as Swift does")
  }

  package func byteCount(of data: SQLFragment) -> SQLFragment {
    call("octet_length", data).appending("::bigint")
  }

  package func hasNoBytes(_ data: SQLFragment) -> SQLFragment {
    call("octet_length", data).appending(" = 0")
  }

  // MARK: - Lists stored as JSON

  package func elements(
    of list: SQLFragment, as alias: String
  ) throws(Untranslatable) -> (source: SQLFragment, value: SQLFragment) {
    (
      list.enclosed("json_array_elements_text(", "::json) AS \(alias)(value)"),
      SQLFragment("\(alias).value::bigint")
    )
  }

  package func contains(
    _ list: SQLFragment, integer: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    typed(integer, "bigint").appending(
      " IN (SELECT json_array_elements_text(", list, "::json)::bigint)")
  }

  package func contains(
    _ list: SQLFragment, text: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("PostgreSQL doesn't compare texts in JSON as Swift does")
  }

  package func elementCount(of list: SQLFragment) -> SQLFragment {
    list.enclosed("json_array_length(", "::json)::bigint")
  }
}
