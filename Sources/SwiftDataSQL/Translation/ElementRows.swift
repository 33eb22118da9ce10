import SwiftDataCore

/// The destinations of a to-many relationship, or the elements of a stored list, as rows of a
/// subquery.
struct ElementRows {
  /// The FROM clause: one or two tables under aliases, or the elements of a list.
  let source: SQLFragment
  /// The condition that links a row to the owner; nil where the source contains only the owner's
  /// rows.
  let link: SQLFragment?
  /// The operand for one row.
  let element: Operand
  /// The conditions of `filter` on the rows.
  var filters: [Condition] = []
  /// The condition under which the list isn't nil. nil: never nil.
  var presence: SQLFragment?
  private let dialect: any SQLDialect

  init(
    source: SQLFragment, link: SQLFragment?, element: Operand, in dialect: any SQLDialect
  ) {
    self.source = source
    self.link = link
    self.element = element
    self.dialect = dialect
  }

  /// Whether there is a row that meets `test`, or any row without a test.
  func exist(where test: Condition? = nil) throws(Untranslatable) -> Condition {
    if test?.constant == false { return Condition(false, in: dialect) }
    let rows = try from(test)
    var condition = Condition(rows.enclosed("EXISTS (SELECT 1", ")"), in: dialect)
    condition.opposite = rows.enclosed("NOT EXISTS (SELECT 1", ")")
    return condition
  }

  /// The number of rows.
  func count() throws(Untranslatable) -> Term {
    Term(try from(nil).enclosed("(SELECT count(*)", ")"), .integer)
  }

  /// The least or greatest value; NULL without rows.
  func extreme(_ function: String) throws(Untranslatable) -> Term {
    guard case .term(let term) = element, term.kind == .integer else {
      throw Untranslatable("only stored lists of integers have a least value in SQL")
    }
    let value = term.fragment.enclosed("(SELECT \(function)(", ")")
    return Term(value.appending("", try from(nil), ")"), .integer, isOptional: true)
  }

  private func from(_ test: Condition?) throws(Untranslatable) -> SQLFragment {
    var condition = Condition(true, in: dialect)
    if let link { condition = Condition(link, form: .conjunction, in: dialect) }
    for filter in filters + [test].compactMap({ $0 }) { condition = condition.and(filter) }
    // SQL may visit the rows in another order than evaluation in memory does, and more of them.
    if condition.fragment.canFail || source.canFail {
      throw Untranslatable(
        "arithmetic on the elements of a list may fail at one that isn't reached")
    }
    let rows = source.enclosed(" FROM ", "")
    return condition.constant == true ? rows : rows.appending(" WHERE ", condition.fragment)
  }
}
