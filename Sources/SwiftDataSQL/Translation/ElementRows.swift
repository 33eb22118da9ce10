import SwiftDataCore

/// The models that a to-many relationship leads to, or the elements of a stored list: rows of a
/// subquery.
struct ElementRows {
  /// What stands behind FROM: a table or two under aliases, or a list taken apart.
  let source: SQLFragment
  /// What makes a row one of the owner's; nil where the source says it.
  let link: SQLFragment?
  /// One row.
  let element: Operand
  /// What `filter` asks of the rows.
  var filters: [Condition] = []
  /// When the list isn't nil. nil: always.
  var presence: SQLFragment?

  init(source: SQLFragment, link: SQLFragment?, element: Operand) {
    self.source = source
    self.link = link
    self.element = element
  }

  /// Whether there is a row, for which `test` holds if it is given.
  func exist(where test: Condition? = nil) throws(Untranslatable) -> Condition {
    if test?.constant == false { return Condition(false) }
    let rows = try from(test)
    var condition = Condition(rows.enclosed("EXISTS (SELECT 1", ")"))
    condition.opposite = rows.enclosed("NOT EXISTS (SELECT 1", ")")
    return condition
  }

  /// How many rows there are.
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
    var condition = Condition(true)
    if let link { condition = Condition(link, form: .conjunction) }
    for filter in filters + [test].compactMap({ $0 }) { condition = condition.and(filter) }
    // Rows may be met in another order than in memory, and more of them.
    if condition.fragment.canFail || source.canFail {
      throw Untranslatable(
        "arithmetic on the elements of a list may fail at one that isn't reached")
    }
    let rows = source.enclosed(" FROM ", "")
    return condition.constant == true ? rows : rows.appending(" WHERE ", condition.fragment)
  }
}
