import SwiftDataCore
import SwiftDataSQL

/// A second dialect, similar to PostgreSQL's, that shows which texts the translator leaves to a dialect. Nothing runs
/// its SQL.
struct ServerDialect: SQLDialect {
  let features = SQLFeatures(
    hasTriggers: false, hasDeferredKeys: false, hasForwardReferences: true, hasSearchTables: false)

  private func call(_ function: String, _ value: SQLFragment) -> SQLFragment {
    value.enclosed(function + "(", ")")
  }

  /// A text in the form whose bytes are equal for canonically equivalent texts.
  private func composed(_ text: SQLFragment) -> SQLFragment {
    text.enclosed("normalize(", ", NFC)")
  }

  // MARK: Truth values and choices

  func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  func coalesce(_ value: SQLFragment, _ fallback: SQLFragment) -> SQLFragment {
    value.enclosed("COALESCE(", ", ").appending("", fallback, ")")
  }

  func choice(_ test: SQLFragment, _ yes: SQLFragment, _ no: SQLFragment) -> SQLFragment {
    test.enclosed("(CASE WHEN ", " THEN ").appending("", yes).appending(" ELSE ", no, " END)")
  }

  // MARK: Comparisons

  func compare(
    _ left: SQLFragment, _ comparison: SQLComparison, _ right: SQLFragment,
    by collation: SQLCollation
  ) -> SQLFragment {
    let symbol =
      switch comparison {
      case .equal: "="
      case .notEqual: "<>"
      case .same: "IS NOT DISTINCT FROM"
      case .different: "IS DISTINCT FROM"
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      }
    if case .text = collation { return composed(left).appending(" \(symbol) ", composed(right)) }
    return left.appending(" \(symbol) ", right)
  }

  func isNumber(_ real: SQLFragment) -> SQLFragment { real.appending(" <> 'NaN'") }

  func isNaN(_ real: SQLFragment) -> SQLFragment { real.appending(" = 'NaN'") }

  func member(
    _ value: SQLFragment, of values: [SQLValue], by collation: SQLCollation
  ) throws(Untranslatable) -> SQLFragment {
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    return value.appending(" = ANY (ARRAY[", SQLFragment(marks, values), "])")
  }

  // MARK: Orders and aggregates

  func orderTerm(
    _ value: SQLFragment, by collation: SQLCollation, isDescending: Bool
  ) -> SQLFragment? {
    let ending = isDescending ? " DESC NULLS LAST" : " NULLS FIRST"
    switch collation {
    case .stored, .decimal: return value.appending(ending)
    case .text(.lexical): return composed(value).appending(ending)
    case .text: return nil
    }
  }

  func groupTerm(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment? {
    if case .text = collation { return nil }
    return value
  }

  func extreme(
    _ extreme: SQLExtreme, of value: SQLFragment, by collation: SQLCollation
  ) -> SQLFragment? {
    if case .text = collation { return nil }
    return call(extreme == .least ? "least_of" : "greatest_of", value)
  }

  func total(_ value: SQLFragment, of kind: ColumnKind) -> SQLFragment? { nil }
  func null(like definition: String) -> String { "NULL" }
  func groupKey(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment { value }

  // MARK: Texts and data

  func isLess(_ first: SQLFragment, _ second: SQLFragment) throws(Untranslatable) -> SQLFragment {
    composed(first).appending(" < ", composed(second))
  }

  func occurs(_ part: SQLFragment, in text: SQLFragment) -> SQLFragment {
    part.enclosed("position(", " IN ").appending("", text, ") > 0")
  }

  func search(
    _ search: TextSearch, of part: SQLFragment, in text: SQLFragment
  ) throws(Untranslatable) -> TextSearchResult {
    switch search {
    case .contains:
      return .superset(
        occurs(composed(part), in: composed(text)), reason: "characters may end inside the part")
    case .startsWith, .localizedContains: throw Untranslatable("the search is known to Swift only")
    }
  }

  func comparisonResult(
    _ comparison: TextComparison, _ first: SQLFragment, _ second: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("the comparison is known to Swift only")
  }

  func characterCount(of text: SQLFragment) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("characters are known to Swift only")
  }

  func byteCount(of data: SQLFragment) -> SQLFragment { call("octet_length", data) }

  func hasNoBytes(_ data: SQLFragment) -> SQLFragment { data.appending(" = ''::bytea") }

  // MARK: Arithmetic

  private func symbol(of operation: IntegerOperation) -> String {
    switch operation {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }

  func integer(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment,
    in range: ClosedRange<Int64>?
  ) -> SQLFragment {
    let result = left.enclosed("(", " \(symbol(of: operation)) ").appending("", right, ")")
    return range.map { result.enclosed("within(", ", \($0.lowerBound), \($0.upperBound))") }
      ?? result
  }

  func real(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    left.enclosed("(", " \(symbol(of: operation)) ").appending("", right, ")")
  }

  func negative(_ real: SQLFragment) -> SQLFragment { real.enclosed("(-", ")") }

  // MARK: Lists stored as JSON

  func elements(
    of list: SQLFragment, as alias: String
  ) throws(Untranslatable) -> (source: SQLFragment, value: SQLFragment) {
    (
      list.enclosed("jsonb_array_elements_text(", "::jsonb) AS \(alias)(value)"),
      SQLFragment("\(alias).value::bigint")
    )
  }

  func contains(
    _ list: SQLFragment, integer: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    list.appending("::jsonb @> to_jsonb(", integer, ")")
  }

  func contains(_ list: SQLFragment, text: SQLFragment) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("the texts of a list are known to Swift only")
  }

  func elementCount(of list: SQLFragment) -> SQLFragment {
    call("jsonb_array_length", list.appending("::jsonb"))
  }

  // MARK: Sources of rows

  func join(_ first: String, _ second: String, on condition: String) -> String {
    "\(first) JOIN \(second) ON \(condition)"
  }

  func subquery(_ query: String) -> String { "(\(query)) AS q" }

  func rows(of plan: EntityPlan, _ columns: [Int], within bounds: [Bounds]) -> SQLFragment? { nil }

  func rows(of plan: EntityPlan, _ column: Int, containing part: String) -> SQLFragment? { nil }

  func lastRowID(in table: String) -> String {
    "(SELECT COALESCE(max(\(SQLIdentifier.rowID)), 0) FROM \(SQLIdentifier.quoted(table)))"
  }

  // MARK: Schema

  func type(of kind: ColumnKind) -> String {
    switch kind {
    case .integer, .reference: "bigint"
    case .boolean, .presence: "boolean"
    case .unsigned, .decimal: "numeric"
    case .real, .date: "double precision"
    case .text, .url, .json: "text"
    case .data: "bytea"
    case .uuid: "uuid"
    }
  }

  var rowIDDefinition: String { "bigint PRIMARY KEY" }
  var keyedTableEnding: String { "" }

  func indexTerm(_ column: String) -> String { column + " NULLS FIRST" }

  func readable(_ column: String, _ kind: ColumnKind, isEncrypted: Bool) -> String? {
    kind == .date ? "to_timestamp(\(column) + 978307200)" : nil
  }

  func statement(creating trigger: SQLTrigger) -> String { "" }

  func failure(_ message: String) -> String { "" }

  func rowNumberTrigger(of plan: EntityPlan) -> (name: String, statement: String)? { nil }

  func searchTables(for plans: [EntityPlan]) -> [SearchTables.Table] { [] }

  func reservation(of name: String) -> String? { nil }

  // MARK: Migration

  func literal(_ value: SQLValue, of kind: ColumnKind) -> String {
    switch (value, kind) {
    case (.integer(let integer), .boolean), (.integer(let integer), .presence): truth(integer != 0)
    case (.integer(let integer), _): "\(integer)"
    case (.text(let text), _): SQLIdentifier.literal(text)
    case (.real(let real), _): "'\(real)'"
    case (.null, _), (.blob, _): "NULL"
    }
  }

  func conversion(from old: ColumnKind, to new: ColumnKind) -> SQLConversion? {
    old == new ? SQLConversion() : SQLConversion { "\($0)::\(type(of: new))" }
  }
}
